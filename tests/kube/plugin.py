"""`kubectl trellis`: commands that read the cluster of a kubeconfig context once, and write nothing."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import objects
from api_server import POD_GROUPS
from scripted_objects import node, pod, pod_group


def plugin(binary, cluster_class):
    class Plugin(unittest.TestCase):
        """The program under the name by which kubectl finds it."""

        def setUp(self):
            self.cluster = cluster_class(groups=[POD_GROUPS])
            self.addCleanup(self.cluster.__exit__)
            api = self.cluster.api
            api.put("nodes", node("n1"))
            api.put("podgroups", pod_group("train", 3))
            for i in range(3):
                api.put("pods", pod(f"t-{i}", cpu="2", group="train"))
            self.config = str(pathlib.Path(self.cluster.folder.name) / "config")
            self.link = pathlib.Path(self.cluster.folder.name) / "kubectl-trellis"
            self.link.symlink_to(pathlib.Path(binary()).resolve())

        def run_it(self, *words, kubeconfig=None, given=None):
            environment = {name: value for name, value in os.environ.items()
                           if name != "KUBECONFIG"}
            environment["KUBECONFIG"] = kubeconfig or self.config
            return subprocess.run([self.link, *words], check=False, capture_output=True, text=True,
                                  env=environment, timeout=60, input=given)

        def test_it_explains_from_the_current_context(self):
            done = self.run_it("explain", "gang/default/train")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("gang default/train: Pending, minimum 3 of 3 pods", done.stdout)
            api = self.cluster.api
            self.assertEqual({method for method, _, _ in api.requests}, {"GET"})
            self.assertEqual(api.asked("watch=1"), [])
            self.assertTrue(api.asked("/api/v1/pods?limit=500&continue=2"), "lists come in pages")

        def test_the_answer_is_that_of_the_dump(self):
            folder = pathlib.Path(self.cluster.folder.name)
            for words in (["schedule", "-o", "json"], ["validate"],
                          ["whatif", "--remove", "gang/default/train"]):
                saved = self.run_it("schedule", "--save", folder / "dump.jsonl")
                self.assertEqual(saved.returncode, 0, saved.stderr)
                live = self.run_it(*words)
                dump = self.run_it(*words, "-f", folder / "dump.jsonl")
                self.assertEqual((live.returncode, live.stdout), (dump.returncode, dump.stdout))

        def test_a_change_comes_from_files(self):
            done = self.run_it("whatif", "--add", "-", given="""
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: "8", pods: "9", memory: 9Gi}}
""")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("1 gang gets in", done.stdout)

        def test_what_fails_is_said(self):
            done = self.run_it("queues", kubeconfig="/nowhere/config")
            self.assertEqual(done.returncode, 2)
            self.assertIn("/nowhere/config", done.stderr)
            self.cluster.api.token = "another"
            done = self.run_it("queues")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn("401", done.stderr)
            self.assertNotIn("s3cret-t0ken", done.stderr)

        def test_several_kubeconfigs_are_merged(self):
            first = pathlib.Path(self.cluster.folder.name, "first")
            first.write_text("users: []\n", encoding="utf-8")
            several = f"/nowhere/config:{first}:{self.config}"
            done = self.run_it("queues", kubeconfig=several)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

        def test_under_its_own_name_it_needs_an_input(self):
            environment = {**os.environ, "KUBECONFIG": self.config}
            done = subprocess.run([binary(), "queues"], check=False, capture_output=True, text=True,
                                  env=environment, timeout=60)
            self.assertEqual(done.returncode, 2)
            self.assertIn("expected FILE, -f FILE or --kubeconfig FILE", done.stderr)
            done = subprocess.run([binary(), "queues", "--kubeconfig", self.config], check=False,
                                  capture_output=True, text=True, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)

    return Plugin


def called_by_kubectl(binary, user):
    class CalledByKubectl:
        """Beside a real API server, by a user who may only read: the real kubectl finds it by its name."""

        def test_kubectl_trellis_explains_a_gang(self):
            self.put("nodes", objects.node("n1", cpu="2"))
            self.put("podgroups", objects.pod_group("train", 3))
            self.put("pods", *(objects.pod(f"t-{i}", group="train") for i in range(3)))
            with tempfile.TemporaryDirectory() as folder:
                pathlib.Path(folder, "kubectl-trellis").symlink_to(pathlib.Path(binary()).resolve())
                environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}",
                               "KUBECONFIG": self.plane.kubeconfig(user)}
                done = subprocess.run(
                    [self.kubectl.command[0], "trellis", "explain", "gang/default/train"], check=False,
                    capture_output=True, text=True, env=environment, timeout=60)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("gang default/train: Pending, minimum 3 of 3 pods", done.stdout)
            self.assertIn("needs 3 pods, 2 fit", done.stdout)

    return CalledByKubectl
