"""What users find in their objects: tests that real.py runs beside a real API server."""

import json

RACK = "example.com/rack"


def writing_back(base, paths, node, pod, pod_group):
    class WritingBack(base):
        """What users find in their objects."""

        KUEUE = ("workloads", "clusterqueues", "localqueues", "resourceflavors")

        def setUp(self):
            super().setUp()
            for resource in ("events", "jobs"):
                self.ask("DELETE", paths[resource] + "?propagationPolicy=Background")

        def condition(self, one, kind):
            return next((each for each in one.get("status", {}).get("conditions", [])
                         if each["type"] == kind), {})

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

        def told(self):
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
                self.condition(one, "PodScheduled").get("reason") == "Unschedulable"
                for one in self.items("pods")))
            self.assertIn("no rack of topology hall takes 2 pods",
                          self.condition(self.pod_named("t-0"), "PodScheduled")["message"])
            self.until("the gang says so", lambda: self.only("podgroups").get(
                "status", {}).get("schedulingConditions"))
            status = self.only("podgroups")["status"]
            self.assertEqual((status["phase"], status["pending"]), ("Pending", 2))
            self.assertEqual(status["schedulingConditions"][0]["reason"], "TopologyNoFit")
            self.until("it is told", lambda: self.told() == [
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
            self.until("it is told", lambda: [
                one for one in self.told() if one[0] == "Scheduled"] == [
                    ("Scheduled", "t-0"), ("Scheduled", "t-1")])
            self.assertNotIn("schedulingConditions", self.only("podgroups")["status"])
            # Two Events, and few patches of the PodGroup.
            self.assertLess(len(self.patches()) - before, 12)
            self.assertEqual([one for one in self.patches()
                              if one["responseStatus"]["code"] not in (200, 201, 409)], [])

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
            self.until("it says what became of it", lambda: self.only("podgroups")["status"].get(
                "succeeded") == 2)
            made = [one for one in self.requests() if one["verb"] == "create"
                    and one["objectRef"]["resource"] == "podgroups"]
            self.assertEqual([one["responseStatus"]["code"] for one in made], [201])

        def test_a_job_goes_through_its_queue_to_its_nodes(self):
            for crd in self.KUEUE:
                self.install(crd)
                self.ask("DELETE", paths[crd])
            kueue = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
            self.put("topologies", {**kueue, "kind": "Topology", "metadata": {"name": "hall"},
                                    "spec": {"levels": [{"nodeLabel": RACK},
                                                        {"nodeLabel": "kubernetes.io/hostname"}]}})
            self.put("resourceflavors", {**kueue, "kind": "ResourceFlavor",
                                         "metadata": {"name": "plain"},
                                         "spec": {"topologyName": "hall",
                                                  "nodeLabels": {"pool": "p"}}})
            self.put("clusterqueues", {
                **kueue, "kind": "ClusterQueue", "metadata": {"name": "cq"},
                "spec": {"namespaceSelector": {}, "resourceGroups": [{
                    "coveredResources": ["cpu"], "flavors": [{
                        "name": "plain", "resources": [{"name": "cpu", "nominalQuota": "8"}]}]}]}})
            self.put("localqueues", {**kueue, "kind": "LocalQueue", "metadata": {"name": "lq"},
                                     "spec": {"clusterQueue": "cq"}})
            for name, rack in (("n1", "a"), ("n2", "b"), ("n3", "b")):
                one = node(name, cpu="2", rack=rack)
                one["metadata"]["labels"].update({"kubernetes.io/hostname": name, "pool": "p"})
                self.put("nodes", one)
            self.put("jobs", {
                "metadata": {"name": "train", "labels": {"kueue.x-k8s.io/queue-name": "lq"}},
                "spec": {"suspend": True, "parallelism": 2, "completions": 2, "template": {
                    "metadata": {"annotations": {"kueue.x-k8s.io/podset-required-topology": RACK}},
                    "spec": {"schedulerName": "trellis", "restartPolicy": "Never", "containers": [
                        {"name": "c", "image": "c", "resources": {"requests": {"cpu": "2"}}}]}}}})
            self.start()
            self.until("it is admitted", lambda: self.condition(
                self.only("workloads"), "Admitted").get("status") == "True")
            self.assertEqual(self.only("workloads")["metadata"]["ownerReferences"][0]["uid"],
                             self.only("jobs")["metadata"]["uid"])
            self.until("it starts", lambda: not self.only("jobs")["spec"]["suspend"])
            job = self.only("jobs")
            template = job["spec"]["template"]
            self.assertEqual(template["spec"]["nodeSelector"], {"pool": "p"})
            # As its controller would.
            for i in range(2):
                self.put("pods", {
                    "metadata": {**template["metadata"], "name": f"t-{i}", "ownerReferences": [
                        {"apiVersion": "batch/v1", "kind": "Job", "name": "train",
                         "controller": True,
                         "uid": job["metadata"]["uid"]}]}, "spec": template["spec"]})
            self.until("its pods are bound", lambda: len(self.bound()) == 2)
            self.assertEqual(sorted(self.bound().values()), ["n2", "n3"])
            for one in self.items("pods"):
                self.assertNotIn("schedulingGates", one["spec"])
            # It has run; its template stands as long as it does.
            self.change("jobs", lambda one: one["status"].update(
                startTime="2026-11-22T10:00:00Z"), part="/status")
            self.change("workloads", lambda one: one["spec"].update(active=False))
            self.until("it is suspended", lambda: self.only("jobs")["spec"]["suspend"])
            for one in self.items("pods"):
                self.remove("pods", one["metadata"]["name"])
            self.change("resourceflavors", lambda one: one["spec"]["nodeLabels"].update(
                {RACK: "b"}))
            self.change("workloads", lambda one: one["spec"].update(active=True))
            self.until("it starts again", lambda: not self.only("jobs")["spec"]["suspend"])
            self.assertEqual(self.only("jobs")["spec"]["template"]["spec"]["nodeSelector"],
                             {"pool": "p", RACK: "b"})
            self.assertEqual([one for one in self.patches()
                              if one["responseStatus"]["code"] not in (200, 201, 409)], [])

    # Whose setUpModule() starts the control plane.
    WritingBack.__module__ = base.__module__
    return WritingBack
