"""A decision by itself: evictions, statuses, sums."""

import collections

import objects

ACTIONS = ("allocate", "consolidation", "reclaim", "preempt", "stalegangeviction", "admit", "defragmentation")
FINISHED = ("Succeeded", "Failed")


def every_pod_has_a_row(world):
    """One each, in order."""
    rows = [(row["namespace"], row["name"]) for row in world.decision["pods"]]
    if rows != sorted(set(rows)):
        yield "pods", "not in order, or twice"
    missing = set(world.named("", "Pod")) - set(rows)
    for name in sorted(missing, key=str):
        if name[1]:
            yield objects.text_of(name), "read, and has no row"


def statuses_follow_the_input(world):
    """Finished is finished, what runs is not pending, what waits has no node."""
    for pod in world.pods:
        name = objects.text_of(pod.name)
        if pod.phase in FINISHED or pod.status in FINISHED:
            if pod.status != pod.phase and not pod.item.get("job"):
                yield name, f"was {pod.phase}, is {pod.status}"
            continue
        if bool(pod.node) != (pod.status != "Pending"):
            yield name, f"{pod.status} with node {pod.node}"
        if pod.leaves and pod.ran_on and pod.status not in ("Releasing",):
            yield name, f"was leaving, is {pod.status}"
        stands = ("Running", "Bound", "Evicted", *(["Releasing"] if world.of_workload(pod) else []))
        if pod.ran_on and not pod.leaves and pod.status not in stands and not pod.evicted:
            yield name, f"stood on {pod.ran_on}, is {pod.status}"
        if pod.ran_on and pod.status in ("Running", "Bound", "Evicted", "Releasing") and pod.node != pod.ran_on:
            yield name, f"stood on {pod.ran_on}, is {pod.status} on {pod.node}"
        if not pod.ran_on and pod.status in ("Running", "Evicted", "Releasing"):
            yield name, f"had no node, is {pod.status}"
        if pod.evicted and (not pod.ran_on or pod.leaves):
            yield name, "evicted, and did not run"


def gangs_follow_their_pods(world):
    """A gang's status says what its pods' do. Pods of an admitted workload are bound one by one, below the
    gang's minimum, too."""
    for gang, row in sorted(world.gang_rows.items()):
        pods = world.gangs.get(gang, [])
        statuses = collections.Counter(pod["status"] for pod in world.decision["pods"] if pod["gang"] == gang)
        status = row["status"]
        if not statuses:
            continue
        over = all(one in FINISHED for one in statuses)
        if over != (status == "Finished"):
            yield gang, f"{status}, its pods are {dict(statuses)}"
        if status == "Scheduled" and not statuses["Bound"]:
            yield gang, f"Scheduled, its pods are {dict(statuses)}"
        if status == "Pipelined" and not statuses["Pipelined"]:
            yield gang, f"Pipelined, its pods are {dict(statuses)}"
        if status == "Evicted" and not statuses["Evicted"]:
            yield gang, f"Evicted, its pods are {dict(statuses)}"
        if status == "Running" and not statuses["Running"] and not statuses["Succeeded"]:
            yield gang, f"Running, its pods are {dict(statuses)}"
        if status == "Pending" and any(
                pod.new and not pod.evicted and not world.of_workload(pod) for pod in pods):
            yield gang, f"Pending, and given nodes: {dict(statuses)}"


def evictions_are_listed_once(world):
    rows = [(row["namespace"], row["pod"]) for row in world.decision["evictions"]]
    if len(rows) != len(set(rows)):
        yield "evictions", "a pod twice"
    evicted = {pod.name for pod in world.pods if pod.evicted}
    for name in sorted(evicted ^ set(rows)):
        yield objects.text_of(name), "in the evictions or evicted, not both"


def evictions_are_for_a_placement(world):
    """Whoever others leave for is placed by the same action; consolidation moves and loses no one."""
    pods = {pod.name: pod for pod in world.pods}
    promised = {f"{row['namespace']}/{row['name']}" for row in world.decision["workloads"] if row.get("promised")}
    moved_for = {row["movedFor"]["name"] for row in world.decision["workloads"] if row.get("movedFor")}
    for row in world.decision["evictions"]:
        name = f"{row['namespace']}/{row['pod']}"
        if row["action"] not in ACTIONS:
            yield name, f"evicted by {row['action']}"
        if row["action"] not in ("consolidation", "reclaim", "preempt"):
            continue
        taker = world.gangs.get(row.get("by"), [])
        given = row["action"] == "consolidation" and row.get("by") in promised
        if not given and not any(pod.new and pod.placed and pod.action == row["action"] for pod in taker):
            yield name, f"evicted by {row['action']} for {row.get('by')}, which was given nothing"
        victim = pods.get((row["namespace"], row["pod"]))
        waits = row.get("by") in moved_for and victim and world.of_workload(victim)
        if victim and row["action"] == "consolidation" and victim.status != "Pipelined" and not waits:
            yield name, "moved by consolidation, and has no new place"
        if victim and row.get("by") == victim.gang:
            yield name, "evicted for its own gang"


def moves_for_room_are_whole(world):
    """Defragmentation moves whole gangs that say so, each pod to a promised place, and only where no other moves."""
    moved = {}
    for row in world.decision["evictions"]:
        if row["action"] == "defragmentation":
            moved.setdefault(row["gang"], set()).add((row["namespace"], row["pod"]))
            if row.get("by"):
                yield row["gang"], f"moved for {row['by']} by defragmentation"
    if moved and any(row["action"] in ("consolidation", "reclaim", "preempt") for row in world.decision["evictions"]):
        yield "evictions", "moved for room while others move"
    for gang, names in sorted(moved.items()):
        if movable(world, gang) != "true":
            yield gang, "moved by defragmentation, and does not say so"
        for pod in world.gangs.get(gang, []):
            held_back = pod.status == "Pending" and pod.may_be_held()
            if pod.status not in FINISHED and not held_back and (pod.name not in names or pod.status != "Pipelined"):
                yield gang, f"moved by defragmentation, and {objects.text_of(pod.name)} is {pod.status}"
        reasons = [one["code"] for one in world.gang_rows[gang].get("reasons", [])]
        if reasons != ["MovedForRoom"]:
            yield gang, f"moved by defragmentation, its reasons are {reasons}"


def movable(world, gang):
    """What the gang says of itself, else what its queue says."""
    pods = [pod.item for pod in world.gangs.get(gang, [])]
    queue = world.queues.get(world.gang_rows[gang].get("queue"))
    said = [objects.key_of(item, "trellis.scheduler/movable")
            for item in (world.group_of(gang), world.job_of(gang), *pods, queue) if item]
    return next((one for one in said if one is not None), None)


def promised_nodes(world):
    """The nodes of the domains that workloads are promised."""
    sets = [one for row in world.decision["workloads"] for one in (row.get("promised") or {}).get("podSetAssignments", [])]
    found = set()
    for one in sets:
        places = one.get("topologyAssignment") or {}
        for domain in places.get("domains", []):
            wanted = dict(zip(places["levels"][-len(domain["values"]):], domain["values"]))
            found |= {name for name, node in world.nodes.items()
                      if wanted.items() <= {"kubernetes.io/hostname": name, **(node["metadata"].get("labels") or {})}.items()}
    return found


def evictions_are_needed(world):
    """Of what leaves for a gang something stood where the gang, or a pod that was moved, goes to.
    Judged where room on nodes is all that can matter."""
    if world.device_nodes or any(queue["spec"].get("resources") for queue in world.queues.values() if queue.get("spec")):
        return
    if any(pod.spec.get("affinity") or pod.spec.get("topologySpreadConstraints") for pod in world.pods):
        return
    sets = collections.defaultdict(list)
    pods = {pod.name: pod for pod in world.pods}
    for row in world.decision["evictions"]:
        if row["action"] in ("consolidation", "reclaim", "preempt"):
            sets[(row["by"], row["action"], row["gang"])].append(pods.get((row["namespace"], row["pod"])))
    goals = {pod.node for pod in world.pods if pod.new and pod.placed} | promised_nodes(world)
    for (by, action, gang), victims in sorted(sets.items()):
        if all(victims) and not any(pod.ran_on in goals for pod in victims):
            yield gang, f"evicted by {action} for {by}, and nothing was placed on {sorted({pod.ran_on for pod in victims})}"


def nodes_rows_add_up(world):
    """Idle devices are those that no pod holds."""
    standing = world.standing(later=False)
    for row in world.decision["nodes"]:
        name = row["name"]
        if name not in world.nodes or name in world.device_nodes:
            continue
        most = sum(world.allocatable[name].get(gpu, 0) for gpu in objects.GPU_NAMES)
        whole = sum(pod.requests.get(gpu, 0) for pod in standing[name] for gpu in objects.GPU_NAMES)
        if any(pod.evicted and pod.shares_gpus() for pod in standing[name]):
            continue
        if row.get("gpus", most) != most:
            yield name, f"gpus {row['gpus']}, {most} allocatable"
        if bool(row.get("closed")) != takes_nothing(world.nodes[name]) and "closed" in row:
            yield name, f"closed {row['closed']}, spec and conditions say otherwise"
        shared = {one["index"] for pod in standing[name] for one in pod.row.get("gpus") or []}
        if world.has_plugin("gpusharing") and row["idleGPUs"] > max(0, most - whole - len(shared)):
            yield name, f"idleGPUs {row['idleGPUs']}, {most} less {whole} whole and {len(shared)} shared"


def takes_nothing(node):
    """Cordoned or not ready."""
    conditions = (node.get("status") or {}).get("conditions") or []
    return bool((node.get("spec") or {}).get("unschedulable")) or any(
        one.get("type") == "Ready" and one.get("status") != "True" for one in conditions if isinstance(one, dict))


RULES = [every_pod_has_a_row, statuses_follow_the_input, gangs_follow_their_pods, evictions_are_listed_once,
         evictions_are_for_a_placement, moves_for_room_are_whole, evictions_are_needed, nodes_rows_add_up]
