"""What must hold of each node and of each pod that was given one."""

import collections

import objects


def nodes_hold_what_they_can(world):
    """No resource of a node that was given a pod is over-filled, now or once those that leave have."""
    for later in (False, True):
        for name, pods in world.standing(later).items():
            asked = {resource for pod in pods if pod.came(later) for resource, amount in pod.requests.items()
                     if amount > 0}
            held = objects.added(*(pod.requests for pod in pods))
            for resource in sorted(asked):
                most = world.allocatable[name].get(resource, 0)
                if held[resource] > most:
                    when = "later" if later else "now"
                    yield name, f"{resource}: {held[resource]} held {when}, {most} allocatable"


def opens_device(pods, later):
    """Whether a pod that came holds a device alone, or one that no pod before it shares."""
    def devices(pod):
        return [one["index"] for one in pod.row.get("gpus") or []]
    shared = {index for pod in pods if not pod.came(later) for index in devices(pod)}
    return any(any(pod.requests.get(gpu) for gpu in objects.GPU_NAMES)
               or any(index not in shared for index in devices(pod))
               for pod in pods if pod.came(later))


def gpus_are_shared_whole(world):
    """No device holds more than itself, and shared and whole devices fit together."""
    if not world.has_plugin("gpusharing"):
        return
    for later in (False, True):
        for name, pods in world.standing(later).items():
            if not any(pod.came(later) and pod.gpus() for pod in pods):
                continue
            if not later and any(pod.evicted and pod.shares_gpus() for pod in pods):
                continue  # where it ran on the devices is not said
            parts = collections.Counter()
            for pod in pods:
                for one in pod.row.get("gpus") or []:
                    parts[one["index"]] += round(1000 * float(one["portion"]))
            whole = sum(pod.requests.get(gpu, 0) for pod in pods for gpu in objects.GPU_NAMES)
            most = sum(world.allocatable[name].get(gpu, 0) for gpu in objects.GPU_NAMES)
            for index, held in sorted(parts.items()):
                if held > 1000 or not 0 <= index < most:
                    yield name, f"device {index} of {most}: {held} thousandths held"
            if opens_device(pods, later) and whole + len(parts) > most:
                yield name, f"{whole} whole and {len(parts)} shared devices of {most}"


def shared_gpus_are_what_was_asked(world):
    for pod in world.pods:
        fraction = objects.key_of(pod.item, "gpu-fraction")
        if not pod.new or not pod.placed or fraction is None or not world.has_plugin("gpusharing"):
            continue
        count = int(objects.key_of(pod.item, "gpu-fraction-num-devices") or 1)
        found = [round(1000 * float(one["portion"])) for one in pod.row.get("gpus") or []]
        if found != [round(1000 * float(fraction))] * count:
            yield objects.text_of(pod.name), f"asks for {count} times {fraction}, has {found} thousandths"


def nodes_take_new_pods(world):
    """Not cordoned, ready, without a taint that the pod does not tolerate."""
    if not world.has_plugin("predicates"):
        return
    for pod, node in new_pods(world):
        spec = node.get("spec") or {}
        tolerations = pod.spec.get("tolerations")
        closed = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
        if spec.get("unschedulable") and objects.untolerated(tolerations, [closed]):
            yield objects.text_of(pod.name), f"on {pod.node}, which is cordoned"
        for condition in (node.get("status") or {}).get("conditions") or []:
            if condition.get("type") == "Ready" and condition.get("status") != "True":
                yield objects.text_of(pod.name), f"on {pod.node}, which is not ready"
        taint = objects.untolerated(tolerations, spec.get("taints"))
        if taint:
            yield objects.text_of(pod.name), f"on {pod.node}, does not tolerate {taint}"


def selectors_and_affinity_hold(world):
    if not world.has_plugin("predicates"):
        return
    for pod, node in new_pods(world):
        if not objects.node_affinity_holds(pod.spec, node):
            yield objects.text_of(pod.name), f"on {pod.node}, against its selector or node affinity"


def host_ports_are_free(world):
    if not world.has_plugin("predicates"):
        return
    for later in (False, True):
        for name, pods in world.standing(later).items():
            for pod in pods:
                for other in pods:
                    if not pod.came(later) or other is pod:
                        continue
                    for one in objects.host_ports(pod.spec):
                        for taken in objects.host_ports(other.spec):
                            if objects.ports_clash(one, taken):
                                yield objects.text_of(pod.name), f"{one} on {name} is {objects.text_of(other.name)}'s"


def volumes_can_be_there(world):
    """A pod stands where the volumes of its claims can be."""
    claims = world.named("", "PersistentVolumeClaim")
    volumes = {item["metadata"]["name"]: item for item in world.of("", "PersistentVolume")}
    for pod, node in new_pods(world):
        for volume in pod.spec.get("volumes") or []:
            wanted = (volume.get("persistentVolumeClaim") or {}).get("claimName")
            if not wanted:
                continue
            claim = claims.get((pod.namespace, wanted))
            bound = ((claim or {}).get("spec") or {}).get("volumeName")
            if not bound:
                yield objects.text_of(pod.name), f"placed, and its claim {wanted} is absent or not bound"
                continue
            affinity = (((volumes.get(bound) or {}).get("spec") or {}).get("nodeAffinity") or {}).get("required")
            if affinity and world.has_plugin("predicates"):
                if not any(objects.term_holds(term, node) for term in affinity["nodeSelectorTerms"]):
                    yield objects.text_of(pod.name), f"on {pod.node}, where its volume {bound} cannot be"


def claims_are_allocated(world):
    """A pod that names resource claims is placed only where each of them is allocated."""
    claims = world.named("resource.k8s.io", "ResourceClaim")
    for pod, _ in new_pods(world):
        made = {one.get("name"): one for one in (pod.item.get("status") or {}).get("resourceClaimStatuses") or []}
        for wanted in pod.spec.get("resourceClaims") or []:
            name = wanted.get("resourceClaimName") or (made.get(wanted["name"]) or {}).get("resourceClaimName")
            if not name and wanted["name"] in made:
                continue  # needs none
            if not ((claims.get((pod.namespace, name)) or {}).get("status") or {}).get("allocation"):
                yield objects.text_of(pod.name), f"placed, and its resource claim {wanted['name']} is not allocated"


def new_pods(world):
    for pod in world.pods:
        if pod.new and pod.placed and pod.node in world.nodes:
            yield pod, world.nodes[pod.node]


def known_nodes(world):
    """Nothing is placed on a node that is not there."""
    for pod in world.pods:
        if pod.new and pod.node not in world.nodes:
            yield objects.text_of(pod.name), f"{pod.status} on {pod.node}, which is not there"


RULES = [nodes_hold_what_they_can, gpus_are_shared_whole, shared_gpus_are_what_was_asked,
         nodes_take_new_pods, selectors_and_affinity_hold, host_ports_are_free, volumes_can_be_there,
         claims_are_allocated,
         known_nodes]
