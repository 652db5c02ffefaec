#!/usr/bin/env python3
"""`trellis serve --kubeconfig F`: the real binary beside a scripted API server.

    run.py --binary B [-k PATTERN]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
from api_server import POD_GROUPS, QUEUES, ApiServer  # noqa: E402
from added_objects import added_objects  # noqa: E402
from first_writes import first_writes  # noqa: E402
from held_pods import held_pods  # noqa: E402
from moves import moves  # noqa: E402
from node_requests import node_requests  # noqa: E402
from plugin import plugin  # noqa: E402
from scripted_objects import node, pod, pod_group  # noqa: E402
from service import Service, wait_for  # noqa: E402
from trusted_servers import trusted_servers  # noqa: E402
from waiting_claims import waiting_claims  # noqa: E402

BINARY = None
TOKEN = "s3cret-t0ken"


class Cluster:
    """A scripted API server with a kubeconfig that leads to it, and a service that reads it."""

    mode = ("--dry-run",)

    def __init__(self, *arguments, user=None, cluster=None, tls=None, **options):
        self.folder = tempfile.TemporaryDirectory()
        self.api = ApiServer(token=TOKEN, certificate=tls, **options)
        scheme = "https" if tls else "http"
        self.write("config", json.dumps({
            "current-context": "x",
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {
                "server": f"{scheme}://127.0.0.1:{self.api.port}", **(cluster or {})}}],
            "users": [{"name": "u", "user": user or {"token": TOKEN}}]}))
        self.arguments = arguments
        self.service = None

    def write(self, name, text):
        path = pathlib.Path(self.folder.name) / name
        path.write_text(text, encoding="utf-8")
        return path

    def start(self):
        self.service = Service(BINARY, [], "--log-format", "json", *self.mode, "--kubeconfig",
                               str(pathlib.Path(self.folder.name) / "config"), *self.arguments)
        return self.service

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.service:
            self.service.__exit__()
        self.api.close()
        self.folder.cleanup()

    def placed(self):
        """Where each pod is, or would be, as the last cycle says; None: nowhere."""
        status, _, text = self.service.fetch("/debug/decisions")
        if status != 200:
            return None
        return {one["name"]: one.get("node") for one in json.loads(text)["pods"]}

    def wait_placed(self, wanted):
        found = {}

        def reached():
            found["last"] = self.placed()
            return found["last"] == wanted
        try:
            wait_for(f"{wanted}", reached, 40)
        except Exception as failure:
            raise AssertionError(f"{failure}; last: {found['last']}\n"
                                 + "".join(self.service.lines)) from failure


class LiveCluster(Cluster):
    mode = ("--leader-elect=false",)

    def figure(self, name):
        _, _, text = self.service.fetch("/metrics")
        return next((float(line.removeprefix(name + " ")) for line in text.splitlines()
                     if line.startswith(name + " ")), 0)

    def wait_bound(self, wanted):
        try:
            wait_for(f"{wanted}", lambda: sorted(self.api.bound) == sorted(wanted), 40)
        except Exception as failure:
            raise AssertionError(f"{failure}; last: {self.api.bound}\n"
                                 + "".join(self.service.lines)) from failure


FirstWrites = first_writes(LiveCluster)
Tls = trusted_servers(Cluster)
HeldPods = held_pods(LiveCluster)
Moves = moves(LiveCluster)
WaitingClaims = waiting_claims(LiveCluster)
NodeRequests = node_requests(LiveCluster)
AddedObjects = added_objects(Cluster)
Plugin = plugin(lambda: BINARY, Cluster)


class Binding(unittest.TestCase):
    def test_a_gang_is_bound_once_with_what_is_noted_of_its_pods(self):
        with LiveCluster(groups=[POD_GROUPS]) as cluster:
            api = cluster.api
            api.put("nodes", node("n1", cpu="2"))
            api.put("podgroups", pod_group("train", 3))
            api.put("pods", pod("theirs", scheduler="default-scheduler"))
            for i in range(3):
                api.put("pods", pod(f"t-{i}", group="train"))
            service = cluster.start()
            cluster.wait_placed({"t-0": None, "t-1": None, "t-2": None, "theirs": None})
            self.assertEqual(api.bound, [])
            api.put("nodes", node("n1", cpu="4"))
            cluster.wait_bound([(f"t-{i}", "n1") for i in range(3)])
            wait_for("the watch reports", lambda: cluster.figure(
                'trellis_binds_total{outcome="confirmed"}') == 3)
            self.assertEqual(sorted(body["metadata"]["labels"]["trellis.scheduler/rank"]
                                    for body in api.bodies), ["0", "1", "2"])
            self.assertEqual(len({body["metadata"]["uid"] for body in api.bodies}), 3)
            self.assertEqual(len(api.asked("/binding")), 3)
            wait_for("no bind is open", lambda: cluster.figure("trellis_binds_open") == 0)
            seconds, code = service.stop()
            self.assertEqual((code, seconds < 2), (0, True))

    def test_what_is_decided_counts_before_the_watch_reports(self):
        with LiveCluster() as cluster:
            api = cluster.api
            api.put("nodes", node("n1"))
            api.mute()
            cluster.start()
            cluster.wait_placed({})
            api.put("pods", pod("a", cpu="3"))
            cluster.wait_bound([("a", "n1")])
            for name in ("b", "c"):
                api.put("pods", pod(name))
            wait_for("there is room for one", lambda: len(api.bound) == 2)
            waits = [name for name in ("b", "c") if name not in dict(api.bound)]
            wait_for("and for no other", lambda: cluster.placed().get(waits[0], "") is None)
            self.assertEqual(cluster.figure("trellis_binds_open"), 2)
            api.unmute()
            wait_for("the watch reports", lambda: cluster.figure("trellis_binds_open") == 0)
            self.assertEqual(len(api.bound), 2)

    def test_refusals_and_lost_answers_bind_nothing_twice(self):
        with LiveCluster() as cluster:
            api = cluster.api
            api.put("nodes", node("n1", cpu="8"))
            api.refusals["binding"] = [(500, True), (409, False), (429, False), (0, True),
                                       (503, False), (403, False)]
            for i in range(6):
                api.put("pods", pod(f"p-{i}"))
            cluster.start()
            cluster.wait_bound([(f"p-{i}", "n1") for i in range(6)])
            wait_for("the watch reports", lambda: cluster.figure("trellis_binds_open") == 0)
            self.assertGreater(cluster.figure("trellis_bind_retries_total"), 0)

    def test_a_bind_that_fails_for_good_lets_the_pod_wait_and_be_tried_again(self):
        with LiveCluster() as cluster:
            api = cluster.api
            api.put("nodes", node("n1"))
            api.refusals["binding"] = [(403, False)] * 6
            api.put("pods", pod("a"))
            service = cluster.start()
            failed = wait_for("it fails", lambda: service.events("pod could not be bound"), 60)
            self.assertEqual((failed[0]["pod"], failed[0]["node"]), ("default/a", "n1"))
            cluster.wait_bound([("a", "n1")])

    def half_a_gang(self, *arguments):
        """Two of three are bound; the third is refused, until it is given up."""
        cluster = LiveCluster(*arguments, groups=[POD_GROUPS])
        cluster.api.put("nodes", node("n1"))
        cluster.api.put("podgroups", pod_group("train", 3))
        for i in range(3):
            cluster.api.put("pods", pod(f"t-{i}", group="train"))
        cluster.api.refusals["binding"] = [(201, True)] * 2 + [(403, False)] * 6
        return cluster

    def test_a_gang_that_is_half_bound_is_refilled(self):
        with self.half_a_gang() as cluster:
            service = cluster.start()
            cluster.wait_bound([(f"t-{i}", "n1") for i in range(3)])
            logged = service.wait_for_events(
                "gang is below its minimum after a bind failed: it is refilled")
            self.assertEqual([one["gang"] for one in logged], ["default/train"])
            self.assertEqual(cluster.api.evicted, [])

    def test_or_evicted_where_that_is_the_policy(self):
        with self.half_a_gang("--on-failed-bind", "evict") as cluster:
            service = cluster.start()
            wait_for("what is bound of it is evicted", lambda: len(cluster.api.evicted) == 2, 40)
            self.assertEqual(sorted(cluster.api.evicted),
                             sorted(name for name, _ in cluster.api.bound))
            logged = service.wait_for_events(
                "gang is below its minimum after a bind failed: it is evicted")
            self.assertEqual([one["gang"] for one in logged], ["default/train"])

    def test_a_pod_that_makes_room_is_evicted_and_the_other_bound_once_it_is_gone(self):
        with LiveCluster() as cluster:
            api = cluster.api
            api.put("nodes", node("n1"))
            low = pod("low", cpu="4", on="n1")
            low["spec"]["priority"] = 10
            api.put("pods", low)
            # Its disruption budget says no, at first.
            api.refusals["eviction"] = [(429, False)]
            cluster.start()
            cluster.wait_placed({"low": "n1"})
            high = pod("high", cpu="4")
            high["spec"]["priority"] = 50
            api.put("pods", high)
            cluster.wait_bound([("high", "n1")])
            self.assertEqual(api.evicted, ["low"])
            self.assertEqual(cluster.figure('trellis_evictions_total{outcome="evicted"}'), 1)

    def test_room_that_another_scheduler_takes_is_looked_for_elsewhere(self):
        with LiveCluster() as cluster:
            api = cluster.api
            api.put("nodes", node("n1"))
            low = pod("low", cpu="4", on="n1")
            low["spec"]["priority"] = 10
            api.put("pods", low)
            cluster.start()
            cluster.wait_placed({"low": "n1"})
            api.mute()  # the other scheduler sees first that the room is free
            high = pod("high", cpu="4")
            high["spec"]["priority"] = 50
            api.put("pods", high)
            wait_for("the room is made", lambda: api.evicted == ["low"], 40)
            other = pod("other", cpu="4", scheduler="other", on="n1")
            other["spec"]["priority"] = 100
            api.put("pods", other)
            api.unmute()
            cluster.wait_placed({"other": "n1", "high": None})
            self.assertEqual(api.bound, [])
            api.put("nodes", node("n2"))
            cluster.wait_bound([("high", "n2")])
            self.assertEqual(api.evicted, ["low"])

    def test_a_process_that_is_killed_leaves_a_gang_that_the_next_one_completes(self):
        with LiveCluster(groups=[POD_GROUPS]) as cluster:
            api = cluster.api
            api.put("nodes", node("n1", cpu="3"))
            api.put("podgroups", pod_group("train", 3))
            for i in range(3):
                api.put("pods", pod(f"t-{i}", group="train"))
            api.refusals["binding"] = [(201, True)] + [(429, False)] * 100
            service = cluster.start()
            wait_for("one of it is bound", lambda: len(api.bound) == 1, 40)
            service.process.kill()
            service.__exit__()
            api.refusals["binding"] = []
            cluster.start()
            cluster.wait_bound([(f"t-{i}", "n1") for i in range(3)])


class DryRun(unittest.TestCase):
    def test_decides_about_its_pods_counts_the_others_and_writes_nothing(self):
        with Cluster(groups=[POD_GROUPS, QUEUES]) as cluster:
            api = cluster.api
            for name in ("n1", "n2", "n3"):
                api.put("nodes", node(name))
            api.put("pods", pod("load-1", cpu="3", scheduler="default-scheduler", on="n1"))
            api.put("pods", pod("load-2", cpu="3", scheduler="default-scheduler", on="n2"))
            api.put("pods", pod("theirs", scheduler="default-scheduler"))
            api.put("pods", pod("ours", cpu="2"))
            service = cluster.start()
            wanted = {"load-1": "n1", "load-2": "n2", "theirs": None, "ours": "n3"}
            cluster.wait_placed(wanted)
            # A decision is only shown: what comes next is decided as if it had not been made.
            api.put("pods", pod("late", cpu="2"))
            cluster.wait_placed(wanted | {"late": "n3"})
            api.put("pods", pod("later", cpu="1"))
            wait_for("three pods", lambda: len(cluster.placed()) == 6)
            # Until the one that binds has its say.
            api.put("pods", pod("ours", cpu="2", on="n3"))
            api.remove("pods", "late", "default")
            wait_for("ours runs", lambda: cluster.placed().get("ours") == "n3"
                     and "late" not in cluster.placed())
            self.assertEqual({method for method, _, _ in api.requests}, {"GET"})
            self.assertTrue(api.asked("/api/v1/pods?limit=500&continue=2"), "lists come in pages")
            self.assertTrue(api.asked("/apis/scheduling.run.ai/v2alpha2/podgroups?watch=1"))
            _, _, metrics = service.fetch("/metrics")
            self.assertIn('trellis_cluster_objects{kind="nodes"} 3\n', metrics)
            self.assertEqual(service.fetch("/readyz")[0], 200)
            seconds, code = service.stop()
            self.assertEqual(code, 0)
            self.assertLess(seconds, 2)
            self.assertNotIn(TOKEN, "".join(service.lines))

    def test_reports_where_the_other_scheduler_differs(self):
        with Cluster("--scheduler-name", "other") as cluster:
            api = cluster.api
            api.put("nodes", node("n1"))
            api.put("nodes", node("n2"))
            api.put("pods", pod("same", scheduler="other"))
            api.put("pods", pod("elsewhere", scheduler="other"))
            api.put("pods", pod("waits", cpu="9", scheduler="other"))
            service = cluster.start()
            wait_for("decisions", lambda: (cluster.placed() or {}).get("elsewhere"))
            ours = cluster.placed()
            theirs = {"same": ours["same"],
                      "elsewhere": "n2" if ours["elsewhere"] == "n1" else "n1", "waits": "n1"}
            outcomes = ("same", "elsewhere", "waiting")
            for seen, (name, where) in enumerate(theirs.items(), 1):
                cpu = "9" if name == "waits" else "1"
                api.put("pods", pod(name, cpu=cpu, scheduler="other", on=where))
                wait_for("it is seen", lambda seen=seen: sum(
                    service.json("/debug/differences")[one] for one in outcomes) == seen)
            report = service.json("/debug/differences")
            self.assertEqual([report[one] for one in outcomes], [1, 1, 1])
            found = {one["pod"]: (one.get("ours"), one["theirs"]) for one in report["differences"]}
            self.assertEqual(found, {
                "default/elsewhere": (ours["elsewhere"], theirs["elsewhere"]),
                "default/waits": (None, "n1")})
            self.assertEqual(
                {one["pod"] for one in service.wait_for_events("decided otherwise", len(found))},
                set(found))
            metrics = service.fetch("/metrics")[2]
            for outcome in outcomes:
                self.assertIn(f'trellis_dry_run_pods_total{{outcome="{outcome}"}} 1\n', metrics)
            # What is decided again each cycle is said once.
            api.put("pods", pod("stays", scheduler="other"))
            for i in range(3):
                wait_for("stays is decided", lambda: cluster.placed().get("stays"))
                api.put("pods", pod(f"more-{i}", cpu="9", scheduler="other"))
                wait_for("another cycle", lambda i=i: f"more-{i}" in cluster.placed())
            api.put("pods", pod("last", scheduler="other"))

            def said():
                return [one["gang"] for one in service.events("gang decided")]
            wait_for("the last one is in the log", lambda: "default/last" in said())
            self.assertEqual(said().count("default/stays"), 1, said())

    def test_a_gang_goes_together(self):
        with Cluster(groups=[POD_GROUPS]) as cluster:
            cluster.api.put("nodes", node("n1", cpu="2"))
            cluster.api.put("podgroups", pod_group("train", 3))
            for i in range(3):
                cluster.api.put("pods", pod(f"t-{i}", group="train"))
            cluster.start()
            cluster.wait_placed({"t-0": None, "t-1": None, "t-2": None})
            cluster.api.put("nodes", node("n1", cpu="4"))
            cluster.wait_placed({"t-0": "n1", "t-1": "n1", "t-2": "n1"})

    def test_no_decision_before_all_is_read(self):
        with Cluster() as cluster:
            cluster.api.put("nodes", node("n1"))
            cluster.api.put("pods", pod("ours"))
            gate = cluster.api.gate("nodes")
            service = cluster.start()
            wait_for("pods are read", lambda: any(
                one["kind"] == "pods" for one in service.events("kind read")))
            self.assertEqual(service.fetch("/readyz")[0], 503)
            self.assertIsNone(cluster.placed())
            gate.set()
            cluster.wait_placed({"ours": "n1"})

    def test_a_watch_survives_what_goes_wrong(self):
        with Cluster() as cluster:
            api = cluster.api
            api.put("nodes", node("n1"))
            service = cluster.start()
            cluster.wait_placed({})
            pods = "/api/v1/pods"
            wait_for("a watch", lambda: api.asked("pods?watch=1"))
            # An object that is no object, and a line that is none.
            api.send_event(pods, {"type": "ADDED", "object": {"metadata": {}}})
            api.put("pods", pod("a"))
            cluster.wait_placed({"a": "n1"})
            self.assertEqual(len(service.wait_for_events("object cannot be read")), 1)
            # An object whose fields are wrong waits with its reason, and stops nobody.
            api.put("pods", pod("wrong", cpu="much"))
            api.put("pods", pod("b"))
            wait_for("b is placed", lambda: cluster.placed().get("b") == "n1")
            self.assertTrue(wait_for("its error", lambda: [
                one for one in service.events("input") if "pods/default/wrong" in one["what"]]))
            # Clean end: resumed, without another list.
            lists = len(api.asked("pods?limit"))
            api.cut("pods")
            wait_for("another watch", lambda: len(api.asked("pods?watch=1")) >= 2)
            api.put("pods", pod("c"))
            wait_for("c is placed", lambda: cluster.placed().get("c") == "n1")
            self.assertEqual(len(api.asked("pods?limit")), lists)
            # Too old: a new list, and what went meanwhile is gone.
            with api.lock:
                expired = {"code": 410, "reason": "Expired"}
                api.send_event(pods, {"type": "ERROR", "object": expired})
                api.cut("pods")
                del api.objects[pods]["default/a"]
            wait_for("a is gone", lambda: "a" not in cluster.placed())
            self.assertGreater(len(api.asked("pods?limit")), lists)

    def test_a_kind_may_come_later_and_go(self):
        with Cluster() as cluster:
            cluster.api.put("nodes", node("n1"))
            cluster.api.put("pods", pod("t-0", group="train"))
            service = cluster.start()
            wait_for("a cycle", lambda: cluster.placed() is not None)
            cluster.api.groups.append(POD_GROUPS)
            cluster.api.put("podgroups", pod_group("train", 2))
            wait_for("the kind is read", lambda: [
                one for one in service.events("kind read")
                if one["kind"] == "podgroups.scheduling.run.ai"])
            cluster.wait_placed({"t-0": None})
            cluster.api.put("pods", pod("t-1", group="train"))
            cluster.wait_placed({"t-0": "n1", "t-1": "n1"})
            cluster.api.groups.clear()
            wait_for("the kind is gone", lambda: service.events("kind no longer served"))

    def test_a_token_file_may_change(self):
        with Cluster(user={"tokenFile": "token"}) as cluster:
            cluster.write("token", TOKEN + "\n")
            cluster.api.put("nodes", node("n1"))
            cluster.start()
            cluster.wait_placed({})
            cluster.api.token = "another"
            cluster.write("token", "another\n")
            cluster.api.cut()
            cluster.api.put("pods", pod("a"))
            cluster.wait_placed({"a": "n1"})

    def test_a_token_file_that_cannot_be_read_leaves_the_last_one_in_force(self):
        with Cluster(user={"tokenFile": "token"}) as cluster:
            cluster.write("token", TOKEN + "\n")
            cluster.api.put("nodes", node("n1"))
            service = cluster.start()
            cluster.wait_placed({})
            token = pathlib.Path(cluster.folder.name) / "token"
            token.unlink()
            token.mkdir()
            # What is refused has its file read again, which is a folder now.
            cluster.api.token = "another"
            cluster.api.cut()
            logged = wait_for("what is wrong with it", lambda: service.events("credentials"))[0]
            self.assertIn("token: found a directory", logged["what"])
            cluster.api.token = TOKEN
            cluster.api.put("pods", pod("a"))
            cluster.wait_placed({"a": "n1"})

    def test_other_names_than_trellis(self):
        with Cluster("--scheduler-name", "a", "--scheduler-name", "b") as cluster:
            cluster.api.put("nodes", node("n1"))
            for name in ("a", "b", "trellis"):
                cluster.api.put("pods", pod(name, scheduler=name))
            cluster.start()
            cluster.wait_placed({"a": "n1", "b": "n1", "trellis": None})


class Usage(unittest.TestCase):
    def complaint(self, *arguments):
        done = subprocess.run([BINARY, "serve", *arguments], capture_output=True, text=True,
                              timeout=60, check=False,
                              env={name: value for name, value in os.environ.items()
                                   if not name.startswith("KUBERNETES_")})
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_one_source(self):
        self.assertIn("expected one of them",
                      self.complaint("--in-cluster", "--kubeconfig", "c", "--dry-run"))
        self.assertIn("--dry-run needs", self.complaint("-f", ".", "--dry-run"))
        self.assertIn("expected -f FILE, --kubeconfig FILE or --in-cluster", self.complaint())

    def test_a_kubeconfig_that_is_wrong(self):
        self.assertIn("absent: found no such file",
                      self.complaint("--kubeconfig", "absent", "--dry-run"))
        folder = tempfile.gettempdir()
        self.assertIn(f"{folder}: found a directory",
                      self.complaint("--kubeconfig", folder, "--dry-run"))
        self.assertIn("KUBERNETES_SERVICE_HOST", self.complaint("--in-cluster", "--dry-run"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    arguments, rest = parser.parse_known_args()
    BINARY = arguments.binary
    unittest.main(argv=[sys.argv[0], *rest], warnings="ignore")
