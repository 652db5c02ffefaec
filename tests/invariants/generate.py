"""Random small worlds: 2 to 12 nodes, and a little of everything that a cluster may hold."""

import random

import generate_core
import generate_devices
import generate_kueue
import objects

NOW = "2026-01-01T12:00:00Z"
GPU = generate_kueue.GPU
BLOCK, RACK, CAGE, ZONE = "example.com/block", "example.com/rack", "example.com/cage", "zone"
ACTIONS = ["admit", "allocate", "consolidation", "reclaim", "preempt", "stalegangeviction", "defragmentation"]
PLUGINS = ["gang", "minruntime", "gpusharing", "nodeaffinity", "nodeavailability", "nodeplacement", "numa",
           "placementpreferences", "podaffinity", "podorder", "predicates", "priority", "proportion", "quota",
           "rank", "resourcetype", "topology", "topologyspread"]
CLASSES = {"low": 20, "mid": 60, "high": 90, "fixed": 150}
# What a world may have, and how often.
FEATURES = {"gpus": 0.7, "queues": 0.5, "topology": 0.7, "two_topologies": 0.15, "subgroups": 0.35, "segments": 0.3,
            "fractions": 0.25, "numa": 0.2, "kueue": 0.35, "cohorts": 0.6, "preferences": 0.2, "affinity": 0.3,
            "spread": 0.2, "ports": 0.15, "taints": 0.3, "closed": 0.25, "budgets": 0.15, "jobs": 0.4, "running": 0.7,
            "leaving": 0.3, "finished": 0.25, "priorities": 0.6, "many_namespaces": 0.15, "init": 0.15, "volumes": 0.1,
            "selectors": 0.25, "daemons": 0.05, "promised": 0.1, "gates": 0.1, "resized": 0.1, "claims": 0.05, "odd_config": 0.3, "deployments": 0.2,
            "movable": 0.3, "background": 0.25, "core": 0.25, "spares": 0.2}


class Maker(generate_kueue.KueueMaker, generate_core.CoreMaker, generate_devices.DeviceMaker):
    def __init__(self, seed, devices):
        self.rng = random.Random(seed)
        self.has = {name for name, chance in FEATURES.items() if self.rng.random() < chance}
        if "kueue" in self.has and self.chance(0.7):
            self.has.add("topology")
        self.items, self.nodes, self.free = [], [], {}
        self.topologies, self.queues, self.local_queues = [], [], []
        self.serial = 0
        if devices:
            self.begin_devices(seed)

    def chance(self, probability):
        return self.rng.random() < probability

    def add(self, version, kind, name, namespace=None, **rest):
        metadata = {"name": name}
        if namespace and namespace != "default":
            metadata["namespace"] = namespace
        for key in ("labels", "annotations", "ownerReferences", "finalizers"):
            if rest.get(key):
                metadata[key] = rest.pop(key)
            else:
                rest.pop(key, None)
        self.serial += 1
        if self.chance(0.7):
            metadata["creationTimestamp"] = f"2026-01-01T{self.rng.randint(0, 11):02}:{self.serial % 60:02}:00Z"
        item = {"apiVersion": version, "kind": kind, "metadata": {**metadata, **rest.pop("metadata", {})}, **rest}
        self.items.append(item)
        return item

    def world(self):
        self.make_topologies()
        self.make_nodes()
        if "devices" in self.has:
            self.make_devices()
        for name, value in CLASSES.items():
            self.add("scheduling.k8s.io/v1", "PriorityClass", name, value=value)
        if "queues" in self.has:
            self.make_queues()
        if "kueue" in self.has:
            self.make_kueue()
        for index in range(self.rng.randint(1, 7)):
            self.rng.choice([self.make_pod_group] * 4 + [self.make_job, self.make_lone_pod, self.make_replicas])(f"g{index}")
        if "core" in self.has:
            for index in range(self.rng.randint(1, 3)):
                self.make_core_group(f"c{index}")
        if "movable" in self.has:
            for index in range(self.rng.randint(2, 8)):
                self.make_movable(f"m{index}")
        if "kueue" in self.has:
            for index in range(self.rng.randint(1, 4)):
                self.rng.choice([self.make_workload, self.make_kueue_job])(f"w{index}")
        if "budgets" in self.has:
            self.add("policy/v1", "PodDisruptionBudget", "budget", spec={"maxUnavailable": 1, "selector": {"matchLabels": {"app": "a"}}},
                     status={"disruptionsAllowed": self.rng.randint(0, 2)})
        if "daemons" in self.has:
            self.add("apps/v1", "DaemonSet", "agent", spec={"template": {"spec": {"containers": [
                {"name": "c", "resources": {"requests": {"cpu": "500m"}}}]}}})
        return {"items": self.items, "config": self.make_config(), "now": NOW}

    def make_topologies(self):
        if "topology" not in self.has:
            return
        version = self.rng.choice(["kueue.x-k8s.io/v1beta2", "kai.scheduler/v1alpha1", "kueue.x-k8s.io/v1beta1"])
        levels = self.rng.choice([[BLOCK, RACK, objects.HOSTNAME], [RACK, objects.HOSTNAME], [BLOCK, RACK], [RACK],
                                  [objects.HOSTNAME], [BLOCK, RACK, CAGE, objects.HOSTNAME]])
        self.topologies.append(("hall", levels))
        if "two_topologies" in self.has:
            self.topologies.append(("power", [ZONE, objects.HOSTNAME] if self.chance(0.5) else [ZONE]))
        for name, levels in self.topologies:
            self.add(version, "Topology", name, spec={"levels": [{"nodeLabel": level} for level in levels]})

    def make_nodes(self):
        for index in range(self.rng.randint(2, 6) if self.chance(0.7) else self.rng.randint(2, 12)):
            name = f"n{index:02}"
            labels = {objects.HOSTNAME: name, "pool": self.rng.choice("ab")}
            for key, values in ((BLOCK, 2), (RACK, 3), (CAGE, 2), (ZONE, 2)):
                if self.chance(0.93):
                    labels[key] = f"{key[-4]}{self.rng.randrange(values)}"
            amounts = {"cpu": self.rng.choice(["4", "8", "7500m", "16"]), "memory": self.rng.choice(["16Gi", "32Gi"]),
                       "pods": self.rng.choice(["3", "5", "110", "110"])}
            if "gpus" in self.has and self.chance(0.8):
                amounts[GPU] = str(self.rng.choice([1, 2, 4, 8]))
                labels["nvidia.com/gpu.memory"] = "40000"
            if self.chance(0.1):
                amounts["example.com/nic"] = "2"
            spec, ready = {}, "True"
            if "taints" in self.has and self.chance(0.3):
                spec["taints"] = [{"key": "team", "value": self.rng.choice("xy"),
                                   "effect": self.rng.choice(["NoSchedule", "NoExecute", "PreferNoSchedule"])}]
            if "closed" in self.has and self.chance(0.25):
                if self.chance(0.5):
                    spec["unschedulable"] = True
                else:
                    ready = self.rng.choice(["False", "Unknown"])
            status = {"allocatable": amounts}
            if ready != "True" or self.chance(0.8):
                status["conditions"] = [{"type": "Ready", "status": ready}]
            self.nodes.append(self.add("v1", "Node", name, labels=labels, spec=spec, status=status))
            self.free[name] = objects.amounts(amounts)
            if "numa" in self.has and self.chance(0.7):
                self.make_zones(name, amounts)

    def make_zones(self, name, amounts):
        zones = []
        for zone in range(2):
            resources = []
            for resource in ("cpu", GPU):
                if resource in amounts:
                    part = str(objects.quantity(amounts[resource], resource) // (2000 if resource == "cpu" else 2))
                    resources.append({"name": resource, "capacity": part, "allocatable": part, "available": part})
            zones.append({"name": f"node-{zone}", "type": "Node", "resources": resources})
        policy = self.rng.choice(["single-numa-node", "restricted", "best-effort", "none"])
        self.add("topology.node.k8s.io/v1alpha2", "NodeResourceTopology", name, zones=zones,
                 attributes=[{"name": "topologyManagerPolicy", "value": policy},
                             {"name": "topologyManagerScope", "value": self.rng.choice(["pod", "container"])}])

    def make_queues(self):
        names = []
        for index in range(self.rng.randint(1, 4)):
            name = f"q{index}"
            spec = {"resources": {}}
            if names and self.chance(0.5):
                spec["parentQueue"] = self.rng.choice(names)
            for resource, values in (("gpu", [0, 1, 2, 4, -1]), ("cpu", [-1, -1, 0, 4000, 8000]), ("memory", [-1, -1, -1, 8000])):
                part = {"quota": self.rng.choice(values), "overQuotaWeight": self.rng.choice([0, 1, 1, 2])}
                if self.chance(0.4):
                    part["limit"] = self.rng.choice([*values, 4, 6, -1] if resource == "gpu" else values)
                spec["resources"][resource] = part
            if self.chance(0.3):
                spec["priority"] = self.rng.choice([50, 100, 200])
            if self.chance(0.1):
                spec[self.rng.choice(["preemptMinRuntime", "reclaimMinRuntime"])] = self.rng.choice(["10s", "1h"])
            self.add("scheduling.run.ai/v2", "Queue", name, spec=spec)
            names.append(name)
        parents = {item["spec"].get("parentQueue") for item in self.items if item["kind"] == "Queue"}
        self.queues = [name for name in names if name not in parents or self.chance(0.1)]

    def namespace(self):
        return self.rng.choice(["default", "research"]) if "many_namespaces" in self.has else "default"

    def containers(self):
        requests = {}
        if self.chance(0.85):
            requests["cpu"] = self.rng.choice(["500m", "1", "1", "2", "3", "4"])
        if self.chance(0.4):
            requests["memory"] = self.rng.choice(["1Gi", "4Gi", "9Gi"])
        gpus = {}
        if "gpus" in self.has and self.chance(0.55):
            gpus = {GPU: self.rng.choice(["1", "1", "2", "4"])}
        if self.chance(0.05):
            requests["example.com/nic"] = "1"
        resources = {"requests": {**requests, **gpus}} if self.chance(0.7) else {"limits": {**requests, **gpus}}
        container = {"name": "c", "resources": resources}
        if "ports" in self.has and self.chance(0.3):
            container["ports"] = [{"containerPort": 80, "hostPort": self.rng.choice([80, 81])}]
            if self.chance(0.2):
                container["ports"][0]["hostIP"] = self.rng.choice(["10.0.0.1", "0.0.0.0"])
        return [container]

    def pod_spec(self):
        """What pods of a gang have in common."""
        spec = {"containers": self.containers()}
        if "priorities" in self.has and self.chance(0.6):
            spec["priorityClassName"] = self.rng.choice(list(CLASSES))
        if "taints" in self.has and self.chance(0.5):
            spec["tolerations"] = [self.rng.choice([{"operator": "Exists"}, {"key": "team", "operator": "Exists"},
                                                    {"key": "team", "value": "x", "effect": "NoSchedule"}])]
        if "selectors" in self.has and self.chance(0.4):
            if self.chance(0.5):
                spec["nodeSelector"] = {"pool": self.rng.choice("ab")}
            else:
                expression = self.rng.choice([{"key": "pool", "operator": "NotIn", "values": ["a"]},
                                              {"key": RACK, "operator": "Exists"},
                                              {"key": objects.HOSTNAME, "operator": "In", "values": ["n00", "n01"]}])
                spec["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
                    "nodeSelectorTerms": [{"matchExpressions": [expression]}]}}}
        if "affinity" in self.has and self.chance(0.4):
            kind = self.rng.choice(["podAffinity", "podAntiAffinity", "podAntiAffinity"])
            term = {"topologyKey": self.rng.choice([objects.HOSTNAME, RACK, ZONE]),
                    "labelSelector": {"matchLabels": {"app": self.rng.choice("ab")}}}
            if self.chance(0.15):
                term["namespaceSelector"] = {}
            spec.setdefault("affinity", {})[kind] = {"requiredDuringSchedulingIgnoredDuringExecution": [term]}
        if "spread" in self.has and self.chance(0.5):
            spec["topologySpreadConstraints"] = [{
                "maxSkew": self.rng.choice([1, 1, 2]), "topologyKey": self.rng.choice([objects.HOSTNAME, RACK, ZONE]),
                "whenUnsatisfiable": self.rng.choice(["DoNotSchedule", "DoNotSchedule", "ScheduleAnyway"]),
                "labelSelector": {"matchLabels": {"app": self.rng.choice("ab")}}}]
        if "init" in self.has and self.chance(0.5):
            spec["initContainers"] = [{"name": "i", "resources": {"requests": {"cpu": self.rng.choice(["1", "5"])}}}]
            if self.chance(0.5):
                spec["initContainers"][0]["restartPolicy"] = "Always"
            if self.chance(0.3):
                spec["overhead"] = {"cpu": "250m"}
        return spec

    def words(self):
        """Labels and annotations that pods of a gang have in common."""
        labels = {"app": self.rng.choice("abc")}
        annotations = {}
        if "fractions" in self.has and "gpus" in self.has and self.chance(0.5):
            annotations["gpu-fraction"] = self.rng.choice(["0.5", "0.25", "0.7", "0.34"])
            if self.chance(0.2):
                annotations["gpu-fraction-num-devices"] = "2"
        return labels, annotations

    def level(self):
        """(topology, a level of it)."""
        name, levels = self.rng.choice(self.topologies)
        label = self.rng.choice(levels)
        return name, label if self.chance(0.7) else label.rpartition("/")[2]

    def constraint(self, most=0.6):
        found = {}
        if self.topologies and self.chance(most):
            found["topology"], found[self.rng.choice(["requiredTopologyLevel"] * 2 + ["preferredTopologyLevel"])] = self.level()
        return found

    def queue(self):
        return self.rng.choice(self.queues) if self.queues and self.chance(0.9) else None

    def make_pod_group(self, name):
        namespace, count = self.namespace(), self.rng.randint(1, 5)
        spec, annotations, leaves = {}, {}, [None]
        if self.chance(0.8):
            spec["minMember"] = self.rng.randint(1, count) if self.chance(0.93) else count + 1
        constraint = self.constraint()
        if constraint:
            spec["topologyConstraint"] = constraint
        if self.queue():
            spec["queue"] = self.queue() or self.queues[0]
        if "priorities" in self.has and self.chance(0.5):
            spec["priorityClassName"] = self.rng.choice(list(CLASSES))
        if self.chance(0.15):
            spec["preemptibility"] = self.rng.choice(["preemptible", "non-preemptible"])
        if "subgroups" in self.has and self.chance(0.6):
            spec.pop("minMember", None) if self.chance(0.8) else None
            leaves = self.make_subgroups(spec)
        if "minMember" in spec and "subGroups" not in spec and self.chance(0.15):
            spec["preemptibility"] = "semi-preemptible"
        if "segments" in self.has and self.topologies and self.chance(0.5):
            topology, level = self.level()
            annotations = {"kai.scheduler/segment-size": str(self.rng.randint(1, 3)),
                           self.rng.choice(["kai.scheduler/segment-topology-required-placement"] * 2 +
                                           ["kai.scheduler/segment-topology-preferred-placement"]): level}
            if "topologyConstraint" not in spec:
                annotations["kai.scheduler/topology"] = topology
        if "preferences" in self.has and self.chance(0.5):
            annotations["trellis.scheduler/placement-preferences"] = self.rng.choice([
                '[{"spread":{"label":"zone"}}]', '[{"pack":{"label":"example.com/rack"}},{"spread":{"node":true}}]',
                '[{"spread":{"label":"zone","hard":true}}]', '[{"spread":{"resource":"cpu"}}]', "[]"])
        if self.chance(0.05):
            annotations["trellis.scheduler/max-pods-per-node"] = "1"
        if "background" in self.has and self.chance(0.3):
            annotations["trellis.scheduler/background"] = "true"
        if self.chance(0.1):
            annotations["trellis.scheduler/near"] = self.rng.choice(["a", "b"])
        if "spares" in self.has and self.chance(0.5):
            annotations["trellis.scheduler/spares"] = str(self.rng.randint(1, 2))
        if "movable" in self.has and self.chance(0.8):
            annotations["trellis.scheduler/movable"] = "true"
        self.add("scheduling.run.ai/v2alpha2", "PodGroup", name, namespace, annotations=annotations, spec=spec)
        self.make_pods(name, namespace, count, leaves, {"pod-group-name": name})

    def make_movable(self, name):
        """A pod that may move, in most worlds a running one."""
        namespace = self.namespace()
        self.add("scheduling.run.ai/v2alpha2", "PodGroup", name, namespace, spec={"minMember": 1},
                 annotations={"trellis.scheduler/movable": "true"})
        self.make_pods(name, namespace, 1, annotations={"pod-group-name": name})

    def make_subgroups(self, spec):
        """Adds a tree of them; returns the names of its leaves."""
        subgroups, parents = [], set()
        for index in range(self.rng.randint(1, 4)):
            one = {"name": f"s{index}"}
            if self.chance(0.6):
                one["minMember"] = self.rng.choice([0, 1, 1, 2, 2, 3])
            if subgroups and self.chance(0.35):
                one["parent"] = self.rng.choice(subgroups)["name"]
                parents.add(one["parent"])
            constraint = self.constraint(0.5)
            if constraint:
                one["topologyConstraint"] = constraint
            subgroups.append(one)
        for one in subgroups:
            if one["name"] in parents:
                one.pop("minMember", None)
                if self.chance(0.2):
                    one["minSubGroup"] = 1
        if self.chance(0.2):
            spec["minSubGroup"] = 1
        spec["subGroups"] = subgroups
        return [one["name"] for one in subgroups if one["name"] not in parents]

    def make_pods(self, name, namespace, count, leaves=(None,), annotations=None, owner=None, labels=None, more=None):
        """Pods of a gang; some run, some are finished, some are leaving."""
        spec, (common_labels, common) = self.pod_spec(), self.words()
        runs = "running" in self.has and self.chance(0.5)
        asked = self.asked_devices(name, namespace)
        for index in range(max(count, len(leaves))):
            own = {**spec, **(more or {})}
            if self.chance(0.12):
                own["containers"] = self.containers()
            if "gpu-fraction" in common:
                own["containers"] = without_gpus(own["containers"])
            mine = {**common_labels, **(labels or {})}
            leaf = leaves[index % len(leaves)]
            if leaf:
                mine["kai.scheduler/subgroup-name"] = leaf
            if self.queues and not annotations and self.chance(0.5):
                mine["kai.scheduler/queue"] = self.queues[0]
            pod = {"labels": mine, "annotations": {**common, **(annotations or {})}, "spec": own}
            if "volumes" in self.has and self.chance(0.3):
                self.make_volume(f"{name}-{index}", namespace, own)
            if "claims" in self.has and self.chance(0.3):
                own["resourceClaims"] = [{"name": "d", "resourceClaimName": "claim"}]
            if "gates" in self.has and self.chance(0.2):
                own["schedulingGates"] = [{"name": "example.com/wait"}]
            elif runs and self.chance(0.9) or "leaving" in self.has and self.chance(0.1):
                self.let_run(pod, own)
            elif "promised" in self.has and self.chance(0.2):
                pod["status"] = {"phase": "Pending", "nominatedNodeName": self.rng.choice(self.nodes)["metadata"]["name"]}
            if owner:
                pod["metadata"] = {"ownerReferences": [owner]}
            if "leaving" in self.has and "nodeName" in own and self.chance(0.3):
                since = "2026-01-01T11:50:00Z" if self.chance(0.2) else NOW
                pod.setdefault("metadata", {})["deletionTimestamp"] = since
                if self.chance(0.2):
                    pod["metadata"]["finalizers"] = ["example.com/keep"]
            if asked:
                self.claim_devices(f"{name}-{index}", namespace, pod, own, asked)
            self.add("v1", "Pod", f"{name}-{index}", namespace, **pod)

    def let_run(self, pod, spec):
        """On a node that has room, seldom on one that has none."""
        requests = objects.pod_requests(spec)
        share = objects.key_of({"metadata": pod}, "gpu-fraction")
        names = [name for name, free in self.free.items()
                 if all(free.get(resource, 0) >= amount for resource, amount in requests.items())]
        if share:
            names = [name for name in names if self.free[name].get(GPU, 0) >= 1]
        if not names and not self.chance(0.05):
            return
        name = self.rng.choice(names or list(self.free))
        for resource, amount in requests.items():
            self.free[name][resource] = self.free[name].get(resource, 0) - amount
        if share:
            self.free[name][GPU] = self.free[name].get(GPU, 0) - 1
            pod["labels"]["runai-gpu-group"] = f"{name}-gpu-{self.serial}"
        spec["nodeName"] = name
        finished = "finished" in self.has and self.chance(0.25)
        phase = self.rng.choice(["Succeeded", "Failed"]) if finished else "Running" if self.chance(0.9) else "Pending"
        pod["status"] = {"phase": phase, "startTime": f"2026-01-01T11:{self.rng.randint(0, 59):02}:00Z"}
        if "resized" in self.has and self.chance(0.5):
            resources = spec["containers"][0]["resources"]
            has = {**(resources.get("limits") or resources.get("requests") or {}), "cpu": self.rng.choice(["1", "2", "3", "6"])}
            reported = {"allocatedResources": has} if self.chance(0.5) else {"resources": {"requests": has}}
            pod["status"]["containerStatuses"] = [{"name": "c", **reported}]
            if self.chance(0.2):
                pod["status"]["conditions"] = [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}]

    def make_volume(self, name, namespace, spec):
        spec["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
        if self.chance(0.2):
            return
        bound = self.chance(0.8)
        done = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}} if bound else {}
        self.add("v1", "PersistentVolumeClaim", name, namespace, spec={"volumeName": f"pv-{name}"} if bound else {}, **done)
        self.add("v1", "PersistentVolume", f"pv-{name}", spec={"nodeAffinity": {"required": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "pool", "operator": "In", "values": [self.rng.choice("ab")]}]}]}}})

    def template(self):
        labels, annotations = self.words()
        spec = self.pod_spec()
        if "gpu-fraction" in annotations:
            spec["containers"] = without_gpus(spec["containers"])
        return {"metadata": {"labels": labels, "annotations": annotations}, "spec": spec}

    def make_job(self, name):
        count = self.rng.randint(1, 4)
        annotations = {}
        if self.topologies and self.chance(0.5):
            annotations["kai.scheduler/topology"], annotations["kai.scheduler/topology-required-placement"] = self.level()
        labels = {"kai.scheduler/queue": self.queue()} if self.queue() else {}
        self.add("batch/v1", "Job", name, self.namespace(), annotations=annotations,
                 labels={key: value for key, value in labels.items() if value},
                 spec={"parallelism": count, "completions": count, "template": self.template()})

    def make_lone_pod(self, name):
        self.make_pods(name, self.namespace(), 1)

    def make_replicas(self, name):
        kind = self.rng.choice(["ReplicaSet", "StatefulSet"])
        namespace = self.namespace()
        spec = {"replicas": 3, "template": self.template()}
        self.add("apps/v1", kind, name, namespace, metadata={"uid": f"uid-{name}"}, spec=spec)
        owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": f"uid-{name}", "controller": True}
        pods = self.rng.randint(1, 3)
        if pods != 2:  # else one is still to be made
            spec["replicas"] = pods
        self.make_pods(name, namespace, pods, owner=owner)

    def make_config(self):
        config = {}
        if "movable" in self.has:
            config["defragmentation"] = {"enabled": True, "minGain": self.rng.choice([0, 0.5]),
                                         "maxMovedGPUsPerHour": self.rng.choice([1, 4, 100])}
        if "odd_config" not in self.has:
            return config
        if self.chance(0.4):
            config["plugins"] = {name: {"enabled": False} for name in self.rng.sample(PLUGINS, self.rng.randint(1, 3))}
        if self.chance(0.3):
            config["actions"] = [name for name in ACTIONS if self.chance(0.75)]
        if self.chance(0.4):
            config["placementStrategy"] = {key: self.rng.choice(["binpack", "spread"]) for key in ("gpu", "cpu", "domain")}
        if self.chance(0.15):
            config["placementProfile"] = "kueue"
        if self.chance(0.2):
            config["queues"] = {"fullHierarchy": self.chance(0.5), "allowConsolidatingReclaim": self.chance(0.5)}
        limits = {}
        if self.chance(0.15):
            limits["searchBudget"] = self.rng.choice([1, 10, 100])
        if self.chance(0.15):
            limits["reserveAfter"] = "1s"
        if self.chance(0.3):
            limits["lookAhead"] = self.rng.choice([0, 2, 5])
        if self.chance(0.15):
            limits["consolidationVictims"] = self.rng.choice([-1, 0, 1])
        if limits:
            config["limits"] = limits
        return config


def without_gpus(containers):
    """A pod asks for a part of a device, or for whole ones."""
    return [{**container, "resources": {kind: {name: value for name, value in some.items() if name != GPU}
                                        for kind, some in container["resources"].items()}} for container in containers]


def make_world(seed, devices=False):
    """With `devices`, some worlds have claims for devices, too."""
    return Maker(seed, devices).world()
