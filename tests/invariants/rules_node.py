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
                if resource in world.device_resources and resource not in world.allocatable[name]:
                    continue  # the devices of a class, which have rules of their own
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
            if name in world.device_nodes or not any(pod.came(later) and pod.gpus() for pod in pods):
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
            if isinstance(condition, dict) and condition.get("type") == "Ready" and condition.get("status") != "True":
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
    """A pod stands where the volumes of its claims can be: those that they have, or those that the decision gives
    them, each to one claim. A claim without a volume is provisioned."""
    claims = world.named("", "PersistentVolumeClaim")
    volumes = {item["metadata"]["name"]: item for item in world.of("", "PersistentVolume")}
    given = {}
    for pod, node in new_pods(world):
        chosen = {one["claim"]: one for one in pod.row.get("claims") or []}
        for wanted in claims_of(pod):
            bound = ((claims.get((pod.namespace, wanted)) or {}).get("spec") or {}).get("volumeName")
            volume = bound or chosen.get(wanted, {}).get("volume")
            if not volume:
                if not chosen.get(wanted, {}).get("provision"):
                    yield objects.text_of(pod.name), f"placed, and its claim {wanted} is absent or has no volume"
                continue
            if not bound and given.setdefault(volume, (pod.namespace, wanted)) != (pod.namespace, wanted):
                yield objects.text_of(pod.name), f"its claim {wanted} gets {volume}, which {objects.text_of(given[volume])} gets, too"
            affinity = (((volumes.get(volume) or {}).get("spec") or {}).get("nodeAffinity") or {}).get("required")
            if affinity and world.has_plugin("predicates"):
                if not any(objects.term_holds(term, node) for term in affinity["nodeSelectorTerms"]):
                    yield objects.text_of(pod.name), f"on {pod.node}, where its volume {volume} cannot be"


def claims_of(pod):
    """The PersistentVolumeClaims that it names."""
    for volume in pod.spec.get("volumes") or []:
        if wanted := (volume.get("persistentVolumeClaim") or {}).get("claimName"):
            yield wanted


def claims_are_allocated(world):
    """A pod is bound only with its resource claims allocated to devices that its node reaches, and that no other
    claim holds. Promised pods get their devices when they are bound."""
    had = {name: (item.get("status") or {}).get("allocation")
           for name, item in world.named("resource.k8s.io", "ResourceClaim").items()}
    given = {(one["namespace"], one["name"]): one["allocation"] for one in world.decision.get("claims") or []}
    allocations = {**had, **given}
    for pod, node in new_pods(world):
        for wanted, name in resource_claims_of(pod, given) if pod.status == "Bound" else []:
            allocation = allocations.get((pod.namespace, name))
            if not allocation:
                yield objects.text_of(pod.name), f"placed, and its resource claim {wanted} is not allocated"
                continue
            terms = (allocation.get("nodeSelector") or {}).get("nodeSelectorTerms")
            if terms and not any(objects.term_holds(term, node) for term in terms):
                yield objects.text_of(pod.name), f"on {pod.node}, which does not reach the devices of {name}"
    new = {name for name in given if not had.get(name)}
    holders = {}
    for name, allocation in allocations.items():
        for device in devices_of(allocation or {}):
            other = holders.setdefault(device, name)
            if other != name and {name, other} & new:
                yield objects.text_of(name), f"gets {'/'.join(device)}, which {objects.text_of(other)} holds"


def resource_claims_of(pod, given):
    """(its word, the claim's name) of each claim of a pod that needs one; the decision made those that were not there."""
    made = {one.get("name"): one for one in (pod.item.get("status") or {}).get("resourceClaimStatuses") or []}
    for wanted in pod.spec.get("resourceClaims") or []:
        word = wanted["name"]
        name = wanted.get("resourceClaimName") or (made.get(word) or {}).get("resourceClaimName")
        if name or word not in made:
            group = (pod.spec.get("schedulingGroup") or {}).get("podGroupName")
            begins = tuple(f"{owner}-{word}-" for owner in (pod.name[1], group) if owner)
            yield word, name or next((one for space, one in given if space == pod.namespace and one.startswith(begins)), None)


def devices_of(allocation):
    """What a claim holds alone."""
    for one in (allocation.get("devices") or {}).get("results") or []:
        if not one.get("adminAccess") and not one.get("shareID"):
            yield one["driver"], one["pool"], one["device"]


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
