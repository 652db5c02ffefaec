"""A world as its objects say, and what a decision made of it."""

import re

import objects

PLACED = ("Running", "Bound", "Pipelined")
KUEUE_GROUP = "kueue.x-k8s.io"


class Pod:
    """A pod of the input, or one that its owner makes, and the row of the decision about it."""

    def __init__(self, item, name, row):
        self.item = item
        self.name = name
        self.namespace = name[0]
        self.spec = item.get("spec") or {}
        self.metadata = item.get("metadata") or {}
        self.labels = self.metadata.get("labels") or {}
        self.requests = objects.held_by_resized(item)
        if ((item.get("metadata") or {}).get("labels") or {}).get("app") in objects.GPU_RESERVATIONS:
            self.requests.pop("nvidia.com/gpu", None)
        self.ran_on = self.spec.get("nodeName")
        self.phase = (item.get("status") or {}).get("phase") or "Pending"
        self.leaves = bool(self.metadata.get("deletionTimestamp"))
        self.promised = bool((item.get("status") or {}).get("nominatedNodeName"))
        self.row = row
        self.status = row["status"]
        self.node = row.get("node")
        self.gang = row.get("gang")
        self.action = row.get("action")
        self.evicted = self.status == "Evicted" or bool(row.get("evicted"))

    @property
    def placed(self):
        return self.status in PLACED

    @property
    def new(self):
        """This decision gave it its node."""
        return self.status == "Pipelined" or (self.status == "Bound" and not self.ran_on)

    def came(self, later):
        """Whether this decision brought it to where it stands now, or will; one that is moved stands where it was."""
        return self.new and (later or self.status == "Bound")

    def holds_now(self):
        """The node that it stands on until it has left."""
        if self.status in ("Running", "Bound", "Evicted", "Releasing"):
            return self.node
        return self.ran_on if self.evicted else None

    def holds_later(self):
        return self.node if self.placed else None

    def may_be_held(self):
        """It may wait for something else than room: its gates, its claims."""
        return any(self.spec.get(key) for key in ("schedulingGates", "resourceClaims", "volumes"))

    def shares_gpus(self):
        return any(objects.key_of(self.item, key) is not None for key in ("gpu-fraction", "gpu-memory"))

    def gpus(self):
        """Whole devices, and parts of devices, in thousandths."""
        whole = sum(1000 * self.requests.get(name, 0) for name in objects.GPU_NAMES)
        return whole + sum(round(1000 * float(one["portion"])) for one in self.row.get("gpus") or [])


class Topology:
    def __init__(self, item):
        levels = item["spec"]["levels"]
        self.labels = [level["nodeLabel"] for level in levels]
        self.aliases = [level.get("alias") for level in levels]

    def depth(self, word):
        """The index of a level by its label, its alias, or its last part where that is unique."""
        for names in (self.labels, self.aliases):
            if word in names:
                return names.index(word)
        tails = [label.rpartition("/")[2] for label in self.labels]
        return tails.index(word) if tails.count(word) == 1 else None

    def path(self, node, depth):
        """The values down to that level; None where the node lacks one."""
        labels = node["metadata"].get("labels") or {}
        values = []
        for label in self.labels[:depth + 1]:
            if label == "trellis.scheduler/numa-zone":
                continue
            if label not in labels:
                return None
            values.append(labels[label] or "")
        return tuple(values)


class World:
    def __init__(self, items, decision, config=None):
        self.decision = decision
        self.config = config or {}
        self.by_kind = {}
        for item in items:
            if isinstance(item, dict):
                self.by_kind.setdefault((group_of(item), item.get("kind")), []).append(item)
        self.nodes = {item["metadata"]["name"]: item for item in self.of("", "Node")}
        self.groups = self.named("scheduling.run.ai", "PodGroup")
        self.core_groups = self.named("scheduling.k8s.io", "PodGroup")
        self.composites = self.named("scheduling.k8s.io", "CompositePodGroup")
        self.jobs = self.named("batch", "Job")
        self.replicated = {**self.named("apps", "ReplicaSet"), **self.named("apps", "StatefulSet")}
        self.queues = {item["metadata"]["name"]: item for item in self.of("scheduling.run.ai", "Queue")}
        self.namespaces = {item["metadata"]["name"]: item["metadata"].get("labels") or {}
                           for item in self.of("", "Namespace")}
        self.topologies = {}
        for group in (KUEUE_GROUP, "kai.scheduler"):
            for item in self.of(group, "Topology"):
                self.topologies.setdefault(item["metadata"]["name"], Topology(item))
        for core in [*self.core_groups.values(), *self.composites.values(), *map(scheduling_of, self.jobs.values())]:
            self.add_label_topologies(core)
        self.classes = {item["metadata"]["name"]: item for item in self.of("scheduling.k8s.io", "PriorityClass")}
        self.pods = self.read_pods()
        self.gangs = {}
        for pod in self.pods:
            self.gangs.setdefault(pod.gang, []).append(pod)
        self.gang_rows = {f"{row['namespace']}/{row['name']}": row for row in decision["gangs"]}
        self.allocatable = {name: node_amounts(node) for name, node in self.nodes.items()}
        self.device_resources = set()
        for item in self.of("resource.k8s.io", "DeviceClass"):
            self.device_resources |= {(item.get("spec") or {}).get("extendedResourceName"),
                                      "deviceclass.resource.kubernetes.io/" + item["metadata"]["name"]}
        self.device_nodes = self.nodes_with_devices()

    def nodes_with_devices(self):
        """The nodes that ResourceSlices may reach."""
        found = set()
        for item in self.of("resource.k8s.io", "ResourceSlice"):
            name = (item.get("spec") or {}).get("nodeName")
            found |= {name} if name else set(self.nodes)
        return found

    def add_label_topologies(self, core):
        """A group of Kubernetes may require a label that no Topology has."""
        for key in required_keys(core):
            if all(key not in topology.labels for topology in self.topologies.values()):
                made = {"spec": {"levels": [{"nodeLabel": key}]}}
                self.topologies["label:" + key.replace("/", ":")] = Topology(made)

    def of(self, group, kind):
        return self.by_kind.get((group, kind), [])

    def named(self, group, kind):
        found = {}
        for item in self.of(group, kind):
            found.setdefault(objects.name_of(item), item)
        return found

    def read_pods(self):
        items = self.named("", "Pod")
        pods = []
        for row in self.decision["pods"]:
            name = (row["namespace"], row["name"])
            item = items.get(name) or self.made_by_job(name) or self.made_by_replicas(name)
            if item is not None:
                pods.append(Pod(item, name, row))
        return pods

    def made_by_job(self, name):
        """A pod that is not in the input, and is one of a Job."""
        job = self.jobs.get((name[0], name[1].rpartition("-")[0]))
        if job is None:
            return None
        template = job["spec"]["template"]
        metadata = {**(template.get("metadata") or {}), "namespace": name[0], "name": name[1]}
        added = {"batch.kubernetes.io/job-name": job["metadata"]["name"], "job-name": job["metadata"]["name"]}
        metadata["labels"] = {**(metadata.get("labels") or {}), **added}
        return {"metadata": metadata, "spec": template.get("spec") or {}, "job": objects.text_of(objects.name_of(job))}

    def made_by_replicas(self, name):
        owner = self.replicated.get((name[0], name[1].rpartition("-")[0]))
        if owner is None:
            return None
        template = owner["spec"]["template"]
        metadata = {**(template.get("metadata") or {}), "namespace": name[0], "name": name[1], "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": owner["kind"], "name": owner["metadata"]["name"], "controller": True}]}
        return {"metadata": metadata, "spec": template.get("spec") or {}}

    def has_plugin(self, name):
        plugins = self.config.get("plugins") or {}
        return (plugins.get(name) or {}).get("enabled", True)

    def standing(self, later):
        """Node -> the pods that hold it now, or once those that leave have left."""
        found = {name: [] for name in self.nodes}
        for pod in self.pods:
            node = pod.holds_later() if later else pod.holds_now()
            if node in found:
                found[node].append(pod)
        return found

    def group_of(self, gang):
        """The PodGroup of a gang, where its pods name one."""
        for pod in self.gangs.get(gang, []):
            name = objects.key_of(pod.item, "pod-group-name")
            if name:
                return self.groups.get((pod.namespace, name))
            core = self.core_groups.get((pod.namespace, objects.core_group_name(pod.item)))
            return self.as_run_ais(core) if core else None
        return None

    def as_run_ais(self, core):
        """A PodGroup of scheduling.k8s.io, or the tree that it is in, as one of scheduling.run.ai."""
        root = self.root_of(core)
        spec = root["spec"]
        made = {"topologyConstraint": constraint} if (constraint := self.constraint_of(root)) else {}
        if "priorityClassName" in spec:
            made["priorityClassName"] = spec["priorityClassName"]
        if root is core:
            made["minMember"] = gang_of(root).get("minCount", 1)
        else:
            made["minSubGroup"] = gang_of(root).get("minGroupCount", 0)
            made["subGroups"] = list(self.parts_of(root))
        return {"metadata": root["metadata"], "spec": made}

    def parent_of(self, core):
        name = core["spec"].get("parentCompositePodGroupName")
        return self.composites.get((objects.name_of(core)[0], name)) if name else None

    def root_of(self, core):
        while (parent := self.parent_of(core)) is not None:
            core = parent
        return core

    def parts_of(self, root):
        """The groups below a CompositePodGroup as subgroups; a group of groups is distinguished by its kind."""
        for minimum, named, groups in (("minMember", "{}", self.core_groups), ("minSubGroup", "groups {}", self.composites)):
            for core in groups.values():
                parent = self.parent_of(core)
                if parent is None or self.root_of(core) is not root:
                    continue
                one = {"name": named.format(core["metadata"]["name"]), "topologyConstraint": self.constraint_of(core),
                       minimum: gang_of(core).get("minCount" if groups is self.core_groups else "minGroupCount", 0)}
                if parent is not root:
                    one["parent"] = "groups " + parent["metadata"]["name"]
                yield one

    def constraint_of(self, core):
        """The last of the levels that it requires."""
        made = {}
        for key in required_keys(core):
            having = sorted(name for name, topology in self.topologies.items() if key in topology.labels)
            made = {"topology": having[0] if having else "", "requiredTopologyLevel": key}
        return made

    def job_of(self, gang):
        for pod in self.gangs.get(gang, []):
            if objects.key_of(pod.item, "pod-group-name"):
                return None
            if pod.item.get("job"):
                namespace, _, name = pod.item["job"].partition("/")
                return self.jobs.get((namespace, name))
            for owner in pod.metadata.get("ownerReferences") or []:
                if isinstance(owner, dict) and owner.get("kind") == "Job":
                    return self.jobs.get((pod.namespace, owner.get("name")))
        return None

    def of_workload(self, pod):
        """Whether Kueue's quota decides about it."""
        if objects.key_of(pod.item, "kueue.x-k8s.io/workload"):
            return True
        job = self.job_of(pod.gang)
        return any("kueue.x-k8s.io/queue-name" in (item["metadata"].get("labels") or {})
                   for item in (job, pod.item) if item and "metadata" in item)


def gang_of(core):
    """The policy of a group of scheduling.k8s.io that is a gang; empty for one that is none."""
    return (core["spec"].get("schedulingPolicy") or {}).get("gang") or {}


def scheduling_of(job):
    """The group that a Job asks for."""
    spec = job.get("spec")
    scheduling = spec.get("scheduling") if isinstance(spec, dict) else None
    return {"spec": scheduling if isinstance(scheduling, dict) else {}}


def required_keys(core):
    """The labels that a PodGroup of scheduling.k8s.io requires, whatever a mutated world has in their place."""
    found = core
    for part in ("spec", "schedulingConstraints", "topology"):
        found = found.get(part) if isinstance(found, dict) else None
    return [level["key"] for level in found if isinstance(level, dict) and isinstance(level.get("key"), str)] \
        if isinstance(found, list) else []


def group_of(item):
    group, slash, _ = str(item.get("apiVersion", "")).rpartition("/")
    return group if slash else ""


def node_amounts(node):
    status = node.get("status") or {}
    found = objects.amounts(status.get("allocatable") or status.get("capacity"))
    found.setdefault("pods", 0)
    return found


def number_in(name):
    found = re.search(r"(\d+)$", name)
    return int(found[1]) if found else None
