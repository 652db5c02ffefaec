#!/usr/bin/env python3
"""What `trellis serve` shows and logs: since when things wait, searches, colours, history, sums.

    views.py --binary B [-k PATTERN]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import unittest

from run import HALL, NODE, ROOT, Files, pod
from service import Service, wait_for

BINARY = None
KUEUE = ROOT / "examples/kueue"


def job(name, created=None, suspend=False, queue=None, cpu="1", pods=1):
    metadata = {"namespace": "default", "name": name}
    if created:
        metadata["creationTimestamp"] = created
    if queue:
        metadata["labels"] = {"kueue.x-k8s.io/queue-name": queue}
    container = {"name": "c", "resources": {"requests": {"cpu": cpu}}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata,
            "spec": {"parallelism": pods, "completions": pods, "suspend": suspend,
                     "template": {"spec": {"restartPolicy": "Never", "containers": [container]}}}}


class OfTheHall(unittest.TestCase):
    """One service over the demo hall."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service(BINARY, [HALL], "--log-format", "json")
        wait_for("all that can to run", lambda: cls.service.fetch("/readyz")[0] == 200 and cls.service.json(
            "/debug/gangs")["statuses"] == {"Pending": 1, "Running": 15})

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()

    def test_a_gang_says_since_when_it_waits(self):
        created = "2026-03-02T09:00:20Z"
        gangs = {gang["name"]: gang for gang in self.service.json("/debug/gangs")["gangs"]}
        self.assertEqual(gangs["oversized"]["waitingSince"], created)
        self.assertEqual([name for name, gang in gangs.items() if "waitingSince" in gang],
                         ["oversized"])
        path = "/debug/gangs/research/oversized"
        self.assertEqual(self.service.json(path)["waitingSince"], created)
        self.assertIn(f"waits since {created}", self.service.fetch(path + "?format=text")[2])
        longest = self.service.json("/debug/session")["longestWaiting"]
        self.assertEqual([(one["kind"], one["namespace"], one["name"], one["waitingSince"],
                           one["code"]) for one in longest],
                         [("gang", "research", "oversized", created, "TopologyNoFit")])
        self.assertIn("takes 20 pods", longest[0]["message"])

    def names(self, query, kind="gangs"):
        return [one["name"] for one in self.service.json(f"/debug/{kind}?{query}")[kind]]

    def test_gangs_are_searched_on_the_server(self):
        self.assertEqual(self.names("q=OVER"), ["oversized"])
        self.assertEqual(self.names("q=topologynofit"), ["oversized"])
        self.assertEqual(self.names("q=takes+20+pods"), ["oversized"])
        self.assertEqual(self.names("q=b1/r1+vision"), ["vision"])
        self.assertEqual(self.names("q=b1/r1+oversized"), [])
        everything = self.service.json("/debug/gangs")
        self.assertEqual(everything["statuses"], {"Pending": 1, "Running": 15})
        found = self.service.json("/debug/gangs?q=serving/&status=Running&limit=2")
        self.assertEqual((len(found["gangs"]), found["more"]), (2, found["statuses"]["Running"] - 2))
        for order in ("status", "waiting"):
            names = self.names(f"order={order}")
            self.assertEqual(names[0], "oversized")
            self.assertEqual(sorted(names), sorted(gang["name"] for gang in everything["gangs"]))
        self.assertEqual(self.service.fetch("/debug/gangs?order=age")[0], 400)

    def test_nodes_and_pods_are_searched_on_the_server(self):
        self.assertEqual(self.names("q=b1-r1-n0", "nodes"), [f"b1-r1-n0{i}" for i in range(1, 10)])
        racks = self.service.json("/debug/nodes?q=example.com/rack%3Dr1+example.com/block%3Db2")
        self.assertEqual({node["name"][:5] for node in racks["nodes"]}, {"b2-r1"})
        closed = self.service.json("/debug/nodes?status=Closed")
        self.assertEqual([node["name"] for node in closed["nodes"]], ["b2-r3-n05"])
        self.assertEqual(closed["statuses"], {"Closed": 1, "Open": 136})
        pods = self.service.json("/debug/pods?gang=research/vision&topology=nvl72")
        self.assertEqual((len(pods["pods"]), pods["more"]), (16, 0))
        self.assertEqual({tuple(one["domain"][:2]) for one in pods["pods"]}, {("b1", "r1")})
        self.assertEqual(len({one["node"] for one in pods["pods"]}), 16)
        waiting = self.service.json("/debug/pods?gang=research/oversized&topology=nvl72")["pods"]
        self.assertEqual({one["status"] for one in waiting}, {"Pending"})
        self.assertFalse([one for one in waiting if "node" in one or "domain" in one])
        self.assertIn("speech-0", self.names("q=b1-r4-n01&status=Running", "pods"))
        for path in ("/debug/pods?gang=research/visio", "/debug/pods?workload=research/visio", "/debug/pods?topology=nvl"):
            self.assertEqual(self.service.fetch(path)[0], 404)

    def test_rows_have_gangs_queues_states_and_ages(self):
        def groups(query, key="group"):
            answer = self.service.json(f"/debug/topology/nvl72?format=columns&{query}")
            if key == "ages":
                return dict(zip(answer["names"], answer["ages"]))
            return {name: answer["groups"][at] if at >= 0 else None
                    for name, at in zip(answer["names"], answer["group"])}
        nodes = groups("level=node&by=gang")
        self.assertEqual(nodes["b1-r4-n01"], "research/speech")
        self.assertIsNone(nodes["b1-r2-n01"])
        racks = groups("level=rack&parent=b1&by=gang")
        self.assertEqual(racks["r4"], "research/speech")
        self.assertEqual(racks["r1"], "research/vision")
        states = groups("level=node&by=state")
        self.assertEqual((states["b1-r4-n01"], states["b1-r2-n01"], states["b2-r3-n05"],
                          states["b2-r1-n01"]), ("full", "free", "closed", "in part"))
        self.assertEqual(groups("level=rack&parent=b1&by=state")["r4"], "full")
        ages = groups("level=node&by=age", "ages")
        self.assertEqual(ages["b1-r2-n01"], -1)
        self.assertGreaterEqual(ages["b1-r1-n01"], 0)
        self.assertEqual(set(groups("level=node&by=queue").values()), {None})
        self.assertNotIn("groups", self.service.json("/debug/topology/nvl72?level=rack&format=columns"))
        flat = self.service.json("/debug/nodes?format=columns&by=gang")
        self.assertEqual(len(flat["group"]), len(flat["names"]))


class OfChangingFiles(unittest.TestCase):
    def setUp(self):
        self.files = Files()
        self.addCleanup(self.files.close)

    def serve(self, *arguments):
        service = Service(BINARY, [self.files.path], "--log-format", "json", *arguments)
        self.addCleanup(service.__exit__)
        service.wait_for_cycle()
        return service

    def kueue(self):
        for name in ("nodes-12", "queues"):
            self.files.write_text(f"{name}.yaml", (KUEUE / f"{name}.yaml").read_text())

    def metrics(self, service):
        text = service.fetch("/metrics")[2]
        return {match[1]: float(match[2])
                for match in re.finditer(r"^(\w+(?:{[^}]*})?) (\S+)$", text, re.M)}

    def test_what_happened_is_kept(self):
        self.files.write("cluster.jsonl", NODE, pod("a", "3"))
        service = self.serve()
        wait_for("a runs", lambda: service.json("/debug/gangs")["statuses"] == {"Running": 1})
        self.files.write("more.jsonl", pod("b", "3"))
        wait_for("b waits", lambda: service.json("/debug/gangs?status=Pending")["gangs"])
        history = service.json("/debug/history")
        self.assertEqual([(one["kind"], one["name"], one["what"], one["pods"])
                          for one in history["events"]], [("gang", "default/a", "placed", 1)])
        numbers = [one["cycle"] for one in history["cycles"]]
        self.assertEqual(numbers, sorted(numbers))
        self.assertEqual(numbers[0], 1)
        self.assertEqual(sum(one["podsBound"] for one in history["cycles"]), 1)
        last = history["cycles"][-1]
        self.assertEqual((last["podsPlaced"], last["gangsWaiting"]), (1, 1))
        self.assertEqual(service.json(f"/debug/history?after={numbers[-1]}")["cycles"], [])
        limited = service.json("/debug/history?limit=1")["cycles"]
        self.assertEqual([one["cycle"] for one in limited], [service.json("/debug/session")["cycle"]])
        self.assertEqual(service.fetch("/debug/history?limit=-1")[0], 400)

    def test_history_is_bounded(self):
        self.files.write("cluster.jsonl", NODE)
        service = self.serve()
        for number in range(30):
            self.files.write("pods.jsonl", *(pod(f"p{number}-{i}", "10m") for i in range(25)))
            wait_for("its pods", lambda: any(
                gang["name"].startswith(f"p{number}-") for gang in service.json("/debug/gangs")["gangs"]))
        history = service.json("/debug/history?limit=1000000")
        per_cycle = {}
        for event in history["events"]:
            per_cycle[event["cycle"]] = per_cycle.get(event["cycle"], 0) + 1
        self.assertLessEqual(max(per_cycle.values()), 20)
        self.assertLessEqual(len(history["cycles"]), 1000)

    def test_an_admission_is_logged_and_counted(self):
        self.kueue()
        service = self.serve()
        self.files.write_text("job.yaml", (KUEUE / "job.yaml").read_text())
        wait_for("the job is admitted", lambda: service.json("/debug/workloads")["statuses"].get("Admitted"))
        [event] = wait_for("a line in the log", lambda: service.events("workload decided"))
        self.assertTrue(event["workload"].startswith("default/job-tas-sample"), event)
        self.assertEqual((event["what"], event["queue"], event["pods"], event["flavors"]),
                         ("admitted", "tas-cluster-queue", 40, "tas-flavor"))
        self.assertIn("node-1: 12", event["fate"])
        figures = self.metrics(service)
        self.assertEqual(figures['trellis_workload_decisions_total{kind="admit"}'], 1)
        self.assertEqual(figures['trellis_workload_decisions_total{kind="evict"}'], 0)
        self.assertEqual(sum(one["workloadsAdmitted"] for one in service.json("/debug/history")["cycles"]), 1)

    def test_history_counts_the_workloads_that_wait(self):
        self.kueue()
        service = self.serve()
        last = lambda: service.json("/debug/history?limit=1")["cycles"][0]
        self.assertEqual(last()["workloadsWaiting"], 0)
        job = (KUEUE / "job.yaml").read_text()
        self.files.write_text("job.yaml", job.replace("parallelism: 40", "parallelism: 4000")
                              .replace("completions: 40", "completions: 4000"))
        wait_for("the job waits", lambda: last()["workloadsWaiting"] == 1)
        self.files.write_text("job.yaml", job)
        wait_for("the job is admitted", lambda: last()["workloadsWaiting"] == 0)

    def place(self, service, name):
        return {one["name"]: (one["status"], one.get("node")) for one in service.json("/debug/pods")["pods"]}.get(name)

    def test_numbers_of_nodes_are_read_again_when_they_change(self):
        config = self.files.path / "trellis.config"
        numbers = self.files.path / "watts"
        config.write_text("plugins: {labelscore: {arguments: {scores: [{file: watts, worst: 9, best: 1}]}}}\n")
        numbers.write_text("n1: 1\nm: 9\n")
        other = {**NODE, "metadata": {**NODE["metadata"], "name": "m"}}
        self.files.write("cluster.jsonl", NODE, other, pod("a", "10m"))
        service = self.serve("--config", str(config))
        wait_for("a is on the better node", lambda: self.place(service, "a") == ("Running", "n1"))
        numbers.write_text("n1: 9\nm: much\n")
        wait_for("the error is logged",
                 lambda: service.events("numbers of nodes have errors, the last ones stand"))
        self.assertIn("watts:2", service.events("numbers of nodes")[-1]["what"])
        self.files.write("cluster.jsonl", NODE, other, pod("a", "10m"), pod("b", "10m"))
        wait_for("b is placed by the old numbers", lambda: self.place(service, "b") == ("Running", "n1"))
        numbers.write_text("n1: 9\nm: 1\n")
        wait_for("they are read", lambda: service.events("numbers of nodes read again"))
        self.files.write("cluster.jsonl", NODE, other, pod("a", "10m"), pod("b", "10m"), pod("c", "10m"))
        wait_for("c is placed by the new ones", lambda: self.place(service, "c") == ("Running", "m"))

    def test_an_unknown_queue_is_not_found(self):
        self.kueue()
        self.files.write_text("job.yaml", (KUEUE / "job.yaml").read_text())
        service = self.serve()
        for kind, known in (("workloads", "tas-user-queue"), ("gangs", None)):
            status, _, text = service.fetch(f"/debug/{kind}?queue=tas-user-queu")
            self.assertEqual(status, 404)
            self.assertIn(known or "queue", json.loads(text)["error"])
        self.assertEqual(service.fetch("/debug/workloads?queue=tas-user-queue")[0], 200)

    def test_a_workload_says_since_when_it_waits(self):
        self.kueue()
        created = ("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
        self.files.write("jobs.jsonl", *(
            job(f"big-{at}", when, suspend=True, queue="tas-user-queue", cpu="200")
            for at, when in enumerate(reversed(created))), job("timeless", suspend=True,
                                                              queue="tas-user-queue", cpu="200"))
        service = self.serve()
        waiting = service.json("/debug/workloads?order=waiting")["workloads"]
        self.assertEqual([one.get("waitingSince") for one in waiting], [*created, None])
        self.assertEqual(service.json("/debug/workloads?order=status")["workloads"], waiting)
        name = waiting[0]["name"]
        self.assertEqual(service.json(f"/debug/workloads/default/{name}")["waitingSince"], created[0])
        self.assertIn(f"waits since {created[0]}",
                      service.fetch(f"/debug/workloads/default/{name}?format=text")[2])
        longest = service.json("/debug/session")["longestWaiting"]
        self.assertEqual([one.get("waitingSince") for one in longest], [*created, None])

    def test_pods_of_another_scheduler_do_not_wait_for_us(self):
        other = pod("other") | {"spec": pod("other")["spec"] | {"schedulerName": "default-scheduler"}}
        ours = pod("ours", "900") | {"spec": pod("ours", "900")["spec"] | {"schedulerName": "trellis"}}
        self.files.write("cluster.jsonl", NODE, other, ours)
        session = self.serve("--scheduler-name", "trellis").json("/debug/session")
        self.assertEqual({one["code"] for one in session["waiting"]}, {"OtherScheduler", "NodesNoFit"})
        self.assertEqual([one["name"] for one in session["longestWaiting"]], ["ours"])

    def test_sums_are_the_same_everywhere(self):
        self.kueue()
        self.files.write("jobs.jsonl",
                         job("admitted", suspend=True, queue="tas-user-queue"),
                         job("waits", suspend=True, queue="tas-user-queue", cpu="200"))
        self.files.write("pods.jsonl", NODE, pod("runs"), pod("waits", "900"),
                         pod("done", phase="Succeeded"))
        service = self.serve()
        wait_for("all is decided", lambda: service.json("/debug/gangs")["statuses"].get("Running"))
        snapshot = service.fetch("/debug/snapshot")[2]
        session = service.json("/debug/session")
        gangs = service.json("/debug/gangs")
        figures = self.metrics(service)
        report = json.loads(subprocess.run([BINARY, "report", "-f", "-", "-o", "json"], input=snapshot,
                                           capture_output=True, text=True, check=True).stdout)
        self.assertEqual(gangs["statuses"].get("Finished"), 1)
        of_session = {kind: {one["code"]: one[kind] for one in session["waiting"] if one[kind]}
                      for kind in ("gangs", "workloads")}
        self.assertTrue(all(of_session.values()), of_session)
        for kind in ("gangs", "workloads"):
            exposed = {key.split('"')[1]: value for key, value in figures.items()
                       if key.startswith(f"trellis_pending_{kind}{{") and value}
            self.assertEqual(exposed, of_session[kind])
            self.assertEqual({one["code"]: one["count"] for one in report["waiting"][kind]},
                             of_session[kind])
        for name, key in (("gangs", "gangs"), ("pods", "pods"), ("gpus", "gpus"), ("used_gpus", "gpusUsed")):
            self.assertEqual(figures[f"trellis_{name}"], session["summary"][key])
        self.assertNotIn("default/done", [f'{one["namespace"]}/{one["name"]}'
                                          for one in session["longestWaiting"]])
        unfinished = sum(count for status, count in gangs["statuses"].items() if status != "Finished")
        self.assertEqual(unfinished, session["summary"]["gangs"])

    def test_a_path_that_never_existed_is_an_error(self):
        missing = self.files.path / "no-such-folder"
        ended = subprocess.run([BINARY, "serve", "-f", str(missing), "--listen", "127.0.0.1:0"],
                               capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no-such-folder", ended.stderr)

    def test_a_file_that_goes_away_is_logged_with_its_objects(self):
        self.files.write("cluster.jsonl", NODE)
        self.files.write("more.jsonl", pod("a"), pod("b"))
        service = self.serve()
        wait_for("both run", lambda: service.json("/debug/gangs")["statuses"] == {"Running": 2})
        (self.files.path / "more.jsonl").unlink()
        [event] = wait_for("a line in the log", lambda: service.events("files are gone"))
        self.assertEqual(event["level"], "warn")
        self.assertTrue(event["files"].endswith("more.jsonl"), event)
        self.assertEqual(event["gone with them"], "2 pods, 2 gangs")


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
