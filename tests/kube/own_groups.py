"""Gangs of Kubernetes itself: PodGroups, and groups of groups, with their conditions.

kube-controller-manager, which takes the finalizer of a PodGroup away, does not run.
"""

import unittest

from evictions import CLASSES
from objects import RACK, condition, node, pod

GROUP = "/apis/scheduling.k8s.io"
# From when on PodGroups have these parts, and their condition this name.
TREES, INITIALLY = 37, 37


def gang(name, least, **spec):
    return {"metadata": {"name": name},
            "spec": {"schedulingPolicy": {"gang": {"minCount": least}}, **spec}}


def below(parent):
    return {"workloadRef": {"workloadName": "w", "templateName": "t"},
            "parentCompositePodGroupName": parent}


def in_one(key):
    return {"schedulingConstraints": {"topology": [{"key": key}]}}


def member(name, group, cpu="1", priority=None):
    one = pod(name, cpu=cpu)
    one["spec"]["schedulingGroup"] = {"podGroupName": group}
    if priority:
        one["spec"]["priorityClassName"] = priority
    return one


class OwnGroups:
    """For a test case in a cluster."""

    def setUp(self):
        super().setUp()
        versions = self.plane.gang_apis
        self.groups = f"{GROUP}/{versions[0]}/namespaces/default/podgroups"
        self.trees = f"{GROUP}/{versions[-1]}/namespaces/default/compositepodgroups"
        self.workloads = f"{GROUP}/{versions[0]}/namespaces/default/workloads"
        self.clean_groups()
        self.addCleanup(self.clean_groups)

    def clean_groups(self):
        self.remove_all("pods")
        kinds = [self.groups, self.workloads]
        if self.plane.minor >= TREES:
            kinds.append(self.trees)
        for path in kinds:
            for one in self.ask("GET", path)["items"]:
                name = f"{path}/{one['metadata']['name']}"
                self.ask("DELETE", name, good=(200, 404))
                self.ask("PATCH", name, {"metadata": {"finalizers": None}}, good=(200, 404))

    def since(self, minor):
        if self.plane.minor < minor:
            raise unittest.SkipTest(f"Kubernetes 1.{minor} has it first")

    def reported(self, name):
        """Status and reason of the condition of a PodGroup."""
        kind = ("PodGroupInitiallyScheduled" if self.plane.minor >= INITIALLY
                else "PodGroupScheduled")
        found = condition(self.ask("GET", f"{self.groups}/{name}"), kind)
        return found.get("status"), found.get("reason")

    def wait_reported(self, name, *wanted):
        self.until(f"{name} says {wanted}", lambda: self.reported(name) == wanted)

    def wait_pods_say(self, reason):
        self.until("each says why it waits", lambda: {
            condition(one, "PodScheduled").get("reason") for one in self.items("pods")} == {reason})

    def test_a_gang_is_bound_together_and_its_group_says_so(self):
        self.ask("POST", self.groups, gang("train", 3))
        self.put("nodes", node("n1", cpu="2"))
        self.put("pods", *(member(f"t-{i}", "train") for i in range(3)))
        self.start()
        self.wait_pods_say("Unschedulable")
        self.wait_reported("train", "False", "Unschedulable")
        self.assertEqual(self.bound(), {})
        self.put("nodes", node("n2", cpu="1"))
        self.until("all of it is bound", lambda: len(self.bound()) == 3)
        self.wait_reported("train", "True", "Scheduled")

    def test_a_smaller_minimum_lets_a_gang_in(self):
        self.since(TREES)
        self.ask("POST", self.groups, gang("train", 3))
        self.put("nodes", node("n1", cpu="2"))
        self.put("pods", *(member(f"t-{i}", "train") for i in range(3)))
        self.start()
        self.wait_reported("train", "False", "Unschedulable")
        self.ask("PATCH", f"{self.groups}/train",
                 {"spec": {"schedulingPolicy": {"gang": {"minCount": 2}}}})
        self.until("two of it are bound", lambda: len(self.bound()) == 2)
        self.wait_reported("train", "True", "Scheduled")

    def test_a_gang_stays_in_one_rack(self):
        self.since(TREES)
        self.put("topologies", {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology",
                                "metadata": {"name": "hall"},
                                "spec": {"levels": [{"nodeLabel": RACK}]}})
        self.ask("POST", self.groups, gang("train", 3, **in_one(RACK)))
        self.put("nodes", node("a1", cpu="2", rack="a"), node("b1", cpu="2", rack="b"))
        self.put("pods", *(member(f"t-{i}", "train") for i in range(3)))
        self.start()
        self.wait_reported("train", "False", "Unschedulable")
        self.put("nodes", node("b2", cpu="1", rack="b"))
        self.until("all of it is bound", lambda: sorted(self.bound().values())
                   == ["b1", "b1", "b2"])
        self.wait_reported("train", "True", "Scheduled")

    def test_groups_of_groups_go_together(self):
        self.since(TREES)
        self.ask("POST", self.workloads, {"metadata": {"name": "w"}, "spec": {
            "podGroupTemplates": [{"name": "t", "schedulingPolicy": {"gang": {"minCount": 2}}}]}})
        self.ask("POST", self.trees, {"metadata": {"name": "tree"}, "spec": {
            "workloadRef": {"workloadName": "w", "templateName": "t"},
            "schedulingPolicy": {"gang": {"minGroupCount": 2}}}})
        self.ask("POST", self.groups, gang("a", 2, **below("tree")))
        self.put("nodes", node("n1", cpu="4"))
        self.put("pods", *(member(f"{part}-{i}", part) for part in ("a", "b") for i in range(2)))
        self.start()
        self.wait_reported("a", "False", "NotEnoughSubgroups")
        self.assertEqual(self.bound(), {})
        self.ask("POST", self.groups, gang("b", 2, **below("tree")))
        self.until("all are bound", lambda: len(self.bound()) == 4)
        for part in ("a", "b"):
            self.wait_reported(part, "True", "Scheduled")
        self.assertNotIn("conditions", self.ask("GET", f"{self.trees}/tree").get("status", {}))
        self.assertEqual(self.service.json("/debug/session")["errors"], [])

    def test_a_group_that_is_disrupted_as_one_leaves_as_one(self):
        self.since(TREES)
        for name, value in (("low", 10), ("high", 50)):
            self.ask("POST", CLASSES, {"metadata": {"name": name}, "value": value}, (201, 409))
        self.ask("POST", self.groups, gang("train", 1, priorityClassName="low",
                                           disruptionMode={"all": {}}))
        self.put("nodes", node("n1", cpu="2"))
        self.put("pods", *(member(f"t-{i}", "train", priority="low") for i in range(2)))
        self.start()
        self.until("all of it is bound", lambda: len(self.bound()) == 2)
        self.wait_reported("train", "True", "Scheduled")
        urgent = pod("urgent")
        urgent["spec"]["priorityClassName"] = "high"
        self.put("pods", urgent)
        self.until("it has made room", lambda: self.bound() == {"urgent": "n1"})
        self.assertEqual(self.done("eviction"), ["t-0", "t-1"])
        self.assertEqual(self.reported("train"), ("True", "Scheduled"), "it was scheduled once")
