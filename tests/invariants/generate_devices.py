"""Devices for random worlds: ResourceSlices, DeviceClasses, claims that run and claims that wait."""

import random

DRIVER, FABRIC = "dev.example.com", "fabric.example.com"
ASKED = {
    "one": [{"name": "r", "exactly": {"deviceClassName": "dev", "count": 1}}],
    "two": [{"name": "r", "exactly": {"deviceClassName": "dev", "count": 2}}],
    "fast": [{"name": "r", "exactly": {"deviceClassName": "fast"}}],
    "either": [{"name": "r", "firstAvailable": [{"name": "a", "deviceClassName": "fast"}, {"name": "b", "deviceClassName": "dev"}]}],
    "all": [{"name": "r", "exactly": {"deviceClassName": "dev", "allocationMode": "All"}}],
    "like": [{"name": "r", "exactly": {"deviceClassName": "dev"}}, {"name": "s", "exactly": {"deviceClassName": "dev"}}],
    "fabric": [{"name": "r", "exactly": {"deviceClassName": "fabric"}}],
}
ALIKE = [{"matchAttribute": f"{DRIVER}/model", "requests": ["r", "s"]}]


class DeviceMaker:
    """Draws from numbers of its own, so that worlds without devices stay as they are."""

    def begin_devices(self, seed):
        self.draw = random.Random(f"devices {seed}")
        self.left, self.made_templates, self.shared = {}, set(), {}
        self.group = None  # the PodGroup of Kubernetes that pods are made for
        if self.draw.random() < 0.25:
            self.has.add("devices")

    def make_devices(self):
        for name, driver, more in (("dev", DRIVER, ""), ("fast", DRIVER, f' && device.attributes["{DRIVER}"].model == "b"'),
                                   ("fabric", FABRIC, "")):
            self.add("resource.k8s.io/v1", "DeviceClass", name,
                     spec={"selectors": [{"cel": {"expression": f'device.driver == "{driver}"{more}'}}]})
        for node in self.nodes:
            name = node["metadata"]["name"]
            if self.draw.random() < 0.8:
                devices = [{"name": f"d{index}", "attributes": {"model": {"string": self.draw.choice("ab")}}}
                           for index in range(self.draw.randint(1, 4))]
                self.make_slice(name, DRIVER, devices, {"nodeName": name})
                self.left[name] = [one["name"] for one in devices]
        if self.draw.random() < 0.4:
            terms = [{"matchExpressions": [{"key": "zone", "operator": "In", "values": [self.draw.choice(["z0", "z1"])]}]}]
            self.make_slice("channels", FABRIC, [{"name": f"c{index}"} for index in range(self.draw.randint(1, 3))],
                            {"nodeSelector": {"nodeSelectorTerms": terms}} if self.draw.random() < 0.6 else {"allNodes": True})

    def make_slice(self, pool, driver, devices, reach):
        self.add("resource.k8s.io/v1", "ResourceSlice", f"{pool}-devices",
                 spec={"driver": driver, "pool": {"name": pool, "generation": 1, "resourceSliceCount": 1}, "devices": devices, **reach})

    def asked_devices(self, name, namespace):
        """The claims of a gang's pods: none, one of a template each, one that they share."""
        if "devices" not in self.has or self.draw.random() < 0.4:
            return None
        word = self.draw.choice(["one", "one", *ASKED])
        if self.draw.random() < 0.25:
            claim = self.add("resource.k8s.io/v1", "ResourceClaim", f"{name}-shared", namespace, spec=self.claim_spec(word))
            self.shared[f"{name}-shared"] = (claim, word)
            return {"name": "d", "resourceClaimName": f"{name}-shared"}
        if (namespace, word) not in self.made_templates:
            self.made_templates.add((namespace, word))
            self.add("resource.k8s.io/v1", "ResourceClaimTemplate", word, namespace, spec={"spec": self.claim_spec(word)})
        asked = {"name": "d", "resourceClaimTemplateName": word}
        if self.group and self.draw.random() < 0.5:
            self.group["spec"]["resourceClaims"] = [asked]
        return asked

    def claim_spec(self, word):
        return {"devices": {"requests": ASKED[word], **({"constraints": ALIKE} if word == "like" else {})}}

    def claim_devices(self, name, namespace, pod, spec, asked):
        """Names the claim in the pod. One that runs holds devices of its node; where none are left it has no claim."""
        if "nodeName" not in spec:
            spec["resourceClaims"] = [asked]
            return
        of_group = self.group and "resourceClaims" in self.group["spec"]
        if of_group or pod["status"]["phase"] in ("Succeeded", "Failed"):
            return
        claim, word = self.shared.get(asked.get("resourceClaimName"), (None, asked.get("resourceClaimTemplateName")))
        node, user = spec["nodeName"], {"resource": "pods", "name": name, "uid": f"u-{name}"}
        if claim and "status" in claim:
            if claim["status"]["allocation"]["devices"]["results"][0]["pool"] != node:
                return
            claim["status"]["reservedFor"].append(user)
        else:
            allocation = self.allocation(node, word)
            if not allocation:
                return
            status = {"allocation": allocation, "reservedFor": [user]}
            if claim:
                claim["status"] = status
            else:
                owner = {"apiVersion": "v1", "kind": "Pod", "name": name, "uid": f"u-{name}", "controller": True}
                self.add("resource.k8s.io/v1", "ResourceClaim", f"{name}-d-x", namespace, ownerReferences=[owner],
                         spec=self.claim_spec(word), status=status)
                pod["status"]["resourceClaimStatuses"] = [{"name": "d", "resourceClaimName": f"{name}-d-x"}]
        spec["resourceClaims"] = [asked]
        pod.setdefault("metadata", {})["uid"] = f"u-{name}"

    def allocation(self, node, word):
        """Devices of the node that are left; None where there are too few."""
        count = {"one": 1, "either": 1, "two": 2}.get(word, 0)
        if not count or len(self.left.get(node, [])) < count:
            return None
        results = [{"request": "r/b" if word == "either" else "r", "driver": DRIVER, "pool": node, "device": self.left[node].pop()}
                   for _ in range(count)]
        place = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}]
        return {"devices": {"results": results}, "nodeSelector": {"nodeSelectorTerms": place}}
