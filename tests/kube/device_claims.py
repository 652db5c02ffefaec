"""ResourceClaims: what is written of them before the binds of the pods that use them.

The controller of claims is played here where it matters.
"""

from objects import node, pod

GROUP = "/apis/resource.k8s.io/v1/"
CLAIMS = GROUP + "namespaces/default/resourceclaims"
SLICES = GROUP + "resourceslices"
CLASSES = GROUP + "deviceclasses"
DRIVER = "gpu.example.com"
FINALIZER = "resource.kubernetes.io/delete-protection"


def device_slice(on, devices, generation=1):
    return {"metadata": {"name": f"{on}-gpus"},
            "spec": {"driver": DRIVER, "nodeName": on, "devices": [
                {"name": name, "attributes": {"model": {"string": "a100"}}} for name in devices],
                "pool": {"name": on, "generation": generation, "resourceSliceCount": 1}}}


def device_class(name, model):
    return {"metadata": {"name": name}, "spec": {"selectors": [{"cel": {
        "expression": f'device.attributes["{DRIVER}"].model == "{model}"'}}]}}


def claim(name, of, count=1):
    return {"metadata": {"name": name}, "spec": {"devices": {"requests": [
        {"name": "gpus", "exactly": {"deviceClassName": of, "count": count}}]}}}


def with_device_claims(name, *claims):
    one = pod(name)
    one["spec"]["resourceClaims"] = [{"name": f"c{i}", "resourceClaimName": claim}
                                     for i, claim in enumerate(claims)]
    return one


class DeviceClaims:
    """For a test case in a cluster."""

    def clean_devices(self):
        for path in (CLAIMS, SLICES, CLASSES):
            for one in self.ask("GET", path)["items"]:
                name = f"{path}/{one['metadata']['name']}"
                if one.get("status", {}).get("allocation"):
                    one["status"] = {}
                    one = self.ask("PUT", name + "/status", one)
                if one["metadata"].get("finalizers"):
                    one["metadata"]["finalizers"] = []
                    self.ask("PUT", name, one, good=(200, 404))
                self.ask("DELETE", name, good=(200, 404))

    def offer(self, **devices):
        """Nodes with devices of these names."""
        self.addCleanup(self.remove_all, "nodes")
        self.addCleanup(self.clean_devices)
        self.addCleanup(self.remove_all, "pods")
        self.put("nodes", *(node(on) for on in devices))
        self.ask("POST", CLASSES, device_class("a100", "a100"))
        for on, names in devices.items():
            self.ask("POST", SLICES, device_slice(on, names))

    def status_of(self, name):
        return self.ask("GET", f"{CLAIMS}/{name}").get("status", {})

    def devices_of(self, name):
        results = self.status_of(name).get("allocation", {}).get("devices", {}).get("results", [])
        return sorted(one["device"] for one in results)

    def users_of(self, name):
        return sorted(one["name"] for one in self.status_of(name).get("reservedFor", []))

    def test_devices_are_written_before_pods_are_bound(self):
        self.offer(n1=["g0", "g1"], n2=["g2"])
        self.ask("POST", CLAIMS, claim("two", "a100", 2))
        self.ask("POST", CLAIMS, claim("one", "a100"))
        self.ask("POST", CLAIMS, claim("more", "a100"))
        self.put("pods", with_device_claims("x", "two"), with_device_claims("y", "one"))
        self.start()
        self.until("both are bound", lambda: self.bound() == {"x": "n1", "y": "n2"})
        self.assertEqual(self.devices_of("two"), ["g0", "g1"])
        self.assertEqual(self.devices_of("one"), ["g2"])
        self.assertEqual(self.users_of("two"), ["x"])
        kept = self.ask("GET", f"{CLAIMS}/two")["metadata"]["finalizers"]
        self.assertEqual(kept, [FINALIZER])
        self.put("pods", with_device_claims("z", "more"))
        self.until("it says what is taken", lambda: "taken" in self.why("z"))
        # A driver offers another device while the pod waits.
        one = self.ask("GET", f"{SLICES}/n2-gpus")
        one["spec"] = device_slice("n2", ["g2", "g3"], generation=2)["spec"]
        self.ask("PUT", f"{SLICES}/n2-gpus", one)
        self.until("it is bound", lambda: self.bound().get("z") == "n2")
        self.assertEqual(self.devices_of("more"), ["g3"])

    def test_pods_that_share_a_claim_stand_together(self):
        self.offer(n1=["g0"], n2=["g1"])
        self.ask("POST", CLAIMS, claim("shared", "a100"))
        self.put("pods", with_device_claims("x", "shared"), with_device_claims("y", "shared"))
        self.start()
        self.until("both are bound", lambda: set(self.bound()) == {"x", "y"})
        self.assertEqual(len(set(self.bound().values())), 1)
        self.assertEqual(self.users_of("shared"), ["x", "y"])

    def test_claims_are_made_for_extended_resources(self):
        self.offer(n1=["g0"])
        one = self.ask("GET", f"{CLASSES}/a100")
        one["spec"]["extendedResourceName"] = "example.com/a100"
        self.ask("PUT", f"{CLASSES}/a100", one)
        asking = pod("x")
        asking["spec"]["containers"][0]["resources"] = {"limits": {"example.com/a100": "1"}}
        self.put("pods", asking)
        self.start()
        self.until("it is bound", lambda: self.bound() == {"x": "n1"})
        made, = self.ask("GET", CLAIMS)["items"]
        self.assertEqual(self.devices_of(made["metadata"]["name"]), ["g0"])
        status = self.pod_named("x")["status"]["extendedResourceClaimStatus"]
        self.assertEqual(status["resourceClaimName"], made["metadata"]["name"])
        self.assertEqual([one["resourceName"] for one in status["requestMappings"]],
                         ["example.com/a100"])
