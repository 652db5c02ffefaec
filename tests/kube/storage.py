"""Claims that wait for their pods: what is written of them, and that pods are bound after them.

The controllers of volumes are played here.
"""

from objects import node, pod

CORE = "/api/v1/"
CLAIMS = CORE + "namespaces/default/persistentvolumeclaims"
VOLUMES = CORE + "persistentvolumes"
CLASSES = "/apis/storage.k8s.io/v1/storageclasses"
HOSTNAME = "kubernetes.io/hostname"
SELECTED = "volume.kubernetes.io/selected-node"
COMPLETED = "pv.kubernetes.io/bind-completed"


def storage_class(name, provisioner):
    return {"metadata": {"name": name}, "provisioner": provisioner,
            "volumeBindingMode": "WaitForFirstConsumer"}


def claim(name, of):
    return {"metadata": {"name": name},
            "spec": {"storageClassName": of, "accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": "1Gi"}}}}


def disk(name, of, on, **spec):
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [on]}]}
    return {"metadata": {"name": name},
            "spec": {"storageClassName": of, "capacity": {"storage": "2Gi"},
                     "accessModes": ["ReadWriteOnce"], "local": {"path": "/disk"},
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}, **spec}}


def with_claim(name):
    one = pod(name)
    one["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    return one


class Storage:
    """For a test case in a cluster."""

    def clean_storage(self):
        for path in (CLAIMS, VOLUMES, CLASSES):
            for one in self.ask("GET", path)["items"]:
                name = f"{path}/{one['metadata']['name']}"
                one["metadata"]["finalizers"] = []
                self.ask("PUT", name, one, good=(200, 404))
                self.ask("DELETE", name, good=(200, 404))

    def bind(self, name, volume):
        """What the volume binder does."""
        one = self.ask("GET", f"{CLAIMS}/{name}")
        one["metadata"].setdefault("annotations", {})[COMPLETED] = "yes"
        one["spec"]["volumeName"] = volume
        self.ask("PUT", f"{CLAIMS}/{name}", one)

    def test_pods_are_bound_once_their_claims_are(self):
        self.addCleanup(self.remove_all, "nodes")
        self.addCleanup(self.clean_storage)
        self.addCleanup(self.remove_all, "pods")
        one = node("n1")
        one["metadata"].setdefault("labels", {})[HOSTNAME] = "n1"
        self.put("nodes", one)
        self.ask("POST", CLASSES, storage_class("disks", "kubernetes.io/no-provisioner"))
        self.ask("POST", CLASSES, storage_class("made", "disks.example"))
        self.ask("POST", VOLUMES, disk("disk-1", "disks", "n1"))
        free = self.ask("GET", f"{VOLUMES}/disk-1")
        free["status"] = {"phase": "Available"}
        self.ask("PUT", f"{VOLUMES}/disk-1/status", free)
        self.ask("POST", CLAIMS, claim("a", "disks"))
        self.ask("POST", CLAIMS, claim("b", "made"))
        self.put("pods", with_claim("a"), with_claim("b"))
        self.start()
        self.until("the volume has its claim", lambda: self.ask(
            "GET", f"{VOLUMES}/disk-1")["spec"].get("claimRef", {}).get("name") == "a")
        self.until("the node is written", lambda: self.ask("GET", f"{CLAIMS}/b")["metadata"].get(
            "annotations", {}).get(SELECTED) == "n1")
        self.assertEqual(self.bound(), {})
        self.bind("a", "disk-1")
        uid = self.ask("GET", f"{CLAIMS}/b")["metadata"]["uid"]
        self.ask("POST", VOLUMES, disk("disk-2", "made", "n1", claimRef={
            "namespace": "default", "name": "b", "uid": uid}))
        self.bind("b", "disk-2")
        self.until("both are bound", lambda: self.bound() == {"a": "n1", "b": "n1"})
