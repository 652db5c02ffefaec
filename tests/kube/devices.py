"""Zones, shares of GPUs, and volumes that pods are given: what is noted of them."""

import json

from device_claims import DeviceClaims
from objects import condition, node, pod
from rights import FOREIGN, stand_in
from storage import Storage

REPORTS = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"
CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
KIND = next(one for one in FOREIGN if one[2] == "NodeResourceTopology")
HINT = "trellis.scheduler/numa-hint"
GPU_GROUP = "runai-gpu-group"
GPU = "nvidia.com/gpu"


def guaranteed(name, cpu):
    one = pod(name, cpu=cpu)
    amounts = {"cpu": cpu, "memory": "1Gi"}
    one["spec"]["containers"][0]["resources"] = {"requests": amounts, "limits": amounts}
    return one


def report(name, *available, capacity="4"):
    """Of a node whose kubelet puts each container into one zone, or refuses it."""
    return {"apiVersion": "topology.node.k8s.io/v1alpha2", "kind": "NodeResourceTopology",
            "metadata": {"name": name},
            "attributes": [{"name": "topologyManagerPolicy", "value": "single-numa-node"},
                           {"name": "topologyManagerScope", "value": "container"}],
            "zones": [{"name": f"node-{i}", "type": "Node", "resources": [
                {"name": "cpu", "capacity": capacity, "allocatable": capacity, "available": cpu},
                {"name": "memory", "capacity": "4Gi", "allocatable": "4Gi", "available": "4Gi"}]}
                      for i, cpu in enumerate(available)]}


class Devices(Storage, DeviceClaims):
    """For a test case in a cluster."""

    def why(self, name):
        return condition(self.pod_named(name), "PodScheduled").get("message", "")

    def test_pods_are_bound_to_nodes_with_a_zone_for_them(self):
        self.ask("POST", self.PATHS["crds"], stand_in(*KIND), good=(201, 409))
        self.until("reports are served", lambda: self.admin.ask("GET", REPORTS)[0] == 200)
        self.ask("DELETE", REPORTS)
        self.put("nodes", node("n1", cpu="32"))
        self.ask("POST", REPORTS, report("n1", "4", "4"))
        self.put("pods", guaranteed("a", "3"), guaranteed("b", "3"), guaranteed("wide", "6"))
        self.start()
        self.until("each has a zone", lambda: set(self.bound()) == {"a", "b"})
        zones = [json.loads(self.pod_named(name)["metadata"]["annotations"][HINT])
                 for name in ("a", "b")]
        self.assertEqual(sorted(one["c"] for one in zones), [[0], [1]])
        self.put("pods", guaranteed("late", "2"))
        # The node has room for it, none of its zones has.
        for name in ("wide", "late"):
            self.until(f"{name} says why it waits", lambda name=name:
                       "without a NUMA zone that has enough left" in self.why(name))
        # A pod that goes gives its zone back, by what was noted of it.
        self.remove("pods", "a")
        self.until("the zone is taken again", lambda: set(self.bound()) == {"b", "late"})
        free = zones[0]["c"]
        self.assertEqual(json.loads(self.pod_named("late")["metadata"]["annotations"][HINT]),
                         {"c": free})
        # The agent reports more room than anybody gave back.
        path = f"{REPORTS}/n1"
        known = self.ask("GET", path)["metadata"]["resourceVersion"]
        wider = report("n1", "8", "8", capacity="8")
        wider["metadata"]["resourceVersion"] = known
        self.ask("PUT", path, wider)
        self.until("the wide one, too", lambda: "wide" in self.bound())

    def test_a_pod_goes_where_its_claim_is_allocated(self):
        path = f"{CLAIMS}/devices"
        self.ask("POST", CLAIMS, {"metadata": {"name": "devices"}, "spec": {"devices": {
            "requests": [{"name": "gpu", "exactly": {"deviceClassName": "gpu.example.com"}}]}}})
        self.addCleanup(self.ask, "DELETE", path)
        self.put("nodes", node("n1"), node("n2"))
        one = pod("a")
        one["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "devices"}]
        self.put("pods", one)
        self.start()
        self.until("it says what it waits for", lambda:
                   "where its claims cannot be allocated" in self.why("a"))
        known = self.ask("GET", path)
        known["status"] = {"allocation": {
            "devices": {"results": [{"request": "gpu", "driver": "gpu.example.com", "pool": "n2",
                                     "device": "gpu-0"}]},
            "nodeSelector": {"nodeSelectorTerms": [{"matchFields": [
                {"key": "metadata.name", "operator": "In", "values": ["n2"]}]}]}}}
        self.ask("PUT", f"{path}/status", known)
        self.until("it is bound there", lambda: self.bound() == {"a": "n2"})

    def test_two_pods_share_a_gpu(self):
        self.put("nodes", node("n1", **{GPU: "2"}))
        halves = [pod(f"half-{i}") for i in range(2)]
        for one in halves:
            one["metadata"]["annotations"]["gpu-fraction"] = "0.5"
        self.put("pods", *halves)
        # The pods would start without a GPU, unless a program prepares it.
        self.start()
        self.until("they say so", lambda: [
            condition(one, "PodScheduled").get("reason") for one in self.items("pods")
        ] == ["GpuFractionBinderMissing"] * 2)
        self.assertEqual(self.bound(), {})
        self.service.__exit__()
        self.start("--gpu-fraction-binder")
        self.until("both are bound", lambda: len(self.bound()) == 2)

        def group(name):
            return self.pod_named(name)["metadata"]["labels"][GPU_GROUP]
        self.assertTrue(group("half-0"))
        self.assertEqual(group("half-0"), group("half-1"))
        # The other GPU is whole; who starts anew knows it by what was noted.
        self.service.__exit__()
        whole = pod("whole")
        whole["spec"]["containers"][0]["resources"] = {"limits": {"cpu": "1", GPU: "1"}}
        most = pod("most")
        most["metadata"]["annotations"]["gpu-fraction"] = "0.9"
        self.put("pods", whole)
        self.start("--gpu-fraction-binder")
        self.until("the whole one is bound", lambda: "whole" in self.bound())
        self.put("pods", most)
        self.until("there is none left", lambda: "without a GPU that has enough left"
                   in self.why("most"))
        self.remove("pods", "half-0")
        self.remove("pods", "half-1")
        self.until("a GPU is free", lambda: "most" in self.bound())
        self.assertTrue(group("most"))
