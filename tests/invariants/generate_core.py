"""Gangs of Kubernetes itself for random worlds: PodGroups of scheduling.k8s.io."""


class CoreMaker:
    def make_core_group(self, name):
        namespace, count = self.namespace(), self.rng.randint(1, 5)
        least = self.rng.randint(1, count) if self.chance(0.93) else count + 1
        spec = {"schedulingPolicy": {"basic": {}} if self.chance(0.15) else {"gang": {"minCount": least}}}
        if self.chance(0.4):
            _, levels = self.rng.choice([*self.topologies, ("none", ["pool", "example.com/zone"])])
            spec["schedulingConstraints"] = {"topology": [{"key": self.rng.choice(levels)}]}
        if "priorities" in self.has and self.chance(0.5):
            spec["priorityClassName"] = self.rng.choice(["low", "mid", "high"])
        if self.chance(0.4):
            spec["disruptionMode"] = {self.rng.choice(["single", "all"]): {}}
        self.group = self.add("scheduling.k8s.io/v1beta1", "PodGroup", name, namespace, spec=spec)
        self.make_pods(name, namespace, count, more={"schedulingGroup": {"podGroupName": name}})
        self.group = None
