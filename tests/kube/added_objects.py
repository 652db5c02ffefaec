"""What added objects would alter in a live cluster: tests that run.py runs."""

import json
import unittest

from scripted_objects import node, pod


def added_objects(cluster_of):
    """The tests; `cluster_of(...)` is a scripted cluster that is only read."""

    class AddedObjects(unittest.TestCase):
        def test_says_what_added_objects_would_alter(self):
            with cluster_of() as cluster:
                cluster.api.put("nodes", node("n1"))
                cluster.api.put("pods", pod("runs", cpu="2", on="n1"))
                service = cluster.start()
                cluster.wait_placed({"runs": "n1"})
                job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "night"},
                       "spec": {"parallelism": 3, "completions": 3, "template": {"spec": {
                           "schedulerName": "trellis",
                           "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}]}}}}
                # No controller has made the pods of this Job.
                for query, nodes in (("", []), ("?remove=gang/default/runs", ["n1"] * 3)):
                    status, _, text = service.fetch("/debug/whatif" + query, method="POST",
                                                    body=json.dumps(job))
                    self.assertEqual(status, 200, text)
                    changes = json.loads(text)
                    after = [one["after"] for key in ("added", "waiting") for one in changes[key]]
                    self.assertEqual([one["nodes"] for one in after], [nodes], text)
                self.assertEqual(cluster.placed(), {"runs": "n1"})

    return AddedObjects
