"""Kueue's workloads: whole assignments, quotas of the cohorts, slots."""

import collections

import objects

REQUIRED = "kueue.x-k8s.io/podset-required-topology"


class Workload:
    """A row of the decision, and what the input says of it."""

    def __init__(self, world, row):
        self.name = f"{row['namespace']}/{row['name']}"
        self.row = row
        self.item = world.named("kueue.x-k8s.io", "Workload").get((row["namespace"], row["name"]))
        self.job = None if self.item else job_named(world, row)
        self.holds = bool(row["admitted"]) and not row.get("evicted")
        self.sets = {}
        if self.item:
            for one in self.item["spec"].get("podSets") or []:
                self.sets[one.get("name", "main")] = one
        elif self.job:
            self.sets["main"] = {"template": self.job["spec"]["template"]}
        source = self.item or self.job or {}
        self.new = self.holds and not admitted_before(self.item)
        self.queue = ((source.get("spec") or {}).get("queueName") if self.item else
                      ((source.get("metadata") or {}).get("labels") or {}).get("kueue.x-k8s.io/queue-name"))
        local = world.named("kueue.x-k8s.io", "LocalQueue").get((row["namespace"], self.queue)) or {}
        self.cluster_queue = (local.get("spec") or {}).get("clusterQueue")
        if self.item and (self.item.get("status") or {}).get("admission") and not self.new:
            self.cluster_queue = self.item["status"]["admission"].get("clusterQueue") or self.cluster_queue

    def assignments(self):
        """(name, set, row) of each PodSet that is known."""
        for one in self.row.get("podSetAssignments") or []:
            if one["name"] in self.sets:
                yield one["name"], self.sets[one["name"]], one

    def finished(self, name):
        """How many pods of a PodSet have given back their quota."""
        status = (self.item or {}).get("status") or {}
        return sum(one.get("count", 0) for one in status.get("reclaimablePods") or [] if one.get("name") == name)

    def requests(self, pod_set):
        return objects.pod_requests(pod_set["template"].get("spec") or {})


def job_named(world, row):
    for (namespace, name), job in world.jobs.items():
        if namespace == row["namespace"] and row["name"].startswith(f"job-{name}-") and "-" not in row["name"][len(name) + 5:]:
            return job
    return None


def admitted_before(item):
    conditions = ((item or {}).get("status") or {}).get("conditions") or []
    return any(one.get("type") in ("Admitted", "QuotaReserved") and one.get("status") == "True" for one in conditions)


def workloads_of(world):
    return [Workload(world, row) for row in world.decision["workloads"]]


def topology_of(world, assignment):
    flavors = {item["metadata"]["name"]: item for item in world.of("kueue.x-k8s.io", "ResourceFlavor")}
    for flavor in (assignment.get("flavors") or {}).values():
        name = (flavors.get(flavor, {}).get("spec") or {}).get("topologyName")
        if name in world.topologies:
            return world.topologies[name]
    return None


def nodes_at(world, levels, values):
    """The nodes of an assigned domain."""
    return [node for node in world.nodes.values()
            if all((node["metadata"].get("labels") or {}).get(label) == value for label, value in zip(levels, values))]


def assignments_are_whole(world):
    """Every pod of a new workload has a domain, and the domain has nodes that the flavor selects."""
    flavors = {item["metadata"]["name"]: item.get("spec") or {} for item in world.of("kueue.x-k8s.io", "ResourceFlavor")}
    for workload in workloads_of(world):
        if not workload.new:
            continue
        for name, pod_set, row in workload.assignments():
            what, assigned = f"{workload.name} {name}", row.get("topologyAssignment")
            if workload.item and row["count"] < pod_set.get("minCount", pod_set.get("count", 1)):
                yield what, f"{row['count']} pods assigned of {pod_set.get('count', 1)}"
            if not assigned:
                continue
            total = sum(one["count"] for one in assigned["domains"])
            size = int(request_of(pod_set, "podSetSliceSize", "kueue.x-k8s.io/podset-slice-size") or 1)
            # Kueue counts whole slices, and leaves out what is over.
            rest = row["count"] % size if world.config.get("placementProfile") == "kueue" else 0
            if total != row["count"] - rest:
                yield what, f"{total} of {row['count']} pods have a domain"
            wanted = {key: value for flavor in (row.get("flavors") or {}).values()
                      for key, value in (flavors.get(flavor, {}).get("nodeLabels") or {}).items()}
            for one in assigned["domains"] if world.has_plugin("predicates") else ():
                labels = [node["metadata"].get("labels") or {} for node in nodes_at(world, assigned["levels"], one["values"])]
                if not any(all(each.get(key) == value for key, value in wanted.items()) for each in labels):
                    yield what, f"{one['count']} pods in {one['values']}, where no node is of the flavor"


def paths_of(world, assigned, topology):
    """(whole path, count) of each assigned domain."""
    for one in assigned["domains"]:
        for node in nodes_at(world, assigned["levels"], one["values"])[:1]:
            labels = node["metadata"].get("labels") or {}
            yield [labels.get(label) for label in topology.labels], one["count"]


def request_of(pod_set, key, annotation):
    request = pod_set.get("topologyRequest") or {}
    annotations = (pod_set.get("template", {}).get("metadata") or {}).get("annotations") or {}
    return request.get(key) or annotations.get(annotation)


def required_topology_holds(world):
    """All pods of a new PodSet in one domain of its required level, whole slices in one of theirs."""
    for workload in workloads_of(world):
        for name, pod_set, row in workload.assignments() if workload.new else []:
            topology = topology_of(world, row)
            if topology is None or not row.get("topologyAssignment"):
                continue
            paths = list(paths_of(world, row["topologyAssignment"], topology))
            required = request_of(pod_set, "required", REQUIRED)
            if required in topology.labels:
                depth = topology.labels.index(required)
                domains = {tuple(path[:depth + 1]) for path, _ in paths}
                if len(domains) > 1:
                    yield f"{workload.name} {name}", f"in {len(domains)} domains of {required}: {sorted(domains, key=str)}"
            level = request_of(pod_set, "podSetSliceRequiredTopology", "kueue.x-k8s.io/podset-slice-required-topology")
            size = request_of(pod_set, "podSetSliceSize", "kueue.x-k8s.io/podset-slice-size")
            if level in topology.labels and size:
                depth, counts = topology.labels.index(level), collections.Counter()
                for path, count in paths:
                    counts[tuple(path[:depth + 1])] += count
                broken = sum(count % int(size) != 0 for count in counts.values())
                if broken > (row["count"] % int(size) != 0):
                    yield f"{workload.name} {name}", f"slices of {size} in {level} are cut: {dict(counts)}"


def slots_fit_the_nodes(world):
    """On nodes where a new workload has slots, all slots and all other pods fit together."""
    held, touched = collections.defaultdict(collections.Counter), {}
    for workload in workloads_of(world):
        for name, pod_set, row in workload.assignments() if workload.holds else []:
            assigned = row.get("topologyAssignment") or {}
            if not assigned or assigned["levels"][-1:] != [objects.HOSTNAME] or workload.finished(name):
                continue
            for one in assigned["domains"]:
                for node in nodes_at(world, assigned["levels"], one["values"])[:1]:
                    host = node["metadata"]["name"]
                    asks = {key: value * one["count"] for key, value in workload.requests(pod_set).items()}
                    held[host].update(asks)
                    if workload.new:
                        touched.setdefault(host, (f"{workload.name} {name}", set()))[1].update(key for key in asks if asks[key])
    standing = world.standing(later=True)
    for host, (what, resources) in sorted(touched.items()):
        for pod in standing[host]:
            if not world.of_workload(pod) and not pod.new:
                held[host].update(pod.requests)
        for resource in sorted(resources):
            most = world.allocatable[host].get(resource, 0)
            if held[host][resource] > most:
                yield what, f"{host}: {resource}: slots and pods hold {held[host][resource]} of {most}"


def pods_stand_in_slots(world):
    """New pods of a workload stand where its assignment has a slot for them, and only once it is admitted."""
    found = {workload.name: workload for workload in workloads_of(world)}
    for pod in world.pods:
        if not pod.new or not pod.placed or not world.of_workload(pod):
            continue
        workload = workload_of(world, found, pod)
        if workload is None:
            continue
        if not workload.holds:
            yield objects.text_of(pod.name), f"placed on {pod.node}, and {workload.name} is not admitted"
            continue
        rows = [row["topologyAssignment"] for _, _, row in workload.assignments() if row.get("topologyAssignment")]
        labels = (world.nodes[pod.node]["metadata"].get("labels") or {}) if pod.node in world.nodes else {}
        if rows and not any(all(labels.get(label) == value for label, value in zip(row["levels"], one["values"]))
                            for row in rows for one in row["domains"]):
            yield objects.text_of(pod.name), f"on {pod.node}, where {workload.name} has no slot"


def slots_are_kept(world):
    """Pods in the slots of an admitted workload are not moved for others: its ClusterQueue says who preempts it."""
    found = {workload.name: workload for workload in workloads_of(world)}
    pods = {pod.name: pod for pod in world.pods}
    for row in world.decision["evictions"]:
        pod = pods.get((row["namespace"], row["pod"]))
        workload = workload_of(world, found, pod) if pod and world.of_workload(pod) else None
        if workload and workload.holds and row["action"] in ("consolidation", "reclaim", "preempt"):
            if any(one.get("topologyAssignment") for _, _, one in workload.assignments()):
                yield objects.text_of(pod.name), f"moved by {row['action']}, and {workload.name} keeps its slots"


def moves_are_allowed(world):
    """What moves was admitted, its owner allows it, it goes elsewhere, and it makes room for something that is given it."""
    rows = {f"{row['namespace']}/{row['name']}": row for row in world.decision["workloads"]}
    for workload in workloads_of(world):
        row = workload.row
        if not row.get("movedFor"):
            continue
        source = workload.item or workload.job or {}
        notes = (source.get("metadata") or {}).get("annotations") or {}
        if notes.get("trellis.scheduler/movable") != "true":
            yield workload.name, "moved, and its owner does not allow it"
        if not row.get("evicted") or row["admitted"] or not row.get("promised"):
            yield workload.name, "moved, and it was not evicted, or is promised nothing"
        if row.get("promised") == row.get("movedFrom"):
            yield workload.name, "moved to where it was"
        name = row["movedFor"]["name"]
        taker = world.gangs.get(name, []) if row["movedFor"]["kind"] == "gang" else []
        if not any(pod.new and pod.placed for pod in taker) and not rows.get(name, {}).get("promised"):
            yield workload.name, f"moved for {name}, which was given nothing"


def workload_of(world, found, pod):
    name = objects.key_of(pod.item, "kueue.x-k8s.io/workload")
    if name:
        return found.get(f"{pod.namespace}/{name}")
    job = world.job_of(pod.gang)
    return next((one for one in found.values() if job is not None and one.job is job), None)


class Quotas:
    """Kueue's cohort tree for one flavor and resource."""

    def __init__(self, world, key):
        self.world, self.key = world, key
        self.queues = {item["metadata"]["name"]: item.get("spec") or {} for item in world.of("kueue.x-k8s.io", "ClusterQueue")}
        self.cohorts = {item["metadata"]["name"]: item.get("spec") or {} for item in world.of("kueue.x-k8s.io", "Cohort")}
        self.usage = collections.Counter()
        self.below = collections.defaultdict(list)
        for name, spec in self.queues.items():
            cohort = spec.get("cohortName") or spec.get("cohort")
            if cohort:
                self.below[cohort].append(("queue", name))
        for name, spec in self.cohorts.items():
            parent = spec.get("parentName") or spec.get("parent")
            if parent:
                self.below[parent].append(("cohort", name))

    def parent(self, one):
        kind, name = one
        spec = self.queues[name] if kind == "queue" else self.cohorts.get(name, {})
        above = spec.get("cohortName") or spec.get("cohort") if kind == "queue" else spec.get("parentName") or spec.get("parent")
        return ("cohort", above) if above else None

    def own(self, one, field):
        kind, name = one
        spec = self.queues.get(name, {}) if kind == "queue" else self.cohorts.get(name, {})
        for group in spec.get("resourceGroups") or []:
            for flavor in group.get("flavors") or []:
                for resource in flavor.get("resources") or []:
                    if (flavor["name"], resource["name"]) == self.key and resource.get(field) is not None:
                        return objects.quantity(resource[field], resource["name"], objects.MOST_QUOTA)
        return None

    def children(self, one):
        return self.below[one[1]] if one[0] == "cohort" else []

    def subtree(self, one):
        return (self.own(one, "nominalQuota") or 0) + sum(self.subtree(child) - self.kept(child) for child in self.children(one))

    def kept(self, one):
        """What it does not lend."""
        lending = self.own(one, "lendingLimit")
        return 0 if lending is None else max(0, self.subtree(one) - lending)

    def used(self, one):
        if one[0] == "queue":
            return self.usage[one[1]]
        return sum(max(0, self.used(child) - self.kept(child)) for child in self.children(one))

    def breaches(self, queue):
        """Where the use of a ClusterQueue is more than it may have."""
        one = ("queue", queue)
        while self.used(one) > self.kept(one):
            borrowing, above = self.own(one, "borrowingLimit"), self.parent(one)
            most = self.subtree(one)
            if above is None and self.used(one) > most:
                yield one[1], f"{self.key}: {self.used(one)} used, quota {most}"
            if above is not None and borrowing is not None and self.used(one) > most + borrowing:
                yield one[1], f"{self.key}: {self.used(one)} used, quota {most}, borrowing limit {borrowing}"
            if above is None:
                return
            one = above


def quotas_hold(world):
    """A ClusterQueue that admits a workload stays within its quota and what its cohort lends."""
    if not world.has_plugin("quota"):
        return
    usage, touched = collections.defaultdict(collections.Counter), set()
    for workload in workloads_of(world):
        for name, pod_set, row in workload.assignments() if workload.holds else []:
            for resource, flavor in (row.get("flavors") or {}).items():
                amount = (row["count"] - workload.finished(name)) * (workload.requests(pod_set).get(resource, 0))
                usage[flavor, resource][workload.cluster_queue] += amount
                if workload.new and amount:
                    touched.add((flavor, resource, workload.cluster_queue))
    for flavor, resource, queue in sorted(touched, key=str):
        quotas = Quotas(world, (flavor, resource))
        quotas.usage = usage[flavor, resource]
        if queue in quotas.queues:
            yield from quotas.breaches(queue)


RULES = [assignments_are_whole, required_topology_holds, slots_fit_the_nodes, pods_stand_in_slots, slots_are_kept,
         moves_are_allowed, quotas_hold]
