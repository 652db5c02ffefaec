"""What users find in their objects: tests that real.py runs beside a real API server."""

import json

from objects import RACK, condition, node, pod, pod_group

A_MINUTE = 60  # the least between two writes of an Event


def writing_back(base, paths):
    class WritingBack(base):
        """What users find in their objects."""

        def setUp(self):
            super().setUp()
            for resource in ("events", "jobs"):
                self.ask("DELETE", paths[resource] + "?propagationPolicy=Background")

        def only(self, resource):
            items = self.items(resource)
            return items[0] if len(items) == 1 else {}

        def change(self, resource, by, part=""):
            """The only one of its kind, as its controller or its user would."""
            def once():
                one = self.only(resource)
                by(one)
                path = f"{paths[resource]}/{one['metadata']['name']}{part}"
                return self.admin.ask("PUT", path, one)[0] == 200
            self.until(f"{resource} change", once)

        def reported_events(self):
            return sorted((one["reason"], one["regarding"]["name"]) for one in self.items("events"))

        def patches(self):
            return [one for one in self.requests()
                    if one["verb"] in ("patch", "create") and "bindings" not in one["requestURI"]
                    and one.get("objectRef", {}).get("subresource") != "binding"]

        def test_a_gang_says_why_it_waits_and_where_it_stands(self):
            self.put("topologies", {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology",
                                    "metadata": {"name": "hall"},
                                    "spec": {"levels": [{"nodeLabel": RACK}]}})
            self.put("nodes", node("n1", cpu="1", rack="a"), node("n2", cpu="1", rack="b"))
            self.put("podgroups", pod_group("train", 2, topologyConstraint={
                "topology": "hall", "requiredTopologyLevel": RACK}))
            self.put("pods", *(pod(f"t-{i}", group="train") for i in range(2)))
            self.start()
            self.until("pods say so", lambda: all(
                condition(one, "PodScheduled").get("reason") == "Unschedulable"
                for one in self.items("pods")))
            self.assertIn("no rack of topology hall takes 2 pods",
                          condition(self.pod_named("t-0"), "PodScheduled")["message"])
            self.until("the gang says so", lambda: self.only("podgroups").get(
                "status", {}).get("schedulingConditions"))
            status = self.only("podgroups")["status"]
            self.assertEqual((status["phase"], status["pending"]), ("Pending", 2))
            self.assertEqual(status["schedulingConditions"][0]["reason"], "TopologyNoFit")
            self.until("it is reported", lambda: self.reported_events() == [
                ("FailedScheduling", "t-0"), ("FailedScheduling", "t-1"),
                ("Unschedulable", "train")])
            before = len(self.patches())
            self.put("nodes", node("n3", cpu="1", rack="b"))
            self.until("it is bound", lambda: len(self.bound()) == 2)
            self.until("it says where", lambda: self.only("podgroups")["metadata"].get(
                "annotations", {}).get("trellis.scheduler/placement"))
            self.assertEqual(
                json.loads(self.only("podgroups")["metadata"]["annotations"][
                    "trellis.scheduler/placement"]),
                {"topology": "hall", "level": RACK, "domain": ["b"]})
            self.until("it runs", lambda: self.only("podgroups")["status"].get(
                "phase") == "Running")
            self.until("it is reported", lambda: [
                one for one in self.reported_events() if one[0] == "Scheduled"] == [
                    ("Scheduled", "t-0"), ("Scheduled", "t-1")])
            self.assertNotIn("schedulingConditions", self.only("podgroups")["status"])
            # Two Events, and few patches of the PodGroup.
            self.assertLess(len(self.patches()) - before, 12)
            self.assertEqual([one for one in self.patches()
                              if one["responseStatus"]["code"] not in (200, 201, 409)], [])

        def test_what_is_reported_again_is_counted(self):
            self.put("nodes", node("n1", cpu="1"))
            self.put("podgroups", pod_group("wide", 1))
            self.put("pods", pod("w", cpu="2", group="wide"))
            self.start()

            def says(nodes):
                self.until(f"it says {nodes}", lambda: condition(
                    self.pod_named("w"), "PodScheduled").get("message", "").startswith(nodes))
            says("0/1 nodes")
            self.put("nodes", node("n2", cpu="1"))
            says("0/2 nodes")
            self.remove("nodes", "n2")
            says("0/1 nodes")
            self.until("a series is written", lambda: [
                (one["note"][:9], one["series"]["count"]) for one in self.items("events")
                if "series" in one] == [("0/1 nodes", 2)], A_MINUTE + 30)

        def test_a_queue_says_what_its_gangs_hold(self):
            self.install("queues")
            some = {"quota": -1, "limit": -1}
            self.put("queues", {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                                "metadata": {"name": "q"},
                                "spec": {"resources": {"cpu": some, "memory": some, "gpu": some}}})
            self.put("nodes", node("n1", cpu="2"))
            self.put("podgroups", pod_group("train", 2, queue="q"))
            self.put("pods", *(pod(f"t-{i}", group="train") for i in range(2)))
            self.start()
            self.until("it is bound", lambda: len(self.bound()) == 2)
            self.until("the queue says so", lambda: self.only("queues").get("status", {}).get(
                "allocated", {}).get("cpu") == "2")

        def test_pods_that_more_nodes_would_not_help_say_another_word(self):
            self.install("queues")
            some = {"quota": -1, "limit": -1}
            self.put("queues", {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                                "metadata": {"name": "q"}, "spec": {"resources": {
                                    "cpu": {"quota": -1, "limit": 1000}, "memory": some,
                                    "gpu": some}}})
            self.put("nodes", node("n1", cpu="8"))
            self.put("podgroups", pod_group("train", 2, queue="q"))
            self.put("pods", *(pod(f"t-{i}", group="train") for i in range(2)))
            self.start()
            self.until("they say so", lambda: [
                condition(one, "PodScheduled").get("reason") for one in self.items("pods")
            ] == ["QueueOverLimit"] * 2)

        def test_a_gang_that_an_owner_makes_gets_its_pod_group_once(self):
            self.put("nodes", node("n1", cpu="1"))
            self.put("jobs", {"metadata": {"name": "j"}, "spec": {
                "parallelism": 2, "completions": 2,
                "template": {"spec": {**pod("t")["spec"], "restartPolicy": "Never"}}}})
            owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "j", "controller": True,
                     "uid": self.only("jobs")["metadata"]["uid"]}
            for i in range(2):
                one = pod(f"t-{i}")
                one["metadata"]["ownerReferences"] = [owner]
                self.put("pods", one)
            self.start("--create-pod-groups")
            self.until("it is there", lambda: self.only("podgroups"))
            group = self.only("podgroups")
            self.assertEqual(group["metadata"]["ownerReferences"][0]["uid"], owner["uid"])
            self.assertEqual(group["spec"]["minMember"], 2)
            self.assertEqual(self.bound(), {})
            self.put("nodes", node("n2", cpu="1"))
            self.until("it is bound whole", lambda: set(self.bound()) == {"t-0", "t-1"})
            self.until("it says what became of it", lambda: self.only("podgroups").get(
                "status", {}).get("succeeded") == 2)
            made = [one for one in self.requests() if one["verb"] == "create"
                    and one["objectRef"]["resource"] == "podgroups"]
            self.assertEqual([one["responseStatus"]["code"] for one in made], [201])

    # Whose setUpModule() starts the control plane.
    WritingBack.__module__ = base.__module__
    return WritingBack
