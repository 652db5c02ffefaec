"""Kueue's part of a random world: flavors, cohorts, queues, workloads, Jobs that make one."""

GPU = "nvidia.com/gpu"


class KueueMaker:
    """Of a world that generate.py makes."""

    def make_kueue(self):
        flavors = []
        for index in range(self.rng.randint(1, 2)):
            spec = {"nodeLabels": {"pool": "ab"[index]}} if self.chance(0.8) else {}
            if self.topologies and self.chance(0.85):
                spec["nodeLabels"] = spec.get("nodeLabels") or {"pool": "a"}
                spec["topologyName"] = self.topologies[0][0]
            if self.chance(0.15):
                spec["tolerations"] = [{"operator": "Exists"}]
            self.add("kueue.x-k8s.io/v1beta2", "ResourceFlavor", f"f{index}", spec=spec)
            flavors.append(f"f{index}")
        cohorts = ["c0", "c1"][:self.rng.randint(0, 2)] if "cohorts" in self.has else []
        for index, name in enumerate(cohorts):
            if self.chance(0.5):
                spec = {"parentName": "root"} if self.chance(0.5) else {}
                if self.chance(0.4):
                    spec["resourceGroups"] = self.resource_groups(flavors, True)
                self.add("kueue.x-k8s.io/v1beta2", "Cohort", name, spec=spec)
        for index in range(self.rng.randint(1, 3)):
            spec = {"namespaceSelector": {}, "resourceGroups": self.resource_groups(flavors, bool(cohorts))}
            if cohorts and self.chance(0.85):
                spec["cohortName"] = self.rng.choice(cohorts)
            if self.chance(0.6):
                spec["preemption"] = {"withinClusterQueue": self.rng.choice(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]),
                                      "reclaimWithinCohort": self.rng.choice(["Never", "LowerPriority", "Any"])}
            if self.chance(0.2):
                spec["queueingStrategy"] = "StrictFIFO"
            if self.chance(0.2):
                spec["flavorFungibility"] = {"whenCanBorrow": "TryNextFlavor"}
            self.add("kueue.x-k8s.io/v1beta2", "ClusterQueue", f"cq{index}", spec=spec)
            for namespace in ("default", "research"):
                self.add("kueue.x-k8s.io/v1beta2", "LocalQueue", f"lq{index}", namespace, spec={"clusterQueue": f"cq{index}"})
            self.local_queues.append(f"lq{index}")

    def resource_groups(self, flavors, lends):
        resources = ["cpu", GPU] if "gpus" in self.has else ["cpu"]
        if self.chance(0.2):
            resources.append("pods")
        rows = []
        for flavor in self.rng.sample(flavors, self.rng.randint(1, len(flavors))):
            row = []
            for resource in resources:
                one = {"name": resource, "nominalQuota": str(self.rng.choice([0, 2, 4, 8, 8, 20]))}
                if lends and self.chance(0.25):
                    one[self.rng.choice(["borrowingLimit", "lendingLimit"])] = str(self.rng.choice([0, 1, 3]))
                row.append(one)
            rows.append({"name": flavor, "resources": row})
        return [{"coveredResources": resources, "flavors": rows}]

    def workload_template(self):
        """A template that Kueue's resources cover."""
        template = self.template()
        requests = {"cpu": self.rng.choice(["500m", "1", "2"])}
        if "gpus" in self.has and self.chance(0.4):
            requests[GPU] = "1"
        template["spec"]["containers"] = [{"name": "c", "resources": {"requests": requests}}]
        template["spec"].pop("initContainers", None)
        template["spec"].pop("overhead", None)
        template["metadata"]["annotations"].pop("gpu-fraction", None)
        template["metadata"]["annotations"].pop("gpu-fraction-num-devices", None)
        if self.topologies and self.chance(0.7):
            levels = self.topologies[0][1]
            key = self.rng.choice(["podset-required-topology", "podset-required-topology", "podset-preferred-topology", "podset-unconstrained-topology"])
            template["metadata"]["annotations"][f"kueue.x-k8s.io/{key}"] = (
                "true" if "unconstrained" in key else self.rng.choice(levels))
            if self.chance(0.2):
                template["metadata"]["annotations"].update({"kueue.x-k8s.io/podset-slice-required-topology": levels[-1],
                                                            "kueue.x-k8s.io/podset-slice-size": "2"})
        return template

    def make_workload(self, name):
        sets = []
        for index in range(1 if self.chance(0.8) else 2):
            template = self.workload_template()
            annotations = template["metadata"]["annotations"]
            request = {}
            for key, field in (("podset-required-topology", "required"), ("podset-preferred-topology", "preferred"),
                               ("podset-slice-required-topology", "podSetSliceRequiredTopology")):
                if f"kueue.x-k8s.io/{key}" in annotations:
                    request[field] = annotations[f"kueue.x-k8s.io/{key}"]
            if "podSetSliceRequiredTopology" in request:
                request["podSetSliceSize"] = 2
            if "kueue.x-k8s.io/podset-unconstrained-topology" in annotations:
                request["unconstrained"] = True
            template["metadata"] = {}
            one = {"name": f"set{index}", "count": self.rng.randint(1, 5), "template": template}
            if request:
                one["topologyRequest"] = request
            sets.append(one)
        spec = {"queueName": self.rng.choice(self.local_queues), "podSets": sets}
        if self.chance(0.5):
            spec["priority"] = self.rng.choice([0, 10, 100])
        self.add("kueue.x-k8s.io/v1beta2", "Workload", name, self.namespace(), annotations=self.movable(), spec=spec)

    def movable(self):
        return {"trellis.scheduler/movable": "true"} if self.chance(0.5) else {}

    def make_kueue_job(self, name):
        count = self.rng.randint(1, 5)
        self.add("batch/v1", "Job", name, self.namespace(), labels={"kueue.x-k8s.io/queue-name": self.rng.choice(self.local_queues)}, annotations=self.movable(),
                 spec={"parallelism": count, "completions": count, "suspend": True, "template": self.workload_template()})
