#!/usr/bin/env python3
"""`trellis serve` as its users meet it: the real binary, real files, signals and sockets.

    run.py --binary B [-k PATTERN]
"""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from private_objects import objects_with_secrets
from service import ADDRESS, Service, wait_for

ROOT = pathlib.Path(__file__).resolve().parents[2]
HALL = ROOT / "examples/nvl72"
BINARY = None

NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"rack": "r1"}},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "10"}}}


def pod(name, cpu="1", **status):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", "name": name},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]},
            "status": status}


class Files:
    """A folder of JSON lines, each file replaced as a whole."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, *objects):
        self.write_text(name, "".join(json.dumps(one) + "\n" for one in objects))

    def write_text(self, name, text):
        new = self.path / ".new"
        new.write_text(text)
        new.rename(self.path / name)

    def close(self):
        self.folder.cleanup()


class Answers(unittest.TestCase):
    """One service over the demo hall, asked about everything."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service(BINARY, [HALL], "--log-format", "json")
        cls.service.wait_for_cycle(2)

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()

    def test_every_route_answers(self):
        names = {"{topology}": "nvl72", "{namespace}": "research", "{gang}": "oversized",
                 "{pod}": "oversized-0", "{node}": "b1-r1-n01", "{path}": "b1/r3"}
        paths = self.service.json("/debug/openapi.json")["paths"]
        for path, operations in paths.items():
            if "{queue}" in path or "{workload}" in path:
                continue  # the hall has none; test_queues_add_up and test_workloads_are_admitted ask
            if path in ("/debug/differences", "/debug/whatif"):
                continue  # of a dry run alone: tests/kube/run.py; whatif.py
            if path == "/debug/failed":
                self.assertEqual(self.service.fetch(path)[0], 404)  # no cycle has failed
                continue
            asked = path
            for hole, name in names.items():
                asked = asked.replace(hole, name)
            status, headers, text = self.service.fetch(asked)
            self.assertEqual(status, 200, (asked, text))
            if path.startswith("/debug/") and path not in ("/debug/snapshot", "/debug/"):
                json.loads(text)
            parameters = [one["name"] for one in operations["get"].get("parameters", [])]
            if "format" in parameters:
                status, headers, text = self.service.fetch(asked + "?format=text")
                self.assertEqual(status, 200, (asked, text))
                self.assertTrue(headers["Content-Type"].startswith("text/plain"), asked)
                self.assertTrue(text.strip(), asked)

    def test_a_snapshot_contains_no_secret_of_a_template(self):
        files = Files()
        self.addCleanup(files.close)
        files.write("cluster.jsonl", NODE, *objects_with_secrets())
        with Service(BINARY, [files.path]) as service:
            def of_one_cycle():
                answers = [service.fetch(path) for path in ("/debug/snapshot", "/debug/decisions")]
                same = len({headers["Trellis-Cycle"] for _, headers, _ in answers}) == 1
                return same and [text for _, _, text in answers]
            service.wait_for_cycle()
            snapshot, decided = wait_for("both of one cycle", of_one_cycle)
        self.assertNotIn("s3cret", snapshot)
        for name in ("job", "deployment", "jobset", "unknown", "of-unknown", "job-0"):
            self.assertIn(f'"name":"{name}"', snapshot)
        self.assertIn('"labels":{"env":"prod"}', snapshot)
        again = subprocess.run([BINARY, "schedule", "-f", "-", "-o", "json"], input=snapshot,
                               check=True, capture_output=True, text=True)
        self.assertEqual(json.loads(again.stdout), json.loads(decided))

    def test_the_documentation_names_every_path(self):
        documented = set()
        for line in (ROOT / "docs/http.md").read_text().splitlines():
            if line.startswith("| `/"):
                documented.update(re.findall(r"`(/[^`]*)`", line.split("|")[1]))
        served = set(self.service.json("/debug/openapi.json")["paths"])
        plain = {re.sub(r"/([A-Z]+)\b(\.\.\.)?", "/*", path) for path in documented}
        self.assertEqual(plain, {re.sub(r"\{[^}]*\}", "*", path) for path in served}
                         - {"/debug/domains/*"})
        links = re.findall(r'href="([^"]*)"', self.service.fetch("/debug/")[2])
        self.assertEqual(set(links) | {"/debug/whatif"}, {path for path in served if "{" not in path})

    def test_what_explain_says_is_what_is_answered(self):
        for target, path in (("gang/research/oversized", "/debug/gangs/research/oversized"),
                             ("node/b1-r1-n01", "/debug/nodes/b1-r1-n01"),
                             ("domain/nvl72/b1/r4", "/debug/domains/nvl72/b1/r4"),
                             ("pod/research/oversized-0", "/debug/pods/research/oversized-0")):
            for form, flag in (("text", "text"), ("json", "json")):
                snapshot, answer = self.of_one_cycle(f"{path}?format={form}")
                said = subprocess.run([BINARY, "explain", target, "-f", "-", "-o", flag],
                                      input=snapshot, capture_output=True, text=True, check=True)
                self.assertEqual(answer, said.stdout, path)

    def of_one_cycle(self, path):
        """The input of a cycle, and an answer from the same cycle."""
        while True:
            _, _, before = self.service.fetch("/debug/snapshot")
            _, _, answer = self.service.fetch(path)
            _, _, after = self.service.fetch("/debug/snapshot")
            if before == after:
                return before, answer

    def test_unknown_things_name_the_nearest(self):
        for path, nearest in (("/debug/gangs/research/oversize", "research/oversized"),
                              ("/debug/nodes/b1-r1-n1", "b1-r1-n01"),
                              ("/debug/topology/nvl7", "nvl72"),
                              ("/debug/domains/nvl72/b1/r33", "nvl72/b1/r3"),
                              ("/debug/topologie", "/debug/topology")):
            status, _, text = self.service.fetch(path)
            self.assertEqual(status, 404, path)
            self.assertIn(nearest, json.loads(text)["error"])

    def test_what_is_not_understood_is_refused(self):
        for path in ("/debug/gangs?limit=many", "/debug/gangs?status=Waiting",
                     "/debug/gangs?formt=text", "/debug/topology/nvl72?format=columns",
                     "/debug/gangs?format=columns"):
            status, _, text = self.service.fetch(path)
            self.assertEqual(status, 400, path)
            self.assertIn("error", json.loads(text))
        self.assertEqual(self.service.fetch("/debug/topology/nvl72?level=aisle")[0], 404)
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
            status, headers, _ = self.service.fetch("/debug/session", method)
            self.assertEqual((status, headers["Allow"]), (405, "GET, HEAD"), method)

    def test_rows_of_a_topology(self):
        ask = lambda query: self.service.json("/debug/topology/nvl72" + query)
        whole = ask("")
        blocks = ask("?level=block")
        self.assertEqual([row["path"] for row in blocks["domains"]], [["b1"], ["b2"]])
        self.assertEqual([row for row in whole["domains"] if row.get("level") == "example.com/block"],
                         blocks["domains"])
        racks = ask("?parent=b1")
        self.assertEqual([row["name"] for row in racks["domains"]], ["r1", "r2", "r3", "r4"])
        self.assertEqual(ask("?level=rack&parent=b1")["domains"], racks["domains"])
        self.assertEqual(ask("?level=block&parent=b1/r1")["domains"], [])
        self.assertEqual(ask("?level=root")["domains"][0]["nodes"], whole["nodes"])
        self.assertNotIn("class", json.dumps(ask("?classes=none")["domains"][0]["allocatablePods"]))
        nodes = ask("?level=node&parent=b1/r4")
        self.assertEqual([row["nodes"] for row in nodes["domains"]], [1] * 16)
        columns = ask("?level=rack&format=columns")
        rows = ask("?level=rack")["domains"]
        self.assertEqual(columns["names"], [row["name"] for row in rows])
        self.assertEqual([columns["parents"][at] for at in columns["parent"]],
                         [row["path"][:-1] for row in rows])
        self.assertEqual(columns["nodeCounts"], [row["nodes"] for row in rows])
        gpus = lambda row, kind: int(row[kind].get("nvidia.com/gpu", "0"))
        for kind in ("available", "allocated"):
            self.assertEqual(columns[kind]["nvidia.com/gpu"], [gpus(row, kind) for row in rows])
        for one in columns["allocatablePods"]:
            self.assertEqual(columns["allocatablePods"][one],
                             [count["count"] for row in rows for count in row["allocatablePods"]
                              if count["class"] == one])
        columns = ask("?level=node&format=columns")
        self.assertEqual(sum(columns["closed"]), 1)
        self.assertEqual(len(columns["names"]), whole["nodes"])

    def test_gangs_are_chosen_and_limited(self):
        everything = self.service.json("/debug/gangs")["gangs"]
        pending = self.service.json("/debug/gangs?status=Pending")
        self.assertEqual([gang["name"] for gang in pending["gangs"]], ["oversized"])
        self.assertEqual((pending["gangs"][0]["pods"], pending["gangs"][0]["placed"]), (20, 0))
        some = self.service.json("/debug/gangs?limit=3")
        self.assertEqual(some["gangs"], everything[:3])
        self.assertEqual(some["more"], len(everything) - 3)
        for query, there, missing in (("status=Pending", "research/oversized", "research/speech"),
                                      ("limit=3", "research/language", "serving/chat-0")):
            _, _, text = self.service.fetch("/debug/gangs?format=text&" + query)
            self.assertIn(there, text)
            self.assertNotIn(missing, text)
        self.assertEqual(self.service.fetch("/debug/gangs?queue=nobodys")[0], 404)

    def test_the_session_adds_up(self):
        session = self.service.json("/debug/session")
        self.assertEqual(session["waiting"], [{"code": "TopologyNoFit", "gangs": 1, "workloads": 0}])
        self.assertEqual([part["name"] for part in session["actions"]],
                         ["admit", "allocate", "consolidation", "reclaim", "preempt",
                          "stalegangeviction", "defragmentation"])
        self.assertIn("topology", [part["name"] for part in session["plugins"]])
        parts = sum(part["seconds"] for part in session["actions"])
        self.assertLessEqual(parts, session["durationSeconds"])
        self.assertEqual(session["errors"], [])

    def test_the_health_listener_answers_health_only(self):
        port = self.service.health_port
        self.assertEqual(self.service.fetch("/healthz", port=port)[::2], (200, "ok\n"))
        self.assertEqual(self.service.fetch("/readyz", port=port)[0], 200)
        self.assertEqual(self.service.fetch("/debug/session", port=port)[0], 404)

    def test_the_page_is_safe_to_open(self):
        status, headers, text = self.service.fetch("/")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
        for part in re.findall(r'(?:src|href)="(/page/[^"]*)"', text):
            self.assertEqual(self.service.fetch(part)[0], 200, part)
        again = self.service.fetch("/", headers={"If-None-Match": headers["ETag"]})
        self.assertEqual((again[0], again[2]), (304, ""))


class Lives(unittest.TestCase):
    def setUp(self):
        self.files = Files()
        self.addCleanup(self.files.close)

    def serve(self, *arguments):
        service = Service(BINARY, [self.files.path], "--log-format", "json", *arguments)
        self.addCleanup(service.__exit__)
        service.wait_for_cycle()
        return service

    def pods(self, service):
        return {one["name"]: (one["status"], one.get("node"))
                for one in service.json("/debug/decisions")["pods"]}

    def test_a_snapshot_decides_the_same(self):
        config = self.files.path / "trellis.config"
        config.write_text("period: 1h\nplacementStrategy: {gpu: spread}\n")
        with Service(BINARY, [HALL], "--config", str(config)) as service:
            service.wait_for_cycle()
            _, headers, snapshot = service.fetch("/debug/snapshot")
            self.assertEqual(headers["Trellis-Cycle"], "1")
            _, _, decisions = service.fetch("/debug/decisions")
        again = subprocess.run([BINARY, "schedule", "-f", "-", "-o", "json"], input=snapshot,
                               capture_output=True, text=True, check=True)
        self.assertEqual(again.stdout, decisions)
        first = json.loads(snapshot.splitlines()[0])
        self.assertEqual((first["kind"], first["usage"], first["failures"]),
                         ("Cycle", {}, []))

    def runs(self, service, name):
        return self.pods(service).get(name) == ("Running", "n1")

    def test_decisions_come_true_and_files_are_followed(self):
        self.files.write("cluster.jsonl", NODE, pod("a"))
        service = self.serve()
        wait_for("a runs", lambda: self.runs(service, "a"))
        self.files.write("more.jsonl", pod("b", "9"))
        wait_for("b waits", lambda: self.pods(service).get("b") == ("Pending", None))
        self.files.write("more.jsonl", pod("b", "3"))
        wait_for("b runs", lambda: self.runs(service, "b"))
        self.files.write("more.jsonl", pod("b", "3", phase="Succeeded"), pod("c", "3"))
        wait_for("c runs", lambda: self.runs(service, "c"))
        (self.files.path / "more.jsonl").unlink()
        wait_for("b and c are gone", lambda: set(self.pods(service)) == {"a"})

    def test_workloads_are_admitted(self):
        for name in ("nodes-12", "queues", "job"):
            text = (ROOT / f"examples/kueue/{name}.yaml").read_text()
            self.files.write_text(f"{name}.yaml", text)
        service = self.serve()
        wait_for("the job is admitted", lambda: [
            one["admitted"] for one in service.json("/debug/decisions")["workloads"]] == [True])
        name = service.json("/debug/decisions")["workloads"][0]["name"]
        answer = service.json(f"/debug/workloads/default/{name}")
        self.assertEqual([set["pods"] for set in answer["podSets"]], [40])
        _, _, text = service.fetch(f"/debug/workloads/default/{name}?format=text")
        self.assertIn("tas-flavor in topology default: fits", text)

    def test_placement_preferences_hold_from_cycle_to_cycle(self):
        other = json.loads(json.dumps(NODE))
        other["metadata"] = {"name": "n2", "labels": {"rack": "r2"}}
        preferences = json.dumps([{"spread": {"label": "rack"}}])

        def web(name):
            one = pod(name)
            one["metadata"]["labels"] = {"app": "web"}
            one["metadata"]["annotations"] = {"trellis.scheduler/placement-preferences": preferences}
            return one

        def places(service):
            return sorted(node for status, node in self.pods(service).values()
                          if status == "Running")

        self.files.write("cluster.jsonl", NODE, other, web("a"), web("b"))
        service = self.serve()
        wait_for("a and b run apart", lambda: places(service) == ["n1", "n2"])
        self.files.write("more.jsonl", web("c"), web("d"))
        wait_for("c and d, too", lambda: places(service) == ["n1", "n1", "n2", "n2"])
        groups = service.json("/debug/gangs/default/a")["preferences"][0]["groups"]
        self.assertEqual([(group["path"], group["running"]) for group in groups],
                         [([], 4), (["r1"], 2), (["r2"], 2)])

    def test_a_broken_file_keeps_its_last_good_state(self):
        self.files.write("cluster.jsonl", NODE, pod("a"))
        service = self.serve()
        wait_for("a runs", lambda: self.runs(service, "a"))
        self.files.write_text("cluster.jsonl", '{"apiVersion": "v1", "kind":')
        errors = wait_for("an error", lambda: service.json("/debug/session")["errors"])
        self.assertIn("cluster.jsonl:1", errors[0])
        self.assertEqual(self.pods(service), {"a": ("Running", "n1")})
        self.files.write("cluster.jsonl", NODE, pod("a"), pod("b"))
        wait_for("it is mended", lambda: not service.json("/debug/session")["errors"])
        wait_for("b runs", lambda: self.runs(service, "b"))
        self.assertTrue(service.wait_for_events("input mended") and service.events("input"))

    def test_the_sums_of_a_later_cycle_count_everything(self):
        # The pod that comes touches another node than that of the others.
        other = {**NODE, "metadata": {"name": "n2", "labels": {"rack": "r2"}}}
        last = pod("c")
        last["spec"]["nodeSelector"] = {"rack": "r2"}
        pods = [pod("a"), pod("b")]
        for one in pods:
            one["spec"]["nodeSelector"] = {"rack": "r1"}
        self.files.write("cluster.jsonl", NODE, other, *pods)
        service = self.serve()
        wait_for("b runs", lambda: self.runs(service, "b"))
        self.files.write("more.jsonl", last)
        wait_for("c runs", lambda: self.pods(service).get("c") == ("Running", "n2"))
        summary = service.json("/debug/session")["summary"]
        self.assertEqual([summary[key] for key in ("gangs", "gangsPlaced", "pods", "podsPlaced")],
                         [3, 3, 3, 3])

    def test_what_is_removed_is_asked_for_no_more(self):
        self.files.write("cluster.jsonl", NODE)
        self.files.write("more.jsonl",
                         {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                          "metadata": {"name": "team"}, "spec": {}},
                         {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology",
                          "metadata": {"name": "hall"}, "spec": {"levels": [{"nodeLabel": "rack"}]}})
        service = self.serve()
        self.assertEqual(len(service.json("/debug/topology")["topologies"]), 1)
        (self.files.path / "more.jsonl").unlink()
        wait_for("the queue is gone", lambda: service.json("/debug/queues")["queues"] == [])
        self.assertEqual(service.json("/debug/topology")["topologies"], [])
        self.assertEqual(service.fetch("/debug/topology?format=text")[0], 200)
        self.assertEqual(service.fetch("/debug/topology/hall")[0], 404)
        self.assertEqual(service.fetch("/metrics")[0], 200)
        self.assertNotIn('topology="hall"', service.fetch("/metrics")[2])

    def test_queues_add_up(self):
        queue = lambda name, **spec: {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue",
                                      "metadata": {"name": name}, "spec": spec}
        mine = pod("a", "2")
        mine["metadata"]["labels"] = {"kai.scheduler/queue": "team"}
        other = pod("b", "9")
        other["metadata"]["labels"] = {"kai.scheduler/queue": "team"}
        self.files.write("cluster.jsonl", NODE, mine, other, queue("org"),
                         queue("team", parentQueue="org",
                               resources={"cpu": {"quota": 3000, "limit": -1},
                                          "gpu": {"quota": 2, "limit": 4}}))
        service = self.serve()
        service.wait_for_cycle(2)
        queues = {one["name"]: one for one in service.json("/debug/queues")["queues"]}
        team = service.json("/debug/queues/team")
        self.assertEqual((team["name"], team["resources"]), ("team", queues["team"]["resources"]))
        self.assertEqual(queues["team"]["position"], 1)
        self.assertEqual(list(queues), ["org", "team"])
        self.assertEqual(queues["team"]["parent"], "org")
        for one in queues.values():
            self.assertEqual((one["gangs"], one["waiting"]), (2, 1))
            self.assertEqual((one["resources"]["cpu"]["allocated"],
                              one["resources"]["cpu"]["requested"]), (2000, 11000))
        self.assertEqual(queues["team"]["resources"]["cpu"]["quota"], 3000)
        named = service.json("/debug/gangs?queue=team")["gangs"]
        self.assertEqual([gang["name"] for gang in named], ["a", "b"])
        self.assertEqual(service.json("/debug/gangs?queue=org")["gangs"], [])
        status, _, text = service.fetch("/debug/gangs?queue=tean")
        self.assertEqual(status, 404)
        self.assertIn("team", text)
        self.assertEqual(queues["team"]["resources"]["gpu"]["limit"], 4)
        self.assertEqual(queues["team"]["resources"]["cpu"]["limit"], -1)

    def test_the_configuration_is_read_again(self):
        config = self.files.path / "trellis.config"
        config.write_text("schedulerNames: [another]\n")
        self.files.write("cluster.jsonl", NODE, pod("a"))
        service = self.serve("--config", str(config))
        service.wait_for_cycle()
        self.assertEqual(self.pods(service)["a"][0], "Pending")
        config.write_text("schedulerNames: [another\n")
        service.process.send_signal(signal.SIGHUP)
        wait_for("the error is logged",
                 lambda: service.events("configuration has errors, the last one stands"))
        self.assertEqual(service.json("/debug/config")["config"]["schedulerNames"], ["another"])
        config.write_text("period: 2s\n")
        service.process.send_signal(signal.SIGHUP)
        wait_for("a is ours now", lambda: self.runs(service, "a"))
        self.assertEqual(service.json("/debug/config")["config"]["period"], "2s")
        [read] = service.wait_for_events("configuration read again")
        self.assertIn('period: "2s"', read["differs"])

    def test_past_usage_that_cannot_be_read_leaves_the_configuration_in_force(self):
        config = self.files.path / "trellis.config"
        usage = self.files.path / "past"
        config.write_text("schedulerNames: [another]\nqueues: {usage: past}\n")
        usage.write_text("team: 5\n")
        self.files.write("cluster.jsonl", NODE, pod("a"))
        service = self.serve("--config", str(config))
        service.wait_for_cycle()
        usage.unlink()
        usage.mkdir()
        config.write_text("queues: {usage: past}\n")
        service.process.send_signal(signal.SIGHUP)
        wait_for("the error is logged",
                 lambda: service.events("configuration has errors, the last one stands"))
        self.assertIn("past: found a directory", service.events("configuration")[-1]["what"])
        self.assertEqual(service.json("/debug/config")["config"]["schedulerNames"], ["another"])
        usage.rmdir()
        usage.write_text("team: 5\n")
        service.process.send_signal(signal.SIGHUP)
        wait_for("a is ours now", lambda: self.runs(service, "a"))

    def test_it_ends_on_a_signal(self):
        self.files.write("cluster.jsonl", NODE)
        for end in (signal.SIGTERM, signal.SIGINT):
            service = self.serve()
            service.wait_for_cycle()
            began = time.monotonic()
            service.process.send_signal(end)
            self.assertEqual(service.process.wait(30), 0)
            took = time.monotonic() - began
            self.assertLess(took, 5)  # one second, on a machine with nothing else to do
            wait_for("its last word", lambda: service.events("ending"))

    def test_the_log_says_what_was_decided(self):
        with Service(BINARY, [HALL], "--log-format", "json") as service:
            service.wait_for_cycle()
            decided = wait_for("a decision", lambda: service.events("gang decided"))
            speech = [one for one in decided if one["gang"] == "research/speech"][0]
            self.assertEqual((speech["status"], speech["bound"], speech["domain"]),
                             ("Scheduled", 16, "rack b1/r4"))
            self.assertGreater(speech["seconds"], 0)
            self.assertIn(str(HALL), service.events("watching")[0]["files"])

    def test_text_logs(self):
        with Service(BINARY, [HALL]) as service:
            line = wait_for("a decision", lambda: next(
                (one for one in list(service.lines) if "research/speech" in one), ""))
            self.assertRegex(line, r'^\d{4}-\d\d-\d\dT[\d:.]+Z info  gang decided  '
                                   r'gang=research/speech .*domain="rack b1/r4"')

    def test_what_cannot_start_says_so(self):
        self.files.write("cluster.jsonl", NODE)
        service = self.serve()
        taken = f"{ADDRESS}:{service.port}"
        again = subprocess.run([BINARY, "serve", "-f", self.files.path, "--listen", taken],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual(again.returncode, 1)
        self.assertIn(taken, again.stderr)
        wrong = subprocess.run([BINARY, "serve", "-f", self.files.path, "--listen", "nowhere"],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("--listen", wrong.stderr)


def main():
    global BINARY
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("-k", help="only tests whose names contain this")
    arguments = parser.parse_args()
    BINARY = str(pathlib.Path(arguments.binary).resolve())
    loader = unittest.TestLoader()
    loader.testNamePatterns = [f"*{arguments.k}*"] if arguments.k else None
    result = unittest.TextTestRunner().run(loader.loadTestsFromModule(sys.modules[__name__]))
    return 0 if result.wasSuccessful() and result.testsRun > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
