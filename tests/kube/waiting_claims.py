"""Claims that wait for their pods in a live cluster: tests that run.py runs."""

import json
import time
import unittest

from api_server import POD_GROUPS
from scripted_objects import node, pod, pod_group
from service import wait_for

CLASSES = ("storage.k8s.io", "v1", "storageclasses", "StorageClass")
HOSTNAME = "kubernetes.io/hostname"
SELECTED = "volume.kubernetes.io/selected-node"
COMPLETED = "pv.kubernetes.io/bind-completed"
CLAIMS = "/api/v1/persistentvolumeclaims"
VOLUMES = "/api/v1/persistentvolumes"


def named_node(name, cpu="4"):
    one = node(name, cpu)
    one["metadata"]["labels"] = {HOSTNAME: name}
    return one


def storage_class(name, provisioner):
    return {"metadata": {"name": name}, "provisioner": provisioner,
            "volumeBindingMode": "WaitForFirstConsumer"}


def claim(name, of):
    return {"metadata": {"namespace": "default", "name": name, "uid": f"uid-{name}"},
            "spec": {"storageClassName": of, "accessModes": ["ReadWriteOnce"],
                     "resources": {"requests": {"storage": "1Gi"}}}}


def disk(name, on):
    term = {"matchExpressions": [{"key": HOSTNAME, "operator": "In", "values": [on]}]}
    return {"metadata": {"name": name},
            "spec": {"storageClassName": "disks", "capacity": {"storage": "2Gi"},
                     "accessModes": ["ReadWriteOnce"],
                     "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}}},
            "status": {"phase": "Available"}}


def with_claim(name, group=None):
    one = pod(name, group=group)
    one["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    return one


def waiting_claims(live_cluster):
    class WaitingClaims(unittest.TestCase):
        """Beside a scripted API server, whose controllers are played here."""

        def objects(self, cluster, path):
            with cluster.api.lock:
                return json.loads(json.dumps(list(cluster.api.objects.get(path, {}).values())))

        def chosen(self, cluster):
            """The node of each claim for which a volume is to be made."""
            return {one["metadata"]["name"]: one["metadata"].get("annotations", {}).get(SELECTED)
                    for one in self.objects(cluster, CLAIMS)}

        def owners(self, cluster):
            """The claim of each volume."""
            return {one["metadata"]["name"]: one["spec"].get("claimRef", {}).get("name")
                    for one in self.objects(cluster, VOLUMES)}

        def bind(self, cluster, name, volume):
            """What the volume binder does."""
            one = next(each for each in self.objects(cluster, CLAIMS)
                       if each["metadata"]["name"] == name)
            one["metadata"].setdefault("annotations", {})[COMPLETED] = "yes"
            one["spec"]["volumeName"] = volume
            cluster.api.put("persistentvolumeclaims", one)

        def test_a_gang_is_bound_once_all_its_claims_are(self):
            with live_cluster(groups=[POD_GROUPS, CLASSES]) as cluster:
                api = cluster.api
                for name in ("n1", "n2"):
                    api.put("nodes", named_node(name, cpu="1"))
                    api.put("persistentvolumes", disk(f"disk-{name}", name))
                api.put("storageclasses", storage_class("disks", "kubernetes.io/no-provisioner"))
                api.put("podgroups", pod_group("train", 2))
                for name in ("a", "b"):
                    api.put("persistentvolumeclaims", claim(name, "disks"))
                    api.put("pods", with_claim(name, group="train"))
                cluster.start()
                wait_for("the volumes have their claims",
                         lambda: sorted(filter(None, self.owners(cluster).values())) == ["a", "b"],
                         40)
                owners = {claim: volume for volume, claim in self.owners(cluster).items()}
                self.bind(cluster, "a", owners["a"])
                time.sleep(2.5)
                self.assertEqual(api.bound, [], "before the claim of the other pod")
                self.bind(cluster, "b", owners["b"])
                cluster.wait_bound([(name, owners[name].removeprefix("disk-"))
                                    for name in ("a", "b")])

        def test_a_volume_is_made_where_the_pod_will_run(self):
            with live_cluster(groups=[POD_GROUPS, CLASSES]) as cluster:
                api = cluster.api
                api.put("nodes", named_node("n1"))
                api.put("storageclasses", storage_class("made", "disks.example"))
                api.put("persistentvolumeclaims", claim("a", "made"))
                api.put("pods", with_claim("a"))
                cluster.start()
                wait_for("the node is written",
                         lambda: self.chosen(cluster) == {"a": "n1"}, 40)
                # The provisioner refuses: the node is written again.
                one = self.objects(cluster, CLAIMS)[0]
                time.sleep(1.5)
                del one["metadata"]["annotations"][SELECTED]
                api.put("persistentvolumeclaims", one)
                wait_for("the node is written again",
                         lambda: self.chosen(cluster) == {"a": "n1"}, 40)
                self.assertEqual(api.bound, [])
                made = disk("made", "n1")
                made["spec"]["claimRef"] = {"namespace": "default", "name": "a", "uid": "uid-a"}
                api.put("persistentvolumes", made)
                self.bind(cluster, "a", "made")
                cluster.wait_bound([("a", "n1")])

        def test_a_service_that_starts_again_goes_on_with_what_was_written(self):
            with live_cluster(groups=[POD_GROUPS, CLASSES]) as cluster:
                api = cluster.api
                for name in ("n1", "n2"):
                    api.put("nodes", named_node(name))
                api.put("storageclasses", storage_class("made", "disks.example"))
                api.put("persistentvolumeclaims", claim("a", "made"))
                api.put("pods", with_claim("a"))
                service = cluster.start()
                wait_for("the node is written", lambda: self.chosen(cluster)["a"], 40)
                on = self.chosen(cluster)["a"]
                service.process.kill()
                service.process.wait()
                cluster.start()
                time.sleep(1.5)
                self.assertEqual(api.bound, [])
                api.put("persistentvolumes", disk("made", on))
                self.bind(cluster, "a", "made")
                cluster.wait_bound([("a", on)])

    return WaitingClaims
