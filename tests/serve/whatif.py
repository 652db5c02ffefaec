#!/usr/bin/env python3
"""What `POST /debug/whatif` answers is what `trellis whatif` says of the same cycle.

    whatif.py --binary B [-k PATTERN]
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from run import HALL, ROOT
from service import Service, wait_for

BINARY = None
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: night, namespace: research, labels: {kai.scheduler/queue: research}}
spec:
  parallelism: 3
  completions: 3
  template: {spec: {containers: [{name: c, resources: {requests: {nvidia.com/gpu: "2"}}}]}}
"""
NODE = """
apiVersion: v1
kind: Node
metadata: {name: spare}
status: {allocatable: {cpu: "8", pods: "20", nvidia.com/gpu: "4"}}
"""


class Changes(unittest.TestCase):
    """One service over the demo hall, asked what changes would alter."""

    @classmethod
    def setUpClass(cls):
        cls.service = Service(BINARY, [HALL])
        cls.service.wait_for_cycle(2)

    @classmethod
    def tearDownClass(cls):
        cls.service.__exit__()

    def whatif(self, body, query=""):
        return self.service.fetch("/debug/whatif" + query, method="POST", body=body)

    def test_what_a_change_would_alter(self):
        added = (ROOT / "examples/nvl72-whatif/urgent.yaml").read_text()
        for body, query, words in (
                ("", "", []),
                (added, "", ["--add", "request.yaml"]),
                (JOB, "?drain=nvl72/b1/r2", ["--add", "request.yaml", "--drain", "nvl72/b1/r2"]),
                (NODE, "?remove=gang/research/oversized",
                 ["--add", "request.yaml", "--remove", "gang/research/oversized"]),
                ("", "?cordon=nvl72/b1/r4,b1-r1-n01", ["--cordon", "nvl72/b1/r4",
                                                       "--cordon", "b1-r1-n01"]),
                ("", "?drain=nvl72/b1/r2,b1-r1-n01", ["--drain", "nvl72/b1/r2",
                                                      "--drain", "b1-r1-n01"]),
                ("", "?drain=nvl72/b2&cordon=nvl72/b1/r1", ["--drain", "nvl72/b2",
                                                            "--cordon", "nvl72/b1/r1"]),
                ("", "", []),
                ("", "?remove=gang/research/oversized&drain=b1-r3-n01",
                 ["--remove", "gang/research/oversized", "--drain", "b1-r3-n01"])):
            def of_one_cycle():
                answers = [self.service.fetch("/debug/snapshot"), self.whatif(body, query)]
                cycles = {headers.get("Trellis-Cycle") for _, headers, _ in answers}
                return len(cycles) == 1 and [answers[0][2], answers[1][0], answers[1][2]]
            snapshot, status, text = wait_for("both of one cycle", of_one_cycle)
            self.assertEqual(status, 200, text)
            with tempfile.TemporaryDirectory() as place:
                (pathlib.Path(place) / "request.yaml").write_text(body)
                said = subprocess.run(
                    [BINARY, "whatif", "-f", "-", "-o", "json", *(words or ["--add", place])],
                    input=snapshot, cwd=place, capture_output=True, text=True, check=False)
            self.assertEqual(text, said.stdout, (query, said.stderr))
            if not body and not query:
                self.assertEqual([json.loads(text)[key] for key in ("added", "lost", "moved")],
                                 [[], [], []])
            status, _, table = self.whatif(body, (query or "?") + "&format=text")
            self.assertEqual(status, 200, table)

    def test_a_question_leaves_the_cluster_as_it_was(self):
        paths = ["/debug/snapshot", "/debug/gangs", "/debug/nodes", "/debug/topology", "/debug/queues"]

        def of_one_cycle():
            before = [self.service.fetch(path) for path in paths]
            for query in ("?drain=nvl72/b1", "?cordon=nvl72/b2/r1&drain=b1-r1-n02", "?drain=nvl72"):
                self.assertEqual(self.whatif("", query)[0], 200)
            after = [self.service.fetch(path) for path in paths]
            cycles = {headers.get("Trellis-Cycle") for _, headers, _ in before + after}
            return len(cycles) == 1 and [[text for _, _, text in answers] for answers in (before, after)]
        before, after = wait_for("all of one cycle", of_one_cycle)
        for path, first, second in zip(paths, before, after):
            self.assertEqual(first, second, path)

    def test_a_change_that_is_not_understood_is_refused(self):
        for body, query, status, words in (
                ("kind: [", "", 400, "request:"),
                ("", "?cordon=nvl72/b1/r44", 400, "r44"),
                ("", "?evict=x", 400, "evict")):
            got, _, text = self.whatif(body, query)
            self.assertEqual(got, status, text)
            self.assertIn(words, json.loads(text)["error"])
        for method, path, allowed in (("GET", "/debug/whatif", "POST"),
                                      ("POST", "/debug/session", "GET, HEAD"),
                                      ("POST", "/metrics", "GET, HEAD")):
            status, headers, _ = self.service.fetch(path, method=method)
            self.assertEqual((status, headers["Allow"]), (405, allowed), path)
        status, _, text = self.service.fetch("/debug/whatif", method="POST",
                                             headers={"Content-Length": str((1 << 20) + 1)})
        self.assertEqual(status, 413, text)
        status, _, text = self.service.fetch("/debug/whatif", method="POST", body="",
                                             headers={"Origin": "http://elsewhere.example"})
        self.assertEqual(status, 403, text)


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
