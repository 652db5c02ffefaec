#!/usr/bin/env python3
"""`trellis serve --kubeconfig F` beside a real etcd, kube-apiserver and kwok.

    real.py --binary B [-k PATTERN]

`make test-kube` builds them; where they are not built, this ends with 77: skipped.
"""

import argparse
import atexit
import json
import pathlib
import signal
import subprocess
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "serve"))
import behind_proxy  # noqa: E402
import binding  # noqa: E402
import deployed  # noqa: E402
import devices  # noqa: E402
import ending  # noqa: E402
import evictions  # noqa: E402
import failing_writes  # noqa: E402
import own_groups  # noqa: E402
import owners  # noqa: E402
import plugin  # noqa: E402
import queued_kinds  # noqa: E402
import sharing  # noqa: E402
from control_plane import ControlPlane  # noqa: E402
from objects import RACK, node, pod, pod_group  # noqa: E402
from rights import FOREIGN, asked, grants, refused, stand_in, unused  # noqa: E402
from service import Failure, Service, wait_for  # noqa: E402
from writing_back import writing_back  # noqa: E402

BINARY = None
SKIPPED = 77
USER = "trellis"   # of dry runs: may only read
WRITER = deployed.ACCOUNT
SLOWLY = 120  # discovery is asked every ten seconds, and what failed waits up to 45 s
CRDS = {"podgroups": "podgroups.scheduling.run.ai", "queues": "queues.scheduling.run.ai",
        "topologies": "topologies.kueue.x-k8s.io", "workloads": "workloads.kueue.x-k8s.io",
        "clusterqueues": "clusterqueues.kueue.x-k8s.io",
        "localqueues": "localqueues.kueue.x-k8s.io",
        "resourceflavors": "resourceflavors.kueue.x-k8s.io"}
PATHS = {"nodes": "/api/v1/nodes",
         "pods": "/api/v1/namespaces/default/pods",
         "podgroups": "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups",
         "queues": "/apis/scheduling.run.ai/v2/queues",
         "topologies": "/apis/kueue.x-k8s.io/v1beta2/topologies",
         "workloads": "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads",
         "clusterqueues": "/apis/kueue.x-k8s.io/v1beta2/clusterqueues",
         "localqueues": "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/localqueues",
         "resourceflavors": "/apis/kueue.x-k8s.io/v1beta2/resourceflavors",
         "jobs": "/apis/batch/v1/namespaces/default/jobs",
         "cronjobs": "/apis/batch/v1/namespaces/default/cronjobs",
         "deployments": "/apis/apps/v1/namespaces/default/deployments",
         "replicasets": "/apis/apps/v1/namespaces/default/replicasets",
         "events": "/apis/events.k8s.io/v1/namespaces/default/events",
         "crds": "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
         "clusterroles": "/apis/rbac.authorization.k8s.io/v1/clusterroles",
         "clusterrolebindings": "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"}
plane = None
kubectl = None


def setUpModule():
    global plane, kubectl
    plane = ControlPlane(subprocess.run([HERE / "build.sh"], check=True, capture_output=True,
                                        text=True).stdout.strip())
    atexit.register(plane.__exit__)
    plane.add_user(USER)
    plane.add_user(sharing.ELECTOR)
    plane.add_user(WRITER)
    kubectl = deployed.Kubectl(plane)
    kubectl.deploy()
    kubectl.delete_crds()  # most tests want some that check nothing


def load_tests(loader, tests, _):
    """In the order of their names, but what looks back at all the others comes last, if all run."""
    last = [suite for suite in tests if any(isinstance(test, Rights) for test in suite)]
    others = [suite for suite in tests if suite not in last]
    return unittest.TestSuite(others if loader.testNamePatterns else others + last)


class BesideACluster(unittest.TestCase):
    PATHS = PATHS

    def setUp(self):
        self.plane = plane
        self.kubectl = kubectl
        self.admin = plane.client()
        self.service = None
        self.clean()
        for crd in ("podgroups", "topologies"):
            self.install(crd)
        self.grant(USER)

    def tearDown(self):
        if self.service:
            self.service.__exit__()
        self.admin.close()
        verbs = {one["verb"] for one in plane.requests(USER)}
        self.assertLessEqual(verbs, {"get", "list", "watch"}, "nothing is ever written")

    # The cluster, as its administrator sees it.

    def ask(self, method, path, body=None, good=(200, 201, 202)):
        status, answer = self.admin.ask(method, path, body)
        self.assertIn(status, good, f"{method} {path}: {answer}")
        return answer

    def put(self, resource, *objects):
        for one in objects:
            self.ask("POST", PATHS[resource], one)

    def remove(self, resource, name):
        self.ask("DELETE", f"{PATHS[resource]}/{name}?gracePeriodSeconds=0")

    def items(self, resource):
        status, answer = self.admin.ask("GET", PATHS[resource])
        return answer["items"] if status == 200 else []

    def remove_all(self, resource):
        self.ask("DELETE", PATHS[resource] + "?gracePeriodSeconds=0&propagationPolicy=Background",
                 good=(200, 404))
        wait_for(f"no {resource}", lambda: not self.items(resource))

    def clean(self):
        for resource in ("pods", "podgroups", "queues", "nodes", "topologies"):
            self.remove_all(resource)

    def install(self, resource):
        """The CRD, unless it is there."""
        text = (HERE / "crds" / f"{resource}.yaml").read_text(encoding="utf-8")
        self.ask("POST", PATHS["crds"], text, good=(201, 409))
        wait_for(f"{resource} are served",
                 lambda: self.admin.ask("GET", PATHS[resource])[0] == 200)

    def uninstall(self, resource):
        self.ask("DELETE", f"{PATHS['crds']}/{CRDS[resource]}", good=(200, 404))
        wait_for(f"{resource} are gone",
                 lambda: self.admin.ask("GET", PATHS[resource])[0] == 404 and self.admin.ask(
                     "GET", f"{PATHS['crds']}/{CRDS[resource]}")[0] == 404)

    def grant(self, user):
        """To list and watch what is read: what the account of a dry run needs."""
        self.ask("POST", PATHS["clusterrolebindings"], {
            "metadata": {"name": user}, "subjects": [{"kind": "User", "name": user}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                        "name": deployed.READER}}, good=(201, 409))

    def versions(self, *resources):
        return {(resource, one["metadata"]["name"]): one["metadata"]["resourceVersion"]
                for resource in resources for one in self.items(resource)}

    # The service, as its users see it.

    def start(self, user=USER, kubeconfig=None, environment=None):
        self.service = self.spawn("--dry-run", "--kubeconfig", kubeconfig or plane.kubeconfig(user),
                                  environment=environment)
        return self.service

    @staticmethod
    def spawn(*arguments, **options):
        service = Service(BINARY, [], "--log-format", "json", *arguments, **options)
        atexit.register(service.__exit__)
        return service

    def placed(self):
        return sharing.placed_by(self.service)

    def wait_placed(self, wanted, seconds=60):
        self.until(f"{wanted}", lambda: self.placed() == wanted, seconds)

    def until(self, what, condition, seconds=60):
        try:
            return wait_for(what, condition, seconds)
        except Failure as failure:
            raise AssertionError(f"{failure}; last: {self.placed()}\n"
                                 + "".join(self.service.lines)) from failure

    def figure(self, name, kind):
        _, _, text = self.service.fetch("/metrics")
        prefix = f'trellis_cluster_{name}{{kind="{kind}"}} '
        return next((float(line.removeprefix(prefix)) for line in text.splitlines()
                     if line.startswith(prefix)), 0)


class Decisions(BesideACluster):
    def test_a_gang_goes_into_one_rack_and_nothing_is_written(self):
        self.put("topologies", {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology",
                                "metadata": {"name": "hall"}, "spec": {"levels": [
                                    {"nodeLabel": RACK}, {"nodeLabel": "kubernetes.io/hostname"}]}})
        # Together the first rack has room for four pods, but not for three of two CPUs.
        for name, cpu, rack in (("a1", "3", "a"), ("a2", "3", "a"),
                                ("b1", "4", "b"), ("b2", "2", "b")):
            one = node(name, cpu, rack)
            one["metadata"]["labels"]["kubernetes.io/hostname"] = name
            self.put("nodes", one)
        self.put("podgroups", pod_group("train", 3, topologyConstraint={
            "topology": "hall", "requiredTopologyLevel": RACK}))
        self.put("pods", *(pod(f"t-{i}", cpu="2", group="train") for i in range(3)))
        self.put("pods", pod("theirs", scheduler="default-scheduler"))
        before = self.versions("pods", "podgroups", "topologies")
        service = self.start()
        self.until("the gang is placed", lambda: (self.placed() or {}).get("t-0"))
        placed = self.placed()
        self.assertEqual(sorted(placed[f"t-{i}"] for i in range(3)), ["b1", "b1", "b2"])
        self.assertIsNone(placed["theirs"])
        self.assertEqual(service.fetch("/readyz")[0], 200)
        self.assertEqual(self.figure("objects", "pods"), 4)
        self.assertEqual(self.figure("objects", "topologies.kueue.x-k8s.io"), 1)
        self.assertEqual(before, self.versions("pods", "podgroups", "topologies"))
        self.assertEqual([one["metadata"]["name"] for one in self.items("pods")
                          if "nodeName" in one["spec"]], [])

    def test_a_node_that_comes_later_lets_a_gang_in(self):
        self.put("nodes", node("n1", cpu="2"))
        self.put("podgroups", pod_group("train", 3))
        self.put("pods", *(pod(f"t-{i}", group="train") for i in range(3)))
        self.start()
        self.wait_placed({"t-0": None, "t-1": None, "t-2": None})
        self.put("nodes", node("n2", cpu="1"))
        self.until("all of it", lambda: sorted(self.placed().values(), key=str)
                   == ["n1", "n1", "n2"])
        self.remove("nodes", "n2")
        self.wait_placed({"t-0": None, "t-1": None, "t-2": None})

    def test_what_others_bind_counts_once_it_is_bound_until_it_is_gone(self):
        self.put("nodes", node("n1", cpu="2"))
        self.put("pods", pod("theirs", cpu="2", scheduler="default-scheduler"), pod("ours"))
        self.start()
        self.wait_placed({"theirs": None, "ours": "n1"})
        self.ask("POST", PATHS["pods"] + "/theirs/binding", {
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": "theirs"},
            "target": {"kind": "Node", "name": "n1"}})
        self.wait_placed({"theirs": "n1", "ours": None})
        self.until("kwok runs it", lambda: [one["status"]["phase"] for one in self.items("pods")
                                            if one["metadata"]["name"] == "theirs"] == ["Running"])
        self.wait_placed({"theirs": "n1", "ours": None})
        self.remove("pods", "theirs")
        self.wait_placed({"ours": "n1"})

    def test_lists_of_several_pages(self):
        count = 520  # above what one page holds
        self.put("nodes", node("n1", cpu="600"))
        self.put("pods", *(pod(f"p-{i:03}") for i in range(count)))
        self.start()
        self.wait_placed({f"p-{i:03}": "n1" for i in range(count)})
        self.assertTrue([one for one in plane.requests(USER)
                         if "/pods?" in one["requestURI"] and "continue=" in one["requestURI"]
                         and one["responseStatus"]["code"] == 200])
        self.assertEqual(self.figure("failures_total", "pods"), 0)


class Faults(BesideACluster):
    def test_a_crd_that_comes_late_is_found_and_one_that_goes_is_forgotten(self):
        self.uninstall("podgroups")
        self.uninstall("queues")
        self.put("nodes", node("n1"))
        self.put("pods", pod("t-0", group="train"), pod("alone"))
        service = self.start()
        self.wait_placed({"t-0": None, "alone": "n1"})
        self.install("podgroups")
        self.install("queues")
        self.put("podgroups", pod_group("train", 2, queue="research"))
        self.put("queues", {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                            "metadata": {"name": "research"}, "spec": {}})
        for kind in ("podgroups.scheduling.run.ai", "queues.scheduling.run.ai"):
            self.until(f"{kind} are read", lambda kind=kind: self.figure("objects", kind) == 1,
                       SLOWLY)
        self.assertIsNone(self.placed()["t-0"])
        self.put("pods", pod("t-1", group="train"))
        together = {"t-0": "n1", "t-1": "n1", "alone": "n1"}
        self.wait_placed(together)
        self.uninstall("queues")
        self.until("queues are forgotten", lambda: [
            one for one in service.events("kind no longer served")
            if one["kind"] == "queues.scheduling.run.ai"], SLOWLY)
        self.wait_placed(together)

    def test_an_api_server_that_crashes_loses_nothing(self):
        self.put("nodes", node("n1"))
        self.put("podgroups", pod_group("train", 2))
        self.put("pods", pod("a"), pod("t-0", group="train"), pod("t-1", group="train"))
        wanted = {"a": "n1", "t-0": "n1", "t-1": "n1"}
        service = self.start()
        self.wait_placed(wanted)
        lists = self.figure("lists_total", "pods")
        # The version that pods are watched from is older than anything that a new server knows.
        self.put("podgroups", pod_group("newer", 1))
        plane.kill_api()
        self.admin.close()
        self.until("it is missed", lambda: self.figure("failures_total", "pods"))
        self.assertEqual(service.fetch("/readyz")[0], 200)
        self.assertEqual(self.placed(), wanted)
        plane.restart_api()
        # Before the watch is there again: what went must not stay.
        self.remove("pods", "a")
        self.put("pods", pod("b"))
        self.wait_placed({"b": "n1", "t-0": "n1", "t-1": "n1"}, SLOWLY)
        self.assertGreater(self.figure("lists_total", "pods"), lists)
        # Every kind is watched again.
        self.put("nodes", node("n2"))
        self.put("podgroups", pod_group("late", 9))
        self.put("pods", pod("l-0", group="late"), pod("c", cpu="4"))
        self.wait_placed({"b": "n1", "c": "n2", "l-0": None, "t-0": "n1", "t-1": "n1"}, SLOWLY)

    def test_a_broken_object_is_counted_and_the_rest_decided(self):
        self.put("nodes", node("n1"))
        self.put("podgroups", pod_group("wrong", "three"))
        self.put("pods", pod("w-0", group="wrong"), pod("right"))
        service = self.start()
        self.until("the rest is decided", lambda: (self.placed() or {}).get("right") == "n1")
        _, _, metrics = service.fetch("/metrics")
        self.assertIn("\ntrellis_input_errors 1\n", metrics)
        errors = service.json("/debug/session")["errors"]
        self.assertEqual(len(errors), 1, errors)
        self.assertIn("podgroups.scheduling.run.ai/default/wrong", errors[0])
        self.remove("podgroups", "wrong")
        self.put("podgroups", pod_group("wrong", 1))
        self.wait_placed({"w-0": "n1", "right": "n1"})
        self.assertIn("\ntrellis_input_errors 0\n", service.fetch("/metrics")[2])

    def test_an_account_without_rights_is_reported_and_goes_on_once_it_has_them(self):
        plane.add_user("stranger")
        self.put("nodes", node("n1"))
        self.put("pods", pod("a"))
        service = self.start("stranger")
        failed = self.until("it is refused", lambda: [
            one["what"] for one in service.events("watching failed") if one["kind"] == "pods"])
        self.assertIn("403", failed[0])
        self.assertIn('User "stranger" cannot list resource "pods"', failed[0])
        self.assertEqual(service.fetch("/readyz")[0], 503)
        self.grant("stranger")
        self.wait_placed({"a": "n1"}, SLOWLY)
        self.assertEqual(service.fetch("/readyz")[0], 200)


class InACluster(BesideACluster):
    def setUp(self):
        super().setUp()
        self.asked_before = len(plane.requests(WRITER))

    def start(self, *arguments, kubeconfig=None):
        self.service = self.spawn("--kubeconfig", kubeconfig or plane.kubeconfig(WRITER),
                                  "--leader-elect=false", *arguments)
        return self.service

    def bound(self):
        return {one["metadata"]["name"]: one["spec"]["nodeName"] for one in self.items("pods")
                if "nodeName" in one["spec"]}

    def nothing_open(self):
        return "\ntrellis_binds_open 0\n" in self.service.fetch("/metrics")[2]

    def done(self, what):
        """The pods of the writes that were done, as the audit log shows: a name a write."""
        return sorted(one["objectRef"]["name"] for one in plane.requests(WRITER)[self.asked_before:]
                      if one.get("objectRef", {}).get("subresource") == what
                      and one["responseStatus"]["code"] == 201)

    def rank(self, name):
        labels = self.ask("GET", f"{PATHS['pods']}/{name}")["metadata"]["labels"]
        return labels["trellis.scheduler/rank"]

    def requests(self):
        return plane.requests(WRITER)[self.asked_before:]

    def pod_named(self, name):
        return next(one for one in self.items("pods") if one["metadata"]["name"] == name)


class Binding(binding.Binding, InACluster):
    pass


WritingBack = writing_back(InACluster, PATHS)


class Evictions(evictions.Evictions, InACluster):
    pass


class Devices(devices.Devices, InACluster):
    pass


class OwnGroups(own_groups.OwnGroups, InACluster):
    pass


class FailingWrites(failing_writes.FailingWrites, InACluster):
    WRITER = WRITER


class QueuedKinds(queued_kinds.QueuedKinds, InACluster):
    pass


class Owners(owners.Owners, InACluster):
    @classmethod
    def setUpClass(cls):
        # Its pods would be made, too.
        kubectl("delete", "deployment", "trellis", "-n", deployed.NAMESPACE, "--ignore-not-found")
        cls.addClassCleanup(plane.start_controllers().kill)


class Ending(ending.Ending, BesideACluster):
    pass


class Sharing(sharing.Sharing, InACluster):
    pass


class BehindAProxy(behind_proxy.BehindAProxy, BesideACluster):
    pass


class Plugin(plugin.called_by_kubectl(lambda: BINARY, USER), BesideACluster):
    pass


class Deployed(deployed.Deployed):
    def setUp(self):
        self.kubectl = kubectl
        super().setUp()


class Rights(BesideACluster):
    """Last, for it looks back at what all the others asked for."""

    def setUp(self):
        super().setUp()
        for one in FOREIGN:
            self.ask("POST", PATHS["crds"], stand_in(*one), good=(201, 409))
        self.install("queues")
        kubectl.deploy()  # with kai.scheduler's Topology

    def test_they_are_those_that_are_used(self):
        self.start()
        granted = grants(kubectl)

        def codes():
            return asked(plane.requests(USER) + plane.requests(WRITER))
        read = {one for one in granted if one[-1] in ("list", "watch")}
        end = time.monotonic() + 60
        while unused(read, codes(), plane.minor) and time.monotonic() < end:
            time.sleep(1)
        self.assertEqual(refused(codes()), [])
        self.assertEqual(unused(granted, codes(), plane.minor), [], "granted for nothing")


def interrupt(*_):
    raise KeyboardInterrupt


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    arguments, rest = parser.parse_known_args()
    if subprocess.run([HERE / "build.sh", "--check"], check=False,
                      stdout=subprocess.DEVNULL).returncode:
        print("skipped: make test-kube")
        sys.exit(SKIPPED)
    BINARY = arguments.binary
    signal.signal(signal.SIGTERM, interrupt)  # so that what was started is ended
    unittest.main(argv=[sys.argv[0], *rest], warnings="ignore")
