"""Terms between pods: affinity, anti-affinity, topology spread."""

import collections
import types

import objects
import rules_workload

WHEN = "requiredDuringSchedulingIgnoredDuringExecution"


def terms_of(pod, kind):
    return ((pod.spec.get("affinity") or {}).get(kind) or {}).get(WHEN) or []


def matches(world, owner, term, other):
    """Whether a term of `owner` is about `other`."""
    namespaces = set(term.get("namespaces") or [])
    selector = term.get("namespaceSelector")
    if selector is not None:
        known = {**{pod.namespace: {} for pod in world.pods}, **world.namespaces}
        namespaces |= {name for name, labels in known.items()
                       if objects.selects(selector, {"kubernetes.io/metadata.name": name, **labels})}
    elif not namespaces:
        namespaces = {owner.namespace}
    if other.namespace not in namespaces or not objects.selects(term.get("labelSelector"), other.labels):
        return False
    for key in term.get("matchLabelKeys") or []:
        if key in owner.labels and other.labels.get(key) != owner.labels[key]:
            return False
    for key in term.get("mismatchLabelKeys") or []:
        if key in owner.labels and other.labels.get(key) == owner.labels[key]:
            return False
    return True


def value_at(world, name, key):
    """The node's value of a topology key."""
    return (world.nodes[name]["metadata"].get("labels") or {}).get(key) if name in world.nodes else None


def beside(world, pod, later):
    """Every other pod that stands with it, and the node where."""
    for name, pods in world.standing(later).items():
        for other in pods:
            if other is not pod:
                yield other, name


def repelled_pods_stand_apart(world):
    """Required anti-affinity, of the pod itself and of those that stand."""
    if not world.has_plugin("podaffinity"):
        return
    for pod in world.pods:
        if not pod.new or not pod.placed:
            continue
        for other, node in beside(world, pod, later=pod.status == "Pipelined"):
            for owner, term, seen in ([(pod, term, other) for term in terms_of(pod, "podAntiAffinity")] +
                                      [(other, term, pod) for term in terms_of(other, "podAntiAffinity")]):
                mine = value_at(world, pod.node, term["topologyKey"])
                if mine is not None and mine == value_at(world, node, term["topologyKey"]):
                    if matches(world, owner, term, seen):
                        yield (objects.text_of(pod.name), f"in {term['topologyKey']} {mine} beside {objects.text_of(other.name)}, "
                               f"against the anti-affinity of {objects.text_of(owner.name)}")


def slot_pods(world):
    """What a term sees of the pods of workloads that have places: their slots count before they are there."""
    for workload in rules_workload.workloads_of(world):
        if not workload.row.get("admitted") and not workload.row.get("promised"):
            continue
        for one in workload.sets.values():
            labels = (one["template"].get("metadata") or {}).get("labels") or {}
            yield types.SimpleNamespace(namespace=workload.row["namespace"], labels=labels)


def drawn_pods_stand_together(world):
    """Required affinity. The first of a series stands alone where nothing that it asks for stands in any domain."""
    if not world.has_plugin("podaffinity"):
        return
    slots = list(slot_pods(world))
    for pod in world.pods:
        terms = terms_of(pod, "podAffinity")
        if not pod.new or not pod.placed or not terms:
            continue
        if any(all(matches(world, pod, term, slot) for term in terms) for slot in slots):
            continue
        around = list(beside(world, pod, later=False)) + list(beside(world, pod, later=True))
        stood = any(not other.new and not other.evicted and not other.leaves and
                    all(matches(world, pod, term, other) for term in terms) and
                    any(value_at(world, node, term["topologyKey"]) is not None for term in terms)
                    for other, node in around)
        if all(matches(world, pod, term, pod) for term in terms) and not stood:
            continue
        for term in terms:
            mine = value_at(world, pod.node, term["topologyKey"])
            if mine is None or not any(value_at(world, node, term["topologyKey"]) == mine and
                                       matches(world, pod, term, other) for other, node in around):
                yield objects.text_of(pod.name), f"in {term['topologyKey']} {mine} without a pod that its affinity asks for"


def spread_is_even(world):
    """No domain is more than maxSkew ahead of the emptiest. Judged where the order of placing cannot
    matter: nothing was evicted, and every new pod that counts bears the constraint itself."""
    if not world.has_plugin("topologyspread") or world.decision["evictions"]:
        return
    if any(pod.leaves for pod in world.pods):
        return
    # The slots of a workload that was just admitted count before its pods are there.
    awaiting = {workload.row["namespace"] for workload in rules_workload.workloads_of(world) if workload.new}
    for pod in world.pods:
        if not pod.new or not pod.placed or pod.namespace in awaiting:
            continue
        constraints = [one for one in pod.spec.get("topologySpreadConstraints") or []
                       if one.get("whenUnsatisfiable", "DoNotSchedule") == "DoNotSchedule"]
        keys = [one["topologyKey"] for one in constraints]
        for one in constraints:
            yield from uneven(world, pod, one, keys)


def uneven(world, pod, constraint, keys):
    key = constraint["topologyKey"]
    if value_at(world, pod.node, key) is None:
        yield objects.text_of(pod.name), f"on {pod.node} without label {key} of its spread constraint"
        return
    counts = collections.Counter()
    for name, node in world.nodes.items():
        if all(value_at(world, name, each) is not None for each in keys) and honoured(pod, constraint, node):
            counts[value_at(world, name, key)] += 0
    for other in world.pods:
        if not other.placed or other.namespace != pod.namespace or value_at(world, other.node, key) not in counts:
            continue
        if not honoured(pod, constraint, world.nodes[other.node]):
            continue
        if not objects.selects(constraint.get("labelSelector"), other.labels):
            continue
        if any(other.labels.get(each) != pod.labels[each] for each in constraint.get("matchLabelKeys") or []
               if each in pod.labels):
            continue
        if other.new and constraint not in (other.spec.get("topologySpreadConstraints") or []):
            return
        if other.new and (other.spec.get("nodeSelector"), other.spec.get("affinity"), other.spec.get("tolerations")) != (
                pod.spec.get("nodeSelector"), pod.spec.get("affinity"), pod.spec.get("tolerations")):
            return
        counts[value_at(world, other.node, key)] += 1
    least = min(counts.values(), default=0)
    if len(counts) < (constraint.get("minDomains") or 1):
        least = 0
    mine = counts[value_at(world, pod.node, key)]
    if mine - least > constraint.get("maxSkew", 1):
        yield (objects.text_of(pod.name), f"{mine} pods in {key} {value_at(world, pod.node, key)}, {least} in the emptiest, "
               f"maxSkew {constraint.get('maxSkew', 1)}")


def honoured(pod, constraint, node):
    """Whether the pod's own selectors, and taints where that is asked, let the node count."""
    if constraint.get("nodeAffinityPolicy", "Honor") == "Honor" and not objects.node_affinity_holds(pod.spec, node):
        return False
    if constraint.get("nodeTaintsPolicy", "Ignore") == "Honor":
        return not objects.untolerated(pod.spec.get("tolerations"), (node.get("spec") or {}).get("taints"))
    return True


RULES = [repelled_pods_stand_apart, drawn_pods_stand_together, spread_is_even]
