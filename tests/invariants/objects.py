"""What Kubernetes' objects mean, as its documentation says: amounts, selectors, taints, requests."""

import math
import re
from fractions import Fraction

MOST = 2**51
MOST_QUOTA = 2**61
SUFFIXES = {"n": Fraction(1, 10**9), "u": Fraction(1, 10**6), "m": Fraction(1, 1000), "": 1,
            "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18,
            "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
QUANTITY = re.compile(r"([+-]?\d*\.?\d*)(n|u|m|k|Ki|Mi|Gi|Ti|Pi|Ei|M|G|T|P|E|)(?:[eE]([+-]?\d{1,3}))?")
GPU_NAMES = ("nvidia.com/gpu", "amd.com/gpu")
# The label `app` of the pods by which KAI-Scheduler holds GPUs for those that share them.
GPU_RESERVATIONS = ("kai-resource-reservation", "runai-reservation")
HOSTNAME = "kubernetes.io/hostname"


def quantity(value, resource, most=MOST):
    """Thousandths of a CPU, bytes or a count; what is finer is rounded up."""
    found = QUANTITY.fullmatch(str(value))
    if not found or not found[1] or isinstance(value, bool):
        raise ValueError(f"no quantity: {value!r}")
    exact = Fraction(found[1]) * SUFFIXES[found[2]] * Fraction(10) ** int(found[3] or 0)
    return min(most, math.ceil(exact * (1000 if resource == "cpu" else 1)))


def amounts(texts):
    return {name: quantity(value, name) for name, value in (texts or {}).items() if value is not None}


def added(*parts):
    total = {}
    for part in parts:
        for name, value in part.items():
            total[name] = total.get(name, 0) + value
    return total


def larger(one, other):
    return {name: max(one.get(name, 0), other.get(name, 0)) for name in {*one, *other}}


def container_requests(container):
    """A limit without a request is a request."""
    resources = container.get("resources") or {}
    return {**amounts(resources.get("limits")), **amounts(resources.get("requests"))}


def pod_requests(spec):
    """Containers and sidecars together, or the largest init container with the sidecars before it;
    then what the pod as a whole asks for; then the overhead."""
    total = of_containers(spec, container_requests)
    total.update(amounts((spec.get("resources") or {}).get("requests")))
    return added(total, amounts(spec.get("overhead")), {"pods": 1})


def of_containers(spec, of_one):
    """The amounts of a pod's containers, where of_one(container) has those of each."""
    running = added(*(of_one(c) for c in spec.get("containers") or []))
    sidecars, starting = {}, {}
    for container in spec.get("initContainers") or []:
        if container.get("restartPolicy") == "Always":
            sidecars = added(sidecars, of_one(container))
            starting = larger(starting, sidecars)
        else:
            starting = larger(starting, added(sidecars, of_one(container)))
    return larger(added(running, sidecars), starting)


def held_by_resized(item):
    """A pod on a node that is resized holds the most, resource by resource, of what it wants, what its
    node agreed to and what it has. What cannot be is not wanted: then a container of which the status
    says nothing holds nothing."""
    spec, status = item.get("spec") or {}, item.get("status") or {}
    said = {one.get("name"): one for one in (status.get("containerStatuses") or []) + (status.get("initContainerStatuses") or [])}
    infeasible = is_infeasible(status)
    resized = infeasible or any(one.get("allocatedResources") or one.get("resources") for one in said.values())
    if not spec.get("nodeName") or not resized:
        return pod_requests(spec)

    def allocated(container):
        given = (said.get(container.get("name")) or {}).get("allocatedResources")
        return amounts(given) if given is not None else {} if infeasible else container_requests(container)

    def actual(container):
        given = ((said.get(container.get("name")) or {}).get("resources") or {}).get("requests")
        return amounts(given) if given is not None else allocated(container)

    wanted = {} if infeasible else of_containers(spec, container_requests)
    held = larger(wanted, larger(of_containers(spec, allocated), of_containers(spec, actual)))
    held.update(amounts((spec.get("resources") or {}).get("requests")))
    return added(held, amounts(spec.get("overhead")), {"pods": 1})


def is_infeasible(status):
    return any(one.get("type") == "PodResizePending" and one.get("reason") == "Infeasible" for one in status.get("conditions") or [])


def selects(selector, labels):
    """A label selector; one that is not there selects nothing."""
    if selector is None:
        return False
    if any(labels.get(key) != value for key, value in (selector.get("matchLabels") or {}).items()):
        return False
    return all(expression_holds(one, labels) for one in selector.get("matchExpressions") or [])


def expression_holds(one, labels):
    key, operator, values = one["key"], one["operator"], one.get("values") or []
    if operator == "Exists":
        return key in labels
    if operator == "DoesNotExist":
        return key not in labels
    if operator == "In":
        return key in labels and labels[key] in values
    if operator == "NotIn":
        return key not in labels or labels[key] not in values
    if operator in ("Gt", "Lt"):
        try:
            found, bound = int(labels[key]), int(values[0])
        except (KeyError, ValueError, IndexError):
            return False
        return found > bound if operator == "Gt" else found < bound
    raise ValueError(f"operator {operator}")


def term_holds(term, node):
    """A term of a node selector; an empty one selects nothing."""
    labels = (node["metadata"].get("labels") or {})
    if not term.get("matchExpressions") and not term.get("matchFields"):
        return False
    fields = {"metadata.name": node["metadata"]["name"]}
    return (all(expression_holds(one, labels) for one in term.get("matchExpressions") or []) and
            all(expression_holds(one, fields) for one in term.get("matchFields") or []))


def node_affinity_holds(spec, node):
    labels = node["metadata"].get("labels") or {}
    if any(labels.get(key) != value for key, value in (spec.get("nodeSelector") or {}).items()):
        return False
    affinity = (spec.get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    return required is None or any(term_holds(term, node)
                                   for term in required.get("nodeSelectorTerms") or [])


def tolerates(toleration, taint):
    if toleration.get("effect") and toleration["effect"] != taint.get("effect"):
        return False
    if toleration.get("key") and toleration["key"] != taint.get("key"):
        return False
    if toleration.get("operator", "Equal") == "Exists":
        return True
    return bool(toleration.get("key")) and (toleration.get("value") or "") == (taint.get("value") or "")


def untolerated(tolerations, taints):
    """The first taint that keeps the pod away."""
    for taint in taints or []:
        if taint.get("effect") in ("NoSchedule", "NoExecute"):
            if not any(tolerates(one, taint) for one in tolerations or []):
                return taint
    return None


def host_ports(spec):
    """(address, protocol, port) of each."""
    found = set()
    containers = list(spec.get("containers") or [])
    containers += [c for c in spec.get("initContainers") or [] if c.get("restartPolicy") == "Always"]
    for container in containers:
        for port in container.get("ports") or []:
            number = port.get("hostPort") or (port.get("containerPort")
                                              if spec.get("hostNetwork") else 0)
            if number:
                found.add((port.get("hostIP") or "0.0.0.0", port.get("protocol") or "TCP", number))
    return found


def ports_clash(one, other):
    wild = "0.0.0.0"
    return one[1:] == other[1:] and (one[0] == other[0] or wild in (one[0], other[0]))


def key_of(item, key):
    """An annotation, or a label of the same name."""
    metadata = item.get("metadata") or {}
    return (metadata.get("annotations") or {}).get(key, (metadata.get("labels") or {}).get(key))


def core_group_name(pod):
    """The PodGroup of scheduling.k8s.io that a pod names."""
    spec = pod.get("spec")
    group = spec.get("schedulingGroup") if isinstance(spec, dict) else None
    return group.get("podGroupName") if isinstance(group, dict) else None


def name_of(item):
    metadata = item.get("metadata") or {}
    return metadata.get("namespace") or "default", metadata.get("name")


def text_of(name):
    return "/".join(name)
