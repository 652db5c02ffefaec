"""What is held in a live cluster, what its pods say of it, and what they count as: tests that run.py
runs."""

import json
import unittest

from api_server import POD_GROUPS, QUEUES
from scripted_objects import node, pod, pod_group
from service import wait_for

CLAIMS = ("resource.k8s.io", "v1", "resourceclaims", "ResourceClaim")
GPU = "nvidia.com/gpu"


def own_group(version):
    return ("scheduling.k8s.io", version, "podgroups", "PodGroup")


COMPOSITES = ("scheduling.k8s.io", "v1alpha3", "compositepodgroups", "CompositePodGroup")


def own_pod(name, group):
    one = pod(name)
    one["spec"]["schedulingGroup"] = {"podGroupName": group}
    return one


def group_says(api, name, kind="PodGroupInitiallyScheduled"):
    """(status, reason) of the condition; of none ("", "")."""
    one = api.objects[api.path_of("podgroups")]["default/" + name]
    return next(((each["status"], each["reason"])
                 for each in one.get("status", {}).get("conditions", [])
                 if each["type"] == kind), ("", ""))


def claim(name):
    return {"metadata": {"namespace": "default", "name": name}, "spec": {"devices": {
        "requests": [{"name": "gpu", "exactly": {"deviceClassName": "not-there"}}]}}}


def half_a_gpu(name):
    one = pod(name)
    one["metadata"]["annotations"] = {"gpu-fraction": "0.5"}
    return one


def resized(name, wanted, given):
    """Runs on n1."""
    one = pod(name, cpu=wanted, on="n1")
    one["status"]["containerStatuses"] = [
        {"name": "c", "image": "x", "allocatedResources": {"cpu": given},
         "resources": {"requests": {"cpu": given}}}]
    return one


def held_pods(live_cluster):
    class HeldPods(unittest.TestCase):
        """Beside a scripted API server."""

        def says(self, cluster, name):
            """Reason and message of its condition PodScheduled."""
            one = cluster.api.objects["/api/v1/pods"][f"default/{name}"]
            return next(((each["reason"], each["message"])
                         for each in one["status"].get("conditions", [])
                         if (each["type"], each["status"]) == ("PodScheduled", "False")),
                        (None, None))

        def wait_says(self, cluster, name, reason):
            try:
                wait_for(reason, lambda: self.says(cluster, name)[0] == reason, 20)
            except Exception as failure:
                raise AssertionError(f"{name}: {self.says(cluster, name)}, expected {reason}\n"
                                     + "".join(cluster.service.lines)) from failure

        def test_pods_with_claims_say_what_they_wait_for(self):
            with live_cluster(groups=[CLAIMS]) as cluster:
                api = cluster.api
                api.put("nodes", node("n1"))
                api.put("nodes", node("n2"))
                api.put("resourceclaims", claim("devices"))
                one = pod("a")
                one["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "devices"}]
                api.put("pods", one)
                other = pod("b")
                other["spec"]["resourceClaims"] = [{"name": "gpu",
                                                    "resourceClaimTemplateName": "one"}]
                api.put("pods", other)
                cluster.start()
                self.wait_says(cluster, "a", "Unschedulable")
                self.wait_says(cluster, "b", "ResourceClaimNotUsable")

        def test_a_part_of_a_gpu_needs_a_program_that_prepares_it(self):
            with_gpu = node("n1")
            with_gpu["status"]["allocatable"][GPU] = "1"
            with live_cluster() as cluster:
                cluster.api.put("nodes", with_gpu)
                cluster.api.put("pods", half_a_gpu("half"))
                cluster.start()
                self.wait_says(cluster, "half", "GpuFractionBinderMissing")
                self.assertEqual(cluster.api.bound, [])
            with live_cluster("--gpu-fraction-binder") as cluster:
                cluster.api.put("nodes", with_gpu)
                cluster.api.put("pods", half_a_gpu("half"))
                cluster.start()
                cluster.wait_bound([("half", "n1")])

        def test_only_pods_that_more_nodes_would_help_are_unschedulable(self):
            with live_cluster(groups=[POD_GROUPS, QUEUES]) as cluster:
                api = cluster.api
                api.put("nodes", node("n1", cpu="4"))
                share = {"quota": -1, "limit": -1, "overQuotaWeight": 1}
                for name, limit in (("tight", 1000), ("wide", -1)):
                    api.put("queues", {
                        "apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                        "metadata": {"name": name},
                        "spec": {"resources": {"gpu": share, "memory": share,
                                               "cpu": {**share, "limit": limit}}}})
                for name, queue, more in (("bounded", "tight", {}), ("large", "wide", {}),
                                          ("silent", "wide", {"markUnschedulable": False})):
                    group = pod_group(name, 2)
                    group["spec"].update({"queue": queue, **more})
                    api.put("podgroups", group)
                    for i in range(2):
                        api.put("pods", pod(f"{name}-{i}", group=name,
                                            cpu="1" if name == "bounded" else "3"))
                cluster.start()
                for i in range(2):
                    self.wait_says(cluster, f"bounded-{i}", "QueueOverLimit")
                    self.wait_says(cluster, f"large-{i}", "Unschedulable")
                    self.wait_says(cluster, f"silent-{i}", "NodesNoFit")
                self.assertIn("limit", self.says(cluster, "bounded-0")[1])
                # The same pods say another word once something else holds them.
                api.put("queues", {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                                   "metadata": {"name": "wide"},
                                   "spec": {"resources": {"gpu": share, "memory": share,
                                                          "cpu": {**share, "limit": 1000}}}})
                self.wait_says(cluster, "large-0", "QueueOverLimit")
                self.assertEqual(api.bound, [])

        def test_a_pod_counts_as_what_it_holds_while_it_is_resized(self):
            with live_cluster() as cluster:
                api = cluster.api
                api.put("nodes", node("n1", cpu="4"))
                api.put("pods", resized("runs", "1", "3"))
                api.put("pods", pod("waits", cpu="2"))
                cluster.start()
                self.wait_says(cluster, "waits", "Unschedulable")
                api.put("pods", resized("runs", "1", "1"))
                cluster.wait_bound([("waits", "n1")])

        def test_gangs_of_kubernetes_1_37_go_together(self):
            with live_cluster(groups=[own_group("v1beta1")]) as cluster:
                api = cluster.api
                api.put("nodes", node("n1", cpu="2"))
                api.put("podgroups", {
                    "metadata": {"namespace": "default", "name": "train"},
                    "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
                    "spec": {"schedulingPolicy": {"gang": {"minCount": 3}},
                             "schedulingConstraints": None, "disruptionMode": {"single": {}}}})
                for i in range(3):
                    api.put("pods", own_pod(f"t-{i}", "train"))
                cluster.start()
                self.wait_says(cluster, "t-0", "Unschedulable")
                wait_for("its group says so",
                         lambda: group_says(api, "train") == ("False", "Unschedulable"), 20)
                api.put("nodes", node("n2", cpu="1"))
                wait_for("all are bound", lambda: len(api.bound) == 3, 20)
                wait_for("its group says so",
                         lambda: group_says(api, "train") == ("True", "Scheduled"), 20)

        def test_a_gang_of_kubernetes_1_36_has_another_condition(self):
            with live_cluster(groups=[own_group("v1alpha2")]) as cluster:
                api = cluster.api
                api.put("nodes", node("n1", cpu="1"))
                api.put("podgroups", {
                    "metadata": {"namespace": "default", "name": "train"},
                    "apiVersion": "scheduling.k8s.io/v1alpha2", "kind": "PodGroup",
                    "spec": {"schedulingPolicy": {"gang": {"minCount": 1}},
                             "disruptionMode": "PodGroup"}})
                api.put("pods", own_pod("t-0", "train"))
                cluster.start()
                wait_for("its group says so", lambda: group_says(
                    api, "train", "PodGroupScheduled") == ("True", "Scheduled"), 20)

        def test_groups_of_groups_go_together(self):
            with live_cluster(groups=[own_group("v1beta1"), COMPOSITES]) as cluster:
                api = cluster.api
                api.put("nodes", node("n1", cpu="4"))
                api.put("compositepodgroups", {
                    "metadata": {"namespace": "default", "name": "tree"},
                    "apiVersion": "scheduling.k8s.io/v1alpha3", "kind": "CompositePodGroup",
                    "spec": {"schedulingPolicy": {"gang": {"minGroupCount": 2}},
                             "schedulingConstraints": None}})

                def put_child(name):
                    api.put("podgroups", {
                        "metadata": {"namespace": "default", "name": name},
                        "apiVersion": "scheduling.k8s.io/v1beta1", "kind": "PodGroup",
                        "spec": {"schedulingPolicy": {"gang": {"minCount": 2}},
                                 "workloadRef": {"workloadName": "w", "templateName": "t"},
                                 "parentCompositePodGroupName": "tree"}})
                for i in range(2):
                    api.put("pods", own_pod(f"a-{i}", "a"))
                    api.put("pods", own_pod(f"b-{i}", "b"))
                put_child("a")
                cluster.start()
                self.wait_says(cluster, "a-0", "NotEnoughSubgroups")
                wait_for("its group says so",
                         lambda: group_says(api, "a") == ("False", "NotEnoughSubgroups"), 20)
                self.wait_says(cluster, "b-0", "GangNotFound")
                self.assertEqual(api.bound, [])
                put_child("b")
                wait_for("all are bound", lambda: len(api.bound) == 4, 20)
                for name in ("a", "b"):
                    wait_for("each says so",
                             lambda name=name: group_says(api, name) == ("True", "Scheduled"), 20)
                one = api.objects[api.path_of("compositepodgroups")]["default/tree"]
                self.assertNotIn("status", one)

        def test_a_kind_in_unknown_versions_alone_is_warned_of(self):
            with live_cluster(groups=[own_group("v9")]) as cluster:
                cluster.api.put("nodes", node("n1"))
                service = cluster.start()
                text = "PodGroup.scheduling.k8s.io served as v9 alone"

                def warnings():
                    _, _, session = service.fetch("/debug/session")
                    return [one for one in json.loads(session).get("warnings", []) if text in one]
                metric = ('trellis_cluster_unknown_versions{kind="PodGroup.scheduling.k8s.io",'
                          'version="v9"}')
                wait_for("a warning", warnings, 20)

                def logged():
                    return [one["level"] for one in service.events("input") if text in one["what"]]
                wait_for("the warning is in the log", logged)
                self.assertEqual(logged(), ["warn"])
                self.assertEqual(cluster.figure(metric), 1)
                # What stands there counts once it is served in a version that is known.
                cluster.api.groups[:] = [own_group("v1beta1"), own_group("v9")]
                wait_for("it is over", lambda: not warnings(), 20)
                _, _, text = service.fetch("/metrics")
                self.assertNotIn(metric, text)

    return HeldPods
