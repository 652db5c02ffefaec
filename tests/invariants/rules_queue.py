"""KAI's queues: limits, quotas of what may not be moved, and who may be moved for whom."""

import collections

import objects

PRIORITIES = {"train": 50, "build-preemptible": 75, "build": 100, "inference": 125,
              "system-cluster-critical": 2 * 10**9, "system-node-critical": 2 * 10**9 + 1000}
# Of a quota or limit of one: what of a pod counts, and how many of that.
UNITS = {"gpu": 1000, "cpu": 1, "memory": 10**6}


def held_by(pod):
    return {"gpu": pod.gpus(), "cpu": pod.requests.get("cpu", 0), "memory": pod.requests.get("memory", 0)}


def chain(world, queue):
    """The queue and those above it; they count only where queues share level by level."""
    found = []
    if not (world.config.get("queues") or {}).get("fullHierarchy", True):
        return [queue] if queue in world.queues else []
    while queue in world.queues and queue not in found:
        found.append(queue)
        queue = (world.queues[queue].get("spec") or {}).get("parentQueue")
    return found


def queue_of(world, gang):
    return (world.gang_rows.get(gang) or {}).get("queue")


def priority_of(world, gang):
    group = world.group_of(gang)
    if group is not None:
        name = (group.get("spec") or {}).get("priorityClassName")
        if name:
            return class_value(world, name)
    for pod in sorted(world.gangs[gang], key=lambda pod: pod.name):
        if pod.spec.get("priority"):  # a zero is what API servers write into every pod
            return pod.spec["priority"]
        if pod.spec.get("priorityClassName"):
            return class_value(world, pod.spec["priorityClassName"])
    for item in world.classes.values():
        if item.get("globalDefault"):
            return item.get("value", 0)
    return 50


def class_value(world, name):
    return world.classes[name].get("value", 0) if name in world.classes else PRIORITIES.get(name, 50)


def is_preemptible(world, gang):
    group = world.group_of(gang)
    word = (((group or {}).get("spec") or {}).get("preemptibility") or
            (objects.key_of(group, "kai.scheduler/preemptibility") if group else None))
    if is_background(world, gang):
        return True
    return word != "non-preemptible" if word else priority_of(world, gang) < 100


def kept_minimum(world, gang):
    """Of a semi-preemptible gang: how many of its pods have to stay; None: it is no such gang."""
    spec = (world.group_of(gang) or {}).get("spec") or {}
    if spec.get("preemptibility") != "semi-preemptible" or is_background(world, gang):
        return None
    done = sum(pod.status == "Succeeded" for pod in world.gangs[gang])
    return max(0, spec.get("minMember", 1) - done)


def is_background(world, gang):
    """A filler: it leaves for any other gang, and counts for no queue."""
    group = world.group_of(gang)
    return group is not None and objects.key_of(group, "trellis.scheduler/background") == "true"


def sums(world, part_of):
    """Queue -> what the placed pods of each gang hold in it and below it, in this part."""
    held = collections.defaultdict(collections.Counter)
    for pod in world.pods:
        part = part_of(pod.gang) if pod.placed and not is_background(world, pod.gang) else 0
        for queue in chain(world, queue_of(world, pod.gang)) if part else ():
            held[queue].update({name: part * amount for name, amount in held_by(pod).items()})
    return held


def over(world, key, held, gangs):
    """Queues that a new pod took past `key`: (queue, figures)."""
    for pod in world.pods:
        if not pod.new or not pod.placed or pod.gang not in gangs or is_background(world, pod.gang):
            continue
        for queue in chain(world, queue_of(world, pod.gang)):
            resources = (world.queues[queue].get("spec") or {}).get("resources") or {}
            for resource, unit in UNITS.items():
                most = (resources.get(resource) or {}).get(key, -1 if key == "limit" else 0)
                if most >= 0 and held_by(pod)[resource] and held[queue][resource] > most * unit + 1e-6:
                    yield queue, (f"{resource}: {held[queue][resource] / unit:g} held, {key} {most:g}, and "
                                  f"{objects.text_of(pod.name)} was placed")


def queues_keep_their_limits(world):
    if world.has_plugin("proportion"):
        yield from over(world, "limit", sums(world, lambda gang: 1), world.gangs)


def fixed_gangs_keep_to_quota(world):
    """What may not be moved holds no more than the quota. The pods that a semi-preemptible gang has to
    keep count as the average of its pods."""
    def part_of(gang):
        kept = kept_minimum(world, gang)
        if kept is None:
            return 0 if is_preemptible(world, gang) else 1
        return min(1, kept / max(1, sum(pod.placed for pod in world.gangs[gang])))

    if world.has_plugin("proportion"):
        fixed = {gang for gang in world.gangs if not is_preemptible(world, gang)}
        yield from over(world, "quota", sums(world, part_of), fixed)


def victims_may_be_moved(world):
    """Preemptible; for preempt of the same queue and of lower priority; for reclaim of another queue."""
    for row in world.decision["evictions"]:
        victim, taker, action = row["gang"], row.get("by"), row["action"]
        if action not in ("consolidation", "reclaim", "preempt") or victim not in world.gangs:
            continue
        if not is_preemptible(world, victim):
            yield victim, f"moved by {action}, and not preemptible"
        kept = kept_minimum(world, victim)
        if kept is not None and sum(pod.placed and pod.status != "Pipelined" for pod in world.gangs[victim]) < kept:
            yield victim, f"moved by {action}, and keeps fewer than {kept} pods"
        if taker not in world.gangs:
            continue
        if is_background(world, taker):
            yield victim, f"moved for {taker}, which is in the background"
        if is_background(world, victim):
            continue
        queues = queue_of(world, victim), queue_of(world, taker)
        if action == "reclaim" and queues[0] == queues[1]:
            yield victim, f"reclaimed for {taker} of the same queue {queues[0]}"
        if action == "preempt" and queues[0] != queues[1]:
            yield victim, f"of queue {queues[0]}, preempted for {taker} of {queues[1]}"
        if action == "preempt" and world.has_plugin("priority"):
            mine, theirs = priority_of(world, victim), priority_of(world, taker)
            if mine >= theirs:
                yield victim, f"of priority {mine}, preempted for {taker} of {theirs}"


def budgets_are_kept(world):
    """No more of a PodDisruptionBudget's pods are moved for others than it allows."""
    moved = {(row["namespace"], row["pod"]) for row in world.decision["evictions"]
             if row["action"] in ("consolidation", "reclaim", "preempt")}
    for item in world.of("policy", "PodDisruptionBudget"):
        allowed = (item.get("status") or {}).get("disruptionsAllowed")
        namespace, name = objects.name_of(item)
        hit = [pod for pod in world.pods if pod.name in moved and pod.namespace == namespace and
               objects.selects((item.get("spec") or {}).get("selector"), pod.labels)]
        if allowed is not None and len(hit) > allowed:
            yield f"{namespace}/{name}", f"{len(hit)} pods moved, {allowed} disruptions allowed"


RULES = [queues_keep_their_limits, fixed_gangs_keep_to_quota, victims_may_be_moved, budgets_are_kept]
