"""Gangs: whole or absent, and inside what they require."""

import objects
import world as worlds

REQUIRED = "kai.scheduler/topology-required-placement"
TOPOLOGY = "kai.scheduler/topology"
SEGMENT_SIZE = "kai.scheduler/segment-size"
SEGMENT_REQUIRED = "kai.scheduler/segment-topology-required-placement"
SUBGROUP = "kai.scheduler/subgroup-name"


def spec_of(group):
    return group.get("spec") or {}


def placed_pods(world, gang):
    return [pod for pod in world.gangs[gang] if pod.placed]


def new_gangs(world):
    """Gangs that were given a node in this decision."""
    for gang, pods in sorted(world.gangs.items()):
        if any(pod.new for pod in pods) and not any(world.of_workload(pod) for pod in pods):
            yield gang


def gained(pods):
    """Whether any of them had no place before; one that is moved had."""
    return any(pod.new and not pod.evicted for pod in pods)


def counted(pods, now):
    """Pods that stand for the minimum: those that run or were placed, and those that succeeded."""
    return sum(pod.status in ("Running", "Bound", "Succeeded") or (pod.status == "Pipelined" and not now)
               for pod in pods)


def gangs_are_whole(world):
    """A gang that was given nodes has its minimum; a pod of it is bound now only if that many stand now."""
    for gang in new_gangs(world):
        pods = world.gangs[gang]
        now = any(pod.new and pod.status == "Bound" for pod in pods)
        minimum = minimum_of(world, gang)
        if gained(pods) and minimum is not None and counted(pods, now) < minimum:
            yield gang, f"{counted(pods, now)} pods placed{' now' if now else ''}, the minimum is {minimum}"


def minimum_of(world, gang):
    group, job = world.group_of(gang), world.job_of(gang)
    if group is not None:
        return spec_of(group).get("minMember")
    if job is not None:
        spec = job.get("spec") or {}
        parallelism = spec.get("parallelism", 1)
        at_once = min(parallelism, spec.get("completions") or parallelism)
        if spec.get("scheduling") is None:
            return at_once
        policy = spec["scheduling"].get("schedulingPolicy") or {}
        return (policy["gang"] or {}).get("minCount", at_once) if "gang" in policy else 1
    return 1


def tree_of(group):
    """Name -> subgroup, and parent -> names, of the PodGroup's tree; None is its top."""
    subgroups = {one["name"]: one for one in spec_of(group).get("subGroups") or []}
    below = {}
    for name, one in subgroups.items():
        below.setdefault(one.get("parent") or None, []).append(name)
    return subgroups, below


def subgroup_of(pod):
    """In a tree of Kubernetes' groups, a pod's part is the PodGroup that it names."""
    return objects.key_of(pod.item, SUBGROUP) or objects.core_group_name(pod.item)


def pods_below(world, gang, name, below):
    """The pods of a subgroup and of those below it."""
    names, found = [name], []
    while names:
        one = names.pop()
        names += below.get(one, [])
        found += [pod for pod in world.gangs[gang] if one is None or subgroup_of(pod) == one]
    return found


def has_minimum(world, gang, name, subgroups, below, now):
    if name is not None and name not in below:
        least = subgroups[name].get("minMember", 1)
        return counted(pods_below(world, gang, name, below), now) >= least
    wanted = subgroups[name] if name is not None else spec_of(world.group_of(gang))
    met = sum(has_minimum(world, gang, one, subgroups, below, now) for one in below[name])
    return met >= wanted.get("minSubGroup", len(below[name]))


def subgroups_are_whole(world):
    """The tree has as many whole subgroups as it needs, and a leaf that was given nodes is whole itself."""
    for gang in new_gangs(world):
        group = world.group_of(gang)
        if group is None or not spec_of(group).get("subGroups"):
            continue
        subgroups, below = tree_of(group)
        now = any(pod.new and pod.status == "Bound" for pod in world.gangs[gang])
        if gained(world.gangs[gang]) and not has_minimum(world, gang, None, subgroups, below, now):
            yield gang, "given nodes, and not enough of its subgroups have their minimum"
        for name in sorted(set(subgroups) - set(below)):
            pods = pods_below(world, gang, name, below)
            if gained(pods) and not has_minimum(world, gang, name, subgroups, below, False):
                yield f"{gang} subgroup {name}", f"{counted(pods, False)} pods placed, the minimum is {subgroups[name].get('minMember', 1)}"


def constraints_of(world, gang):
    """(what, pods, topology, depth) for each required level of the gang and of its subgroups."""
    group, job = world.group_of(gang), world.job_of(gang)
    if group is None:
        if job is not None:
            template = job["spec"].get("template") or {}
            words = world.constraint_of(worlds.scheduling_of(job)) or first_keys([job, template])
            yield from constraint_of(world, gang, world.gangs[gang], words, {})
        return
    spec = spec_of(group)
    own = spec.get("topologyConstraint") or spec.get("topologyConstraints") or {}
    around = {"topology": own.get("topology") or objects.key_of(group, TOPOLOGY),
              "requiredTopologyLevel": own.get("requiredTopologyLevel") or objects.key_of(group, REQUIRED)}
    yield from constraint_of(world, gang, world.gangs[gang], around, {})
    subgroups, below = tree_of(group)
    for name, one in sorted(subgroups.items()):
        above, parent = around, one.get("parent")
        while parent in subgroups:
            if (subgroups[parent].get("topologyConstraint") or {}).get("topology"):
                above = subgroups[parent]["topologyConstraint"]
                break
            parent = subgroups[parent].get("parent")
        pods = pods_below(world, gang, name, below)
        yield from constraint_of(world, f"{gang} subgroup {name}", pods, one.get("topologyConstraint") or {}, above)


def first_keys(items):
    def first(key):
        return next((value for value in (objects.key_of(item, key) for item in items) if value), None)
    return {"topology": first(TOPOLOGY), "requiredTopologyLevel": first(REQUIRED)}


def constraint_of(world, what, pods, words, above):
    level = words.get("requiredTopologyLevel")
    if not level:
        return
    topology = topology_of(world, words.get("topology") or above.get("topology"), level)
    if topology is not None and topology.depth(level) is not None:
        yield what, pods, topology, topology.depth(level)


def topology_of(world, name, level):
    if name:
        return world.topologies.get(name)
    able = [one for one in world.topologies.values() if one.depth(level) is not None]
    return able[0] if len(able) == 1 else None


def required_domains_hold(world):
    """What was placed stands in one domain of the required level, where those of it that ran stand."""
    if not world.has_plugin("topology"):
        return
    for gang in new_gangs(world):
        for what, pods, topology, depth in constraints_of(world, gang):
            yield from scattered(world, what, pods, topology, depth)


def scattered(world, what, pods, topology, depth):
    new = {domain_of(world, pod, topology, depth) for pod in pods if pod.new and pod.placed}
    old = {domain_of(world, pod, topology, depth) for pod in pods
           if pod.placed and not pod.new and pod.node in world.nodes}
    if not new:
        return
    level = topology.labels[depth]
    if None in new:
        yield what, f"a pod was placed outside every {level}"
    elif len(new) > 1 and not new <= old:
        yield what, f"placed in {len(new)} domains of {level}: {sorted(new, key=str)}"
    elif old and not new <= old:
        yield what, f"runs in {sorted(map(str, old))}, placed in {sorted(new, key=str)} of {level}"


def domain_of(world, pod, topology, depth):
    node = world.nodes.get(pod.node)
    return topology.path(node, depth) if node else None


def segments_hold(world):
    """The new pods of a segment share a domain of the level that it requires, with those of it that ran. A pod
    that has failed or is being deleted leaves its rank to another, unless it has done its work."""
    if not world.has_plugin("topology"):
        return
    for gang in new_gangs(world):
        group = world.group_of(gang)
        if group is None or not objects.key_of(group, SEGMENT_SIZE) or not objects.key_of(group, SEGMENT_REQUIRED):
            continue
        size, level = int(objects.key_of(group, SEGMENT_SIZE)), objects.key_of(group, SEGMENT_REQUIRED)
        own = spec_of(group).get("topologyConstraint") or {}
        topology = topology_of(world, own.get("topology") or objects.key_of(group, TOPOLOGY), level)
        if topology is None or topology.depth(level) is None:
            continue
        subgroups, below = tree_of(group)
        leaves = sorted(set(subgroups) - set(below)) or [None]
        for leaf in leaves:
            pods = sorted((pod for pod in pods_below(world, gang, leaf, below)
                           if pod.status == "Succeeded" or pod.status != "Failed" and not pod.leaves), key=rank_of)
            for first in range(0, len(pods), size):
                what = f"{gang} {leaf or ''} segment {first // size}"
                yield from scattered(world, what, pods[first:first + size], topology, topology.depth(level))


def rank_of(pod):
    rank = pod.row.get("rank")
    return (rank if rank is not None else worlds.number_in(pod.name[1]) or 0, pod.name)


def placement_is_where_the_pods_are(world):
    """The domain that a gang's row names holds every pod of it that is placed."""
    for gang, row in sorted(world.gang_rows.items()):
        placement = row.get("placement") or {}
        topology = world.topologies.get(placement.get("topology"))
        domain = placement.get("domain") or []
        if topology is None or not domain or gang not in world.gangs:
            continue
        for pod in placed_pods(world, gang):
            path = domain_of(world, pod, topology, len(domain) - 1)
            if pod.node not in world.nodes:
                continue  # it was taken away under the pod
            if path is None or list(path) != domain:
                yield gang, f"placement {domain}, but {objects.text_of(pod.name)} is on {pod.node} in {path}"


RULES = [gangs_are_whole, subgroups_are_whole, required_domains_hold, segments_hold,
         placement_is_where_the_pods_are]
