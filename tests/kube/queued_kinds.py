"""JobSets, training jobs and Ray's kinds in a queue, without their operators: what Trellis itself does
of their start and their suspension."""

from objects import node
from owners import InAQueue, template
from rights import FOREIGN, stand_in

LABELS = {"kueue.x-k8s.io/queue-name": "lq"}
TRAINING = {"pytorchjobs": "pytorchReplicaSpecs", "tfjobs": "tfReplicaSpecs",
            "xgboostjobs": "xgbReplicaSpecs", "paddlejobs": "paddleReplicaSpecs",
            "jaxjobs": "jaxReplicaSpecs", "mpijobs": "mpiReplicaSpecs"}
PODS = template(annotations={"example.com/theirs": ""})
RAY = {"headGroupSpec": {"template": PODS}}
RUNTIMES = "trainingruntimes"
RUNTIME = {"template": {"spec": {"replicatedJobs": [
    {"name": "node", "template": {"spec": {"template": PODS}}}]}}}


def specs():
    """Each suspended, with one pod of one core."""
    jobs = [{"name": "workers", "template": {"spec": {"template": PODS}}}]
    return {"jobsets": {"suspend": True, "replicatedJobs": jobs},
            **{kind: {"runPolicy": {"suspend": True}, roles: {"Worker": {"template": PODS}}}
               for kind, roles in TRAINING.items()},
            "trainjobs": {"suspend": True, "runtimeRef": {"kind": "TrainingRuntime", "name": "one"}},
            "rayclusters": {"suspend": True, **RAY},
            "rayjobs": {"suspend": True, "rayClusterSpec": RAY,
                        "submitterPodTemplate": PODS}}


def templates(part):
    """All below an object."""
    if isinstance(part, list):
        return [found for one in part for found in templates(one)]
    if not isinstance(part, dict):
        return []
    below = [found for one in part.values() for found in templates(one)]
    return [part["spec"]] if "containers" in part.get("spec", {}) else below


class QueuedKinds(InAQueue):
    """For a test case in a cluster."""

    def setUp(self):
        super().setUp()
        self.paths, self.types = {}, {}
        for group, version, kind, plural, scope in FOREIGN:
            if plural not in specs() and plural != RUNTIMES:
                continue
            path = f"/apis/{group}/{version}/namespaces/default/{plural}"
            name = f"{plural}.{group}"
            self.ask("POST", self.PATHS["crds"],
                     stand_in(group, version, kind, plural, scope), (201, 409))
            self.addCleanup(self.ask, "DELETE", self.PATHS["crds"] + "/" + name)
            types = {"apiVersion": f"{group}/{version}", "kind": kind}
            if plural == RUNTIMES:
                self.until("runtimes are served", lambda: self.admin.ask("GET", path)[0] == 200)
                self.ask("POST", path, {**types, "metadata": {"name": "one"}, "spec": RUNTIME})
                continue
            self.paths[plural], self.types[plural] = path, types

    def specs_now(self):
        return {kind: self.ask("GET", f"{path}/one-{kind}")["spec"]
                for kind, path in self.paths.items()}

    def are_suspended(self):
        return {spec.get("runPolicy", spec)["suspend"] for spec in self.specs_now().values()}

    def test_they_start_when_they_are_admitted_and_are_suspended_when_they_leave(self):
        self.assertEqual(self.paths.keys(), specs().keys())
        self.put_queue("20")
        many = node("many", cpu="20")
        many["metadata"]["labels"]["pool"] = "p"
        self.put("nodes", many)
        for kind, path in self.paths.items():
            self.until(f"{kind} are served",
                       lambda path=path: self.admin.ask("GET", path)[0] == 200)
            self.ask("POST", path, {**self.types[kind], "spec": specs()[kind],
                                    "metadata": {"name": f"one-{kind}", "labels": LABELS}})
        self.start()
        self.until("all start", lambda: self.are_suspended() == {False})
        for kind, spec in self.specs_now().items():
            with self.subTest(kind):
                found = templates(spec)
                self.assertEqual(bool(found), kind != "trainjobs")  # its runtime has them
                for one in found:
                    self.assertEqual(one["nodeSelector"], {"pool": "p"})
                self.assertTrue(self.workload_says(f"one-{kind}", "Admitted"))
        for workload in self.items("workloads"):
            name = workload["metadata"]["name"]
            self.ask("PATCH", f"{self.PATHS['workloads']}/{name}", {"spec": {"active": False}})
        self.until("all are as they were", lambda: self.specs_now() == specs())
