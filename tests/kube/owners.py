"""Jobs, CronJobs and Deployments, whose pods kube-controller-manager makes."""

from control_plane import HELD, UNREADY
from evictions import CLASSES
from objects import RACK, condition, hall, node, pod

KUEUE = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
MADE = ("jobs", "cronjobs", "deployments", "replicasets")
FEW_TRIES = """schedulerNames: [trellis]
kueue:
  waitForPodsReady:
    timeout: 2s
    requeuingStrategy: {backoffLimitCount: 0}
"""


def template(cpu="1", restarts="Never", **metadata):
    return {"metadata": metadata, "spec": {**pod("any", cpu=cpu)["spec"],
                                           "restartPolicy": restarts}}


def job(name, count, pods, queue=None, **more):
    return {"metadata": {"name": name,
                         "labels": {"kueue.x-k8s.io/queue-name": queue} if queue else {}},
            "spec": {"suspend": queue is not None, "parallelism": count, "completions": count,
                     "template": pods, **more}}


class InAQueue:
    """For a test case in a cluster with queues of Kueue's."""

    def setUp(self):
        super().setUp()
        for resource in ("workloads", "clusterqueues", "localqueues", "resourceflavors"):
            self.install(resource)
            self.remove_all(resource)

    def named(self, resource, name):
        return self.ask("GET", f"{self.PATHS[resource]}/{name}")

    def says(self, resource, name, kind):
        return condition(self.named(resource, name), kind).get("status") == "True"

    def workload_of(self, name):
        """{}: there is none yet."""
        return next((one for one in self.items("workloads")
                     if one["metadata"]["ownerReferences"][0]["name"] == name), {})

    def workload_says(self, name, kind):
        return condition(self.workload_of(name), kind).get("status") == "True"

    def put_queue(self, cpu, **more):
        self.put("topologies", hall())
        self.put("resourceflavors", {**KUEUE, "kind": "ResourceFlavor",
                                     "metadata": {"name": "plain"},
                                     "spec": {"topologyName": "hall",
                                              "nodeLabels": {"pool": "p"}}})
        self.put("clusterqueues", {
            **KUEUE, "kind": "ClusterQueue", "metadata": {"name": "cq"},
            "spec": {**more, "namespaceSelector": {}, "resourceGroups": [{
                "coveredResources": ["cpu"], "flavors": [{
                    "name": "plain", "resources": [{"name": "cpu", "nominalQuota": cpu}]}]}]}})
        self.put("localqueues", {**KUEUE, "kind": "LocalQueue", "metadata": {"name": "lq"},
                                 "spec": {"clusterQueue": "cq"}})
        for name, rack in (("n1", "a"), ("n2", "b"), ("n3", "b")):
            one = node(name, cpu="2", rack=rack)
            one["metadata"]["labels"]["pool"] = "p"
            self.put("nodes", one)


class Owners(InAQueue):
    """For a test case in a cluster with controllers."""

    def tearDown(self):
        for resource in (*MADE, "pods"):
            self.remove_all(resource)
        super().tearDown()

    def pods_of(self, name):
        return [one for one in self.items("pods")
                if one["metadata"]["ownerReferences"][0]["name"] == name]

    def bound_of(self, name):
        return sorted(one["spec"]["nodeName"] for one in self.pods_of(name)
                      if "nodeName" in one["spec"])

    def test_the_pods_of_a_job_are_bound_together(self):
        self.put("nodes", node("n1", cpu="2"))
        self.put("jobs", job("train", 3, template()))
        self.start()
        self.until("each says why it waits", lambda: [
            condition(one, "PodScheduled").get("reason") for one in self.items("pods")
        ] == ["Unschedulable"] * 3)
        self.assertEqual(self.bound(), {})
        self.put("nodes", node("n2", cpu="1"))
        self.until("all of it is bound", lambda: self.bound_of("train") == ["n1", "n1", "n2"])
        self.until("it is complete", lambda: self.says("jobs", "train", "Complete"))
        self.assertEqual(self.done("eviction"), [])

    def test_jobs_go_through_their_queue_one_after_the_other(self):
        self.put_queue("4")
        asks = {"kueue.x-k8s.io/podset-required-topology": RACK}
        self.put("jobs", job("first", 2, template("2", annotations={**asks, HELD: ""}), "lq"))
        self.start()
        self.until("it is admitted", lambda: self.workload_says("first", "Admitted"))
        self.assertEqual(self.workload_of("first")["metadata"]["ownerReferences"][0]["uid"],
                         self.named("jobs", "first")["metadata"]["uid"])
        self.until("it starts", lambda: not self.named("jobs", "first")["spec"]["suspend"])
        spec = self.named("jobs", "first")["spec"]["template"]["spec"]
        self.assertEqual(spec["nodeSelector"], {"pool": "p"})
        self.assertEqual(spec["schedulingGates"], [{"name": "kueue.x-k8s.io/topology"}])
        self.until("its pods are bound", lambda: self.bound_of("first") == ["n2", "n3"])
        for one in self.pods_of("first"):
            self.assertNotIn("schedulingGates", one["spec"])
        self.until("they are ready", lambda: self.workload_says("first", "PodsReady"))
        self.put("jobs", job("second", 2, template("2", annotations=asks), "lq"))
        self.until("the second waits", lambda: condition(
            self.workload_of("second"), "QuotaReserved").get("status") == "False")
        self.assertIn("quota", condition(self.workload_of("second"), "QuotaReserved")["message"])
        self.assertTrue(self.named("jobs", "second")["spec"]["suspend"])
        self.assertFalse(self.workload_says("first", "Finished"))
        self.kubectl("annotate", "pods", "--all", HELD + "-")
        for name in ("first", "second"):
            self.until(f"{name} is complete", lambda name=name: self.says("jobs", name, "Complete"))
            self.until("its workload, too", lambda name=name: self.workload_says(name, "Finished"))
        self.assertTrue(self.workload_says("second", "PodsReady"))
        # A pod that has run leaves its place to the next one.
        self.assertLessEqual(set(self.bound_of("second")), {"n2", "n3"})
        self.assertEqual([one for one in self.requests() if one["verb"] in ("patch", "create")
                          and one["responseStatus"]["code"] not in (200, 201, 409)], [])

    def test_a_job_that_makes_room_is_suspended_and_has_not_failed(self):
        self.put_queue("4", preemption={"withinClusterQueue": "LowerPriority"})
        self.ask("POST", CLASSES, {"metadata": {"name": "high"}, "value": 50}, (201, 409))
        held = template("2", annotations={HELD: ""})
        self.put("jobs", job("first", 2, held, "lq", backoffLimit=0))
        self.start()
        self.until("the first is bound", lambda: len(self.bound_of("first")) == 2)
        urgent = template("2", annotations={HELD: ""})
        urgent["spec"]["priorityClassName"] = "high"
        self.put("jobs", job("second", 2, urgent, "lq", backoffLimit=0))
        self.until("the second is bound", lambda: len(self.bound_of("second")) == 2)
        first = self.named("jobs", "first")
        self.assertTrue(first["spec"]["suspend"])
        self.assertEqual(first["status"].get("failed", 0), 0)
        self.assertEqual(self.done("eviction"), [])
        for name in ("second", "first"):
            self.until(f"{name} runs", lambda name=name: self.workload_says(name, "PodsReady"))
            self.kubectl("annotate", "pods", "--all", HELD + "-")
            self.until(f"{name} is complete", lambda name=name: self.says("jobs", name, "Complete"))

    def test_a_job_whose_pods_never_run_is_stopped_for_good(self):
        configuration = self.plane.folder / "few-tries.yaml"
        configuration.write_text(FEW_TRIES, encoding="utf-8")
        self.put_queue("4")
        self.put("jobs", job("train", 2, template(annotations={UNREADY: ""}), "lq",
                             backoffLimit=0))
        self.start("--config", str(configuration))
        self.until("it starts", lambda: self.workload_says("train", "Admitted"))
        self.until("it is given up", lambda: not self.workload_of("train")["spec"].get(
            "active", True))
        self.until("it is suspended", lambda: self.named("jobs", "train")["spec"]["suspend"])
        self.until("its template is as it was", lambda: not {"nodeSelector", "schedulingGates"}
                   & self.named("jobs", "train")["spec"]["template"]["spec"].keys())
        self.until("it holds no quota", lambda: condition(
            self.workload_of("train"), "QuotaReserved").get("status") == "False")
        self.until("its pods are gone", lambda: self.pods_of("train") == [])
        self.assertFalse(self.says("jobs", "train", "Failed"))
        # Once more, by the hand of its user.
        workload = self.PATHS["workloads"] + "/" + self.workload_of("train")["metadata"]["name"]
        self.ask("PATCH", workload, {"spec": {"active": True}})
        self.until("it starts again", lambda: not self.named("jobs", "train")["spec"]["suspend"])
        self.assertEqual(self.named("jobs", "train")["spec"]["template"]["spec"]["nodeSelector"],
                         {"pool": "p"})

    def test_each_run_of_a_cron_job_is_a_gang(self):
        self.put("nodes", node("n1", cpu="3"))
        run = job("nightly", 2, template(annotations={HELD: ""}))
        self.put("cronjobs", {"metadata": {"name": "nightly"}, "spec": {
            "schedule": "0 0 1 1 *", "jobTemplate": {"spec": run["spec"]}}})
        self.start()
        self.kubectl("create", "job", "run-1", "--from=cronjob/nightly")
        self.until("the first run is bound", lambda: len(self.bound_of("run-1")) == 2)
        self.kubectl("create", "job", "run-2", "--from=cronjob/nightly")
        self.until("the second one waits", lambda: [
            condition(one, "PodScheduled").get("status") for one in self.pods_of("run-2")
        ] == ["False"] * 2)
        self.assertEqual(self.bound_of("run-2"), [])
        self.kubectl("annotate", "pods", "--all", HELD + "-")
        for name in ("run-1", "run-2"):
            self.until(f"{name} is complete", lambda name=name: self.says("jobs", name, "Complete"))

    def test_the_pods_of_a_deployment_are_bound_one_by_one(self):
        self.put("nodes", node("n1", cpu="2"))
        labels = {"app": "serve"}
        self.put("deployments", {"metadata": {"name": "serve"}, "spec": {
            "replicas": 3, "selector": {"matchLabels": labels},
            "template": template(restarts="Always", labels=labels)}})
        self.start()
        self.until("two run", lambda: self.named("deployments", "serve")["status"].get(
            "readyReplicas") == 2)
        self.put("nodes", node("n2", cpu="1"))
        self.until("it is there", lambda: self.says("deployments", "serve", "Available")
                   and self.named("deployments", "serve")["status"]["readyReplicas"] == 3)
        # A pod that is made anew is a gang of its own again.
        gone = next(iter(self.bound()))
        self.remove("pods", gone)
        self.until("another takes its place", lambda: gone not in self.bound()
                   and len(self.bound()) == 3)
