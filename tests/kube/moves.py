"""A workload that moves for another one in a live cluster: tests that run.py runs."""

import json
import unittest

from scripted_objects import node, pod
from service import wait_for

KUEUE = ("kueue.x-k8s.io", "v1beta2")
KINDS = [(*KUEUE, resource, kind) for resource, kind in (
    ("topologies", "Topology"), ("resourceflavors", "ResourceFlavor"),
    ("clusterqueues", "ClusterQueue"), ("localqueues", "LocalQueue"), ("workloads", "Workload"))]
HOST = "kubernetes.io/hostname"
LONG_AGO = "2026-01-01T00:00:00Z"
GATE = "kueue.x-k8s.io/topology"


def kueue(kind, name, spec, **more):
    return {"apiVersion": "/".join(KUEUE), "kind": kind, "metadata": {"name": name, **more},
            "spec": spec}


def put_hall(api):
    """Rack r1 with n1 and n2, rack r2 with n3, four cores each, and a queue."""
    api.put("topologies", kueue("Topology", "hall", {
        "levels": [{"nodeLabel": "rack"}, {"nodeLabel": HOST}]}))
    api.put("resourceflavors", kueue("ResourceFlavor", "tas", {
        "nodeLabels": {"pool": "tas"}, "topologyName": "hall"}))
    quota = {"name": "tas", "resources": [{"name": "cpu", "nominalQuota": "100"}]}
    api.put("clusterqueues", kueue("ClusterQueue", "cq", {"namespaceSelector": {}, "resourceGroups": [
        {"coveredResources": ["cpu"], "flavors": [quota]}]}))
    api.put("localqueues", kueue("LocalQueue", "lq", {"clusterQueue": "cq"}, namespace="default"))
    for name, rack in (("n1", "r1"), ("n2", "r1"), ("n3", "r2")):
        one = node(name)
        one["metadata"]["labels"] = {"pool": "tas", "rack": rack, HOST: name}
        api.put("nodes", one)


def workload(name, count, required, **annotations):
    spec = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}
    return kueue("Workload", name, {"queueName": "lq", "podSets": [
        {"name": "main", "count": count, "topologyRequest": {"required": required},
         "template": {"spec": spec}}]},
        namespace="default", creationTimestamp=LONG_AGO, annotations=annotations)


def admitted(one, host):
    [pods] = one["spec"]["podSets"]
    one["status"] = {
        "conditions": [{"type": kind, "status": "True", "reason": kind, "message": "",
                        "lastTransitionTime": LONG_AGO} for kind in ("QuotaReserved", "Admitted")],
        "admission": {"clusterQueue": "cq", "podSetAssignments": [
            {"name": "main", "count": pods["count"], "flavors": {"cpu": "tas"},
             "resourceUsage": {"cpu": str(pods["count"])}, "topologyAssignment": {
                 "levels": [HOST], "slices": [{
                     "domainCount": 1, "valuesPerLevel": [{"universal": host}],
                     "podCounts": {"universal": pods["count"]}}]}}]}}
    return one


def pod_of(name, of, on=None):
    one = pod(name, on=on)
    one["metadata"]["labels"] = {"kueue.x-k8s.io/podset": "main"}
    one["metadata"]["annotations"] = {"kueue.x-k8s.io/workload": of}
    if not on:
        one["spec"]["schedulingGates"] = [{"name": GATE}]
    return one


def moves(live_cluster):
    class Moves(unittest.TestCase):
        """Beside a scripted API server: `old` runs on n1, and `want` needs all of r1."""

        def put_all(self, api):
            put_hall(api)
            movable = {"trellis.scheduler/movable": "true"}
            api.put("workloads", admitted(workload("old", 2, HOST, **movable), "n1"))
            api.put("workloads", admitted(workload("other", 1, HOST, **movable), "n3"))
            for i in range(2):
                api.put("pods", pod_of(f"old-{i}", "old", on="n1"))
            api.put("pods", pod_of("other-0", "other", on="n3"))
            api.put("workloads", workload("want", 8, "rack"))

        def named(self, api, name):
            return api.objects[api.path_of("workloads")][f"default/{name}"]

        def says(self, api, name, kind):
            return any((one["type"], one["status"]) == (kind, "True")
                       for one in self.named(api, name).get("status", {}).get("conditions", []))

        def is_promised(self, api, name):
            annotations = self.named(api, name)["metadata"].get("annotations", {})
            return "trellis.scheduler/promised-admission" in annotations

        def hosts(self, api, name):
            """The hosts of its admission."""
            admission = self.named(api, name)["status"]["admission"]
            [assignment] = admission["podSetAssignments"]
            found = []
            for part in assignment["topologyAssignment"]["slices"]:
                [values] = part["valuesPerLevel"]
                each = values.get("individual", {"roots": [values.get("universal")]})
                found += [each.get("prefix", "") + root + each.get("suffix", "")
                          for root in each["roots"]]
            return found

        def until(self, cluster, what, is_so):
            try:
                wait_for(what, is_so, 60)
            except Exception as failure:
                states = [self.named(cluster.api, name) for name in ("old", "other", "want")]
                raise AssertionError(f"{failure}\n{json.dumps(states, indent=1)}\n"
                                     + "".join(cluster.service.lines)) from failure

        def finish(self, cluster):
            """Both are where they were promised, and nothing else has moved."""
            api = cluster.api
            self.until(cluster, "want is admitted", lambda: self.says(api, "want", "Admitted"))
            self.until(cluster, "old is admitted", lambda: self.says(api, "old", "Admitted"))
            self.assertEqual([self.hosts(api, name) for name in ("old", "other", "want")],
                             [["n3"], ["n3"], ["n1", "n2"]])
            self.assertEqual(sorted(api.evicted), ["old-0", "old-1"])
            for i in range(2):
                api.put("pods", pod_of(f"old-{i}", "old"))
            self.until(cluster, "its pods are bound",
                       lambda: sorted(api.bound) == [("old-0", "n3"), ("old-1", "n3")])
            self.assertFalse(self.says(api, "old", "Evicted"))
            self.until(cluster, "no promise is left", lambda: not any(
                self.is_promised(api, name) for name in ("old", "want")))

        def test_it_is_evicted_by_its_condition_and_admitted_elsewhere(self):
            with live_cluster(groups=KINDS) as cluster:
                self.put_all(cluster.api)
                cluster.start()
                # The condition is false again once it is admitted.
                self.until(cluster, "old was evicted", lambda: "Evicted" in [
                    one["type"] for one in self.named(cluster.api, "old")["status"]["conditions"]])
                self.finish(cluster)

        def test_a_service_that_is_started_again_ends_the_move(self):
            with live_cluster(groups=KINDS) as cluster:
                api = cluster.api
                api.refusals["eviction"] = [(429, False)] * 4
                self.put_all(api)
                service = cluster.start()
                self.until(cluster, "old is evicted, and both are promised their places", lambda: all(
                    self.is_promised(api, name) for name in ("old", "want"))
                    and self.says(api, "old", "Evicted"))
                service.process.kill()
                service.__exit__()
                self.assertEqual(api.evicted, [])
                api.refusals["eviction"] = []
                cluster.start()
                self.finish(cluster)

    return Moves
