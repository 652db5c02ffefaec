"""What must stand on a pod before it is bound or deleted: tests that run.py runs."""

import unittest

from api_server import POD_GROUPS
from scripted_objects import node, pod, pod_group
from service import wait_for

RANK = "trellis.scheduler/rank"


def first_writes(live_cluster):
    class FirstWrites(unittest.TestCase):
        """Beside a scripted API server."""

        @staticmethod
        def writes(cluster):
            return [(method, path.rsplit("pods/", 1)[1]) for method, path, _ in
                    list(cluster.api.requests) if method != "GET" and "/pods/" in path]

        def gang_of_two(self, minor):
            """What is written to bind it, beside Kubernetes 1.`minor`."""
            with live_cluster(groups=[POD_GROUPS]) as cluster:
                cluster.api.minor = minor
                cluster.api.put("nodes", node("n1"))
                cluster.api.put("podgroups", pod_group("train", 2))
                for name in ("a", "b"):
                    cluster.api.put("pods", pod(name, group="train"))
                cluster.start()
                cluster.wait_bound([("a", "n1"), ("b", "n1")])
                pods = cluster.api.objects["/api/v1/pods"].values()
                self.assertEqual(sorted(one["metadata"]["labels"][RANK] for one in pods),
                                 ["0", "1"])
                return [one for one in self.writes(cluster) if not one[1].endswith("/status")]

        def test_an_api_server_that_copies_no_labels_gets_them_before_the_bind(self):
            written = self.gang_of_two(34)
            self.assertEqual(sorted(written), [("PATCH", "a"), ("PATCH", "b"),
                                               ("POST", "a/binding"), ("POST", "b/binding")])
            for name in ("a", "b"):
                self.assertLess(written.index(("PATCH", name)),
                                written.index(("POST", f"{name}/binding")))

        def test_one_that_copies_them_is_not(self):
            self.assertEqual(sorted(self.gang_of_two(35)),
                             [("POST", "a/binding"), ("POST", "b/binding")])

        def test_a_pod_that_is_deleted_says_before_why(self):
            with live_cluster("--delete-evicted") as cluster:
                api = cluster.api
                api.put("nodes", node("n1"))
                low = pod("low", cpu="4", on="n1")
                low["spec"]["priority"] = 10
                api.put("pods", low)
                api.refusals["delete"] = [(429, False)]
                cluster.start()
                cluster.wait_placed({"low": "n1"})
                high = pod("high", cpu="4")
                high["spec"]["priority"] = 50
                api.put("pods", high)
                wait_for("it has made room", lambda: ("high", "n1") in api.bound, 40)
                self.assertEqual(api.evicted, ["low"])
                self.assertEqual([one for one in self.writes(cluster) if one[1].startswith("low")],
                                 [("PATCH", "low/status"), ("DELETE", "low"), ("DELETE", "low")])
                conditions = [condition for one in api.patches
                              for condition in one.get("status", {}).get("conditions", [])
                              if condition["type"] == "DisruptionTarget"]
                self.assertEqual(
                    [(one["status"], one["reason"], one["message"]) for one in conditions],
                    [("True", "PreemptionByScheduler",
                      "Evicted by preempt to make room for gang default/high")])

    return FirstWrites
