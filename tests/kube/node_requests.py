"""ProvisioningRequests for gangs that wait for nodes: tests that run.py runs."""

import json
import unittest

from api_server import POD_GROUPS
from scripted_objects import node, pod, pod_group
from service import wait_for

REQUESTS = ("autoscaling.x-k8s.io", "v1", "provisioningrequests", "ProvisioningRequest")
CONFIG = "nodeRequests: {provisioningClass: best-effort-atomic-scale-up, after: 0s}\n"
TEMPLATES = "/api/v1/podtemplates"


def node_requests(live_cluster):
    class NodeRequests(unittest.TestCase):
        """A gang asks for nodes once, says what became of it, and takes the request back."""

        def start(self, cluster, config=CONFIG):
            cluster.arguments = ("--config", str(cluster.write("trellis.yaml", config)))
            api = cluster.api
            api.put("nodes", node("n1", cpu="1"))
            api.put("podgroups", pod_group("train", 2))
            for i in range(2):
                api.put("pods", pod(f"t-{i}", group="train", cpu="2"))
            return cluster.start()

        def held(self, cluster, path):
            return dict(cluster.api.objects.get(path, {}))

        def request(self, cluster):
            held = self.held(cluster, cluster.api.path_of("provisioningrequests"))
            return next(iter(held.values()), None)

        def says(self, cluster):
            conditions = self.held(cluster, "/api/v1/pods")["default/t-0"]["status"].get(
                "conditions", [])
            return next(((one["reason"], one["message"]) for one in conditions
                         if one["type"] == "PodScheduled"), ("", ""))

        def answer(self, cluster, kind, status, reason):
            one = json.loads(json.dumps(self.request(cluster)))
            one.setdefault("status", {}).setdefault("conditions", []).append(
                {"type": kind, "status": status, "reason": reason, "message": reason,
                 "lastTransitionTime": "2026-01-01T00:00:00Z"})
            cluster.api.put("provisioningrequests", one)

        def test_a_gang_that_waits_asks_once_and_takes_it_back_when_it_runs(self):
            with live_cluster(groups=[POD_GROUPS, REQUESTS]) as cluster:
                self.start(cluster)
                wait_for("it asks", lambda: self.request(cluster))
                name = self.request(cluster)["metadata"]["name"]
                wait_for("the template is there", lambda: self.held(cluster, TEMPLATES))
                spec = self.request(cluster)["spec"]
                self.assertEqual(spec["podSets"],
                                 [{"podTemplateRef": {"name": f"{name}-0"}, "count": 2}])
                wait_for("pods do not ask themselves",
                         lambda: self.says(cluster)[0] == "NodesNoFit")
                self.answer(cluster, "Provisioned", "False", "CapacityIsNotFound")
                wait_for("the answer is reported",
                         lambda: "CapacityIsNotFound" in self.says(cluster)[1], 40)
                self.answer(cluster, "Provisioned", "True", "CapacityIsProvisioned")
                wait_for("it is reported",
                         lambda: "CapacityIsProvisioned" in self.says(cluster)[1], 40)
                cluster.api.put("nodes", node("n2", cpu="4"))
                cluster.wait_bound([("t-0", "n2"), ("t-1", "n2")])
                notes = [body["metadata"]["annotations"] for body in cluster.api.bodies]
                self.assertEqual(
                    {one["autoscaling.x-k8s.io/consume-provisioning-request"] for one in notes},
                    {name})
                wait_for("it takes it back", lambda: not self.request(cluster)
                         and not self.held(cluster, TEMPLATES), 40)
                self.assertEqual(sorted(cluster.api.created),
                                 [("podtemplates", f"{name}-0"), ("provisioningrequests", name)])

        def test_without_the_setting_nothing_is_asked_for(self):
            with live_cluster(groups=[POD_GROUPS, REQUESTS]) as cluster:
                self.start(cluster, "period: 100ms\n")
                wait_for("pods ask themselves", lambda: self.says(cluster)[0] == "Unschedulable")
                self.assertEqual(cluster.api.created, [])

        def test_what_stands_from_an_earlier_run_is_not_made_again(self):
            with live_cluster(groups=[POD_GROUPS, REQUESTS]) as cluster:
                service = self.start(cluster)
                wait_for("it asks", lambda: self.request(cluster))
                service.stop()
                made = list(cluster.api.created)
                cluster.start()
                wait_for("it says so", lambda: "ProvisioningRequest" in self.says(cluster)[1], 40)
                self.assertEqual(cluster.api.created, made)

    return NodeRequests
