#!/usr/bin/env python3
"""Runs the inputs of the scenarios under other names: the decisions must be the same.

    run.py --binary B [SCENARIO...]

Every input is saved as it is and with --anonymize; a cycle on the one must decide as a cycle on the
other, when words are matched one to one. A dump full of secrets must not show one of them.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parent / "scenarios"
# Words of sentences are no names, and a level that a reason names is shown by its last part.
SENTENCES = ("message", "text")
# The workloads of a LeaderWorkerSet's groups are named by a hash of its name, so they are made again.
# The name of a gang that is called after its kind has another place among the others.
EXCEPTIONS = {"example-kueue-sample-kinds", "proposal-story-6", "workload-owners",
              "core-pod-group", "core-pod-group-v1beta1", "core-composite-lost",
              # A pod without an owner is a DaemonSet's by the form of its name.
              "workload-daemon-namesakes"}

DUMP = """
apiVersion: v1
kind: Node
metadata: {name: hush-node-1, labels: {hush.example/rack: hush-rack-1, hushflat: hush-a}, annotations: {hush.example/note: hush-note}}
status: {allocatable: {cpu: "8", memory: 16Gi, pods: "10"}, conditions: [{type: Ready, status: "True", message: hush-message}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hush-fabric}
spec: {levels: [{nodeLabel: hush.example/rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: hush-web
  namespace: hush-space
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: '{"spec":"hush-copy"}'
    kai.scheduler/topology: hush-fabric
    kai.scheduler/topology-required-placement: rack
    trellis.scheduler/placement-preferences: '[{"spread":{"label":"hush.example/rack"}}]'
spec:
  replicas: 2
  template:
    metadata: {labels: {app: hush-app}}
    spec:
      containers:
      - name: hush-main
        image: hush.example/image
        command: [hush-command]
        env: [{name: HUSH, value: hush-value}]
        resources: {requests: {cpu: "1"}}
      nodeSelector: {hushflat: hush-a}
"""


SCHEDULED = """
apiVersion: v1
kind: Node
metadata: {name: hush-n}
status: {allocatable: {cpu: "8", pods: "110", nvidia.com/gpu: "2"}, conditions: [{type: Ready, status: "True"}]}
---
apiVersion: v1
kind: Pod
metadata: {name: hush-p}
spec:
  schedulerName: hush-scheduler
  containers: [{name: c, resources: {requests: {cpu: "1"}, limits: {nvidia.com/gpu: "1"}}}]
"""


class Failure(Exception):
    pass


def run(binary, *words, cwd):
    done = subprocess.run([binary, *words], cwd=cwd, capture_output=True, timeout=60,
                          env={"LC_ALL": "C.UTF-8"})
    if done.returncode not in (0, 2):
        raise Failure(f"{' '.join(words)}: exit code {done.returncode}: {done.stderr.decode()}")
    return done.stdout.decode()


def words(text):
    return re.findall(r"[A-Za-z0-9]+|[^A-Za-z0-9]+", text)


class Matcher:
    def __init__(self):
        self.forth = {}
        self.back = {}

    def text(self, one, other, path):
        if one == other:
            return  # a public word
        first, second = words(one), words(other)
        if len(first) != len(second):
            raise Failure(f"{path}: {one!r} became {other!r}")
        for a, b in zip(first, second):
            if a == b:
                continue
            if self.forth.setdefault(a, b) != b or self.back.setdefault(b, a) != a:
                raise Failure(f"{path}: {one!r} became {other!r}, and {a!r} was "
                              f"{self.forth[a]!r} before")

    def value(self, one, other, path="$"):
        if isinstance(one, dict) and isinstance(other, dict):
            if len(one) != len(other):
                raise Failure(f"{path}: {list(one)} became {list(other)}")
            for (key, value), (renamed, changed) in zip(one.items(), other.items()):
                self.text(key, renamed, path)
                if key not in SENTENCES:
                    self.value(value, changed, f"{path}.{key}")
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                raise Failure(f"{path}: {len(one)} items became {len(other)}")
            for i, (a, b) in enumerate(zip(one, other)):
                self.value(a, b, f"{path}[{i}]")
        elif isinstance(one, str) and isinstance(other, str):
            self.text(one, other, path)
        elif one != other:
            raise Failure(f"{path}: {one} became {other}")


def check(binary, folder):
    with tempfile.TemporaryDirectory(prefix="anonymous.") as name:
        place = pathlib.Path(name)
        config = ["--config", str(folder / "config.yaml")] if (folder / "config.yaml").exists() else []
        (place / "in").mkdir()
        for path in folder.iterdir():
            if path.suffix in (".yaml", ".json", ".jsonl") and path.name != "config.yaml" \
                    and not path.name.startswith("expect."):
                (place / "in" / path.name).write_bytes(path.read_bytes())
        idle = ["schedule", "-f", "in", "--actions", "", *config]
        run(binary, *idle, "--save", "plain.jsonl", cwd=place)
        run(binary, *idle, "--save", "other.jsonl", "--anonymize", cwd=place)
        if '"kind":"Cycle"' in (place / "plain.jsonl").read_text():
            config = []  # saved, too
        answers = [json.loads(run(binary, "schedule", "-f", saved, "-o", "json", *config, cwd=place)
                              or "{}") for saved in ("plain.jsonl", "other.jsonl")]
        Matcher().value(*answers)


def check_secrets(binary):
    with tempfile.TemporaryDirectory(prefix="anonymous.") as name:
        place = pathlib.Path(name)
        (place / "in.yaml").write_text(DUMP)
        run(binary, "schedule", "-f", "in.yaml", "--save", "out.jsonl", "--anonymize", cwd=place)
        text = (place / "out.jsonl").read_text()
        if "hush" in text.lower():
            at = text.lower().index("hush")
            raise Failure(f"a secret was saved: {text[max(0, at - 80):at + 80]}")
        for kept in ("kueue.x-k8s.io/v1beta2", "kubernetes.io/hostname", '"kind":"Deployment"'):
            if kept not in text:
                raise Failure(f"{kept} was not kept")
        answer = json.loads(run(binary, "schedule", "-f", "out.jsonl", "-o", "json", cwd=place))
        if sum(1 for pod in answer["pods"] if "node" in pod) != 2:
            raise Failure(f"two pods should have a node: {answer['pods']}")


def check_configuration(binary):
    """The names in a saved configuration are those of the objects, and are not the house's."""
    with tempfile.TemporaryDirectory(prefix="anonymous.") as name:
        place = pathlib.Path(name)
        (place / "in.yaml").write_text(SCHEDULED)
        (place / "config.yaml").write_text("schedulerNames: [hush-scheduler]\n"
                                           "queues: {usage: hush-past.yaml}\n")
        (place / "hush-past.yaml").write_text("hush-queue: 4\n")
        run(binary, "schedule", "-f", "in.yaml", "--config", "config.yaml", "--actions", "",
            "--save", "out.jsonl", "--anonymize", cwd=place)
        text = (place / "out.jsonl").read_text()
        if '"kind":"Cycle"' not in text or "hush" in text:
            raise Failure(f"no configuration was saved, or one with names: {text[:2000]}")
        pods = json.loads(run(binary, "schedule", "-f", "out.jsonl", "--actions", "allocate", "-o",
                              "json", cwd=place))["pods"]
        if len(pods) != 1 or pods[0]["status"] not in ("Pending", "Bound"):
            raise Failure(f"the pod is another scheduler's: {pods}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    folders = ([SCENARIOS / name for name in options.names] or
               sorted(p for p in SCENARIOS.iterdir() if p.is_dir() and not (p / "args").exists()
                      and list(p.glob("*.yaml")) and p.name not in EXCEPTIONS))
    failed = 0
    for what, test in [("secrets", lambda: check_secrets(binary)),
             ("configuration", lambda: check_configuration(binary))] + \
            [(folder.name, lambda folder=folder: check(binary, folder)) for folder in folders]:
        try:
            test()
        except (Failure, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"FAIL {what}\n{failure}\n", flush=True)
    print(f"{len(folders) + 2 - failed} of {len(folders) + 2} inputs decide alike under other names")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
