#!/usr/bin/env python3
"""Runs Kubernetes' cases of volumes through the real binary.

    volumes.py --binary B [--only TEXT] [--verbose]

k137/volumes.jsonl.gz holds a cluster a line (see k137/SOURCE.md), with one pod that waits.
`explain pod` gives the verdict of each node, `explain gang` why the pod waits on all of them, and
`schedule` the volumes of its claims when one node alone is open to it. Where kube-scheduler's answer
is wrong (`exact`), the right one is expected.
"""

import argparse
import collections
import concurrent.futures
import copy
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "k137" / "volumes.jsonl.gz"
TIMEOUT = 60
# Volumes of plugins that were built into Kubernetes are counted as those of CSI drivers, but their
# node affinity is not translated.
TOLERATED = "migration"

# The plugin of kube-scheduler that gives each reason.
PLUGINS = {
    "VolumeInUse": {"VolumeRestrictions"},
    "DiskInUse": {"VolumeRestrictions"},
    "TooManyVolumes": {"NodeVolumeLimits"},
    "VolumeDriverMissing": {"NodeVolumeLimits"},
    "VolumeNodeMismatch": {"VolumeBinding"},
    "NoVolumeForClaim": {"VolumeBinding"},
    "NotEnoughStorage": {"VolumeBinding"},
    "VolumeZoneMismatch": {"VolumeZone"},
}
HOLDS = {"VolumeClaimNotFound", "VolumeLost", "VolumeClaimLeaving", "VolumeClaimOfOther",
         "VolumeClaimUnbound", "VolumeNotFound"}


def read_rows():
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def run(binary, folder, objects, *words):
    file = folder / "in.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
    # Consolidation would move running pods, and the verdicts are those after the cycle.
    done = subprocess.run([binary, *words, "-f", file, "-o", "json", "--actions", "allocate"],
                          check=False, capture_output=True, text=True, timeout=TIMEOUT)
    if not done.stdout:
        raise RuntimeError(f"no answer: {done.stderr[:500]}")
    return json.loads(done.stdout)


def waiting_pod(objects):
    (pod,) = [one for one in objects
              if one["kind"] == "Pod" and "nodeName" not in one.get("spec", {})]
    return pod


def on_one_node(objects, node):
    """The same objects, where the waiting pod must go to the node."""
    objects = copy.deepcopy(objects)
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [node]}]}
    waiting_pod(objects)["spec"]["affinity"] = {"nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    return objects


class Case:
    def __init__(self, binary, row):
        self.binary = binary
        self.row = row
        self.faults = []
        self.nodes = 0
        pod = waiting_pod(row["objects"])["metadata"]
        self.pod = f"{pod.get('namespace', 'default')}/{pod['name']}"

    def fault(self, text):
        self.faults.append(f"{self.row['name']} [{' '.join(self.row['tags'])}]: {text}")

    def check(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            said = run(self.binary, folder, self.row["objects"], "explain", f"pod/{self.pod}")
            gang = run(self.binary, folder, self.row["objects"], "schedule")
            holds = [reason["code"] for one in gang["gangs"] for reason in one.get("reasons", [])
                     if reason["code"] in HOLDS]
            held = self.row["expect"].get("preFilter") or {}
            if held or holds:
                if bool(held) != bool(holds):
                    self.fault(f"held by {holds}, expected {held}")
                return self
            for node in said["nodes"]:
                self.check_node(folder, node)
        return self

    def check_node(self, folder, said):
        self.nodes += 1
        name = said["name"]
        expect = self.row["expect"]["nodes"][name]
        reasons = [one["code"] for one in said.get("reasons", []) if one["code"] in PLUGINS]
        fits = not reasons
        wanted = expect.get("exact", expect["fits"])
        if fits != wanted:
            self.fault(f"node {name}: fits {fits} {reasons}, expected {expect}")
            return
        rejected = set(expect.get("rejected") or {})
        for reason in reasons:
            if "exact" not in expect and not PLUGINS[reason] & rejected:
                self.fault(f"node {name}: {reason}, expected {expect['rejected']}")
        if fits and "exact" not in expect:
            self.check_choice(folder, name, expect)

    def check_choice(self, folder, node, expect):
        done = run(self.binary, folder, on_one_node(self.row["objects"], node), "schedule")
        (pod,) = [one for one in done["pods"]
                  if f"{one['namespace']}/{one['name']}" == self.pod]
        if pod["status"] != "Bound":
            self.fault(f"node {node}: not bound: {pod['status']}")
            return
        claims = pod.get("claims", [])
        bind = {one["claim"]: one["volume"] for one in claims if "volume" in one}
        made = sorted(one["claim"] for one in claims if "volume" not in one)
        answers = [expect, *(expect.get("others") or [])]
        if not any(bind == (one.get("bind") or {}) and made == sorted(one.get("provision") or [])
                   for one in answers):
            self.fault(f"node {node}: bound {bind}, made {made}, expected {answers}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    binary = pathlib.Path(options.binary).resolve()
    rows = [row for row in read_rows() if options.only in row["name"]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda row: Case(binary, row).check(), rows))
    wrong = [case for case in done if case.faults]
    faults = [case for case in wrong if TOLERATED not in case.row["tags"]]
    tags = collections.Counter(tag for case in wrong for tag in case.row["tags"])
    for case in wrong:
        for fault in case.faults:
            print(fault)
    if options.verbose:
        print(dict(tags))
    nodes = sum(case.nodes for case in done)
    print(f"volumes: {len(done)} cases, {nodes} nodes; {len(wrong)} cases differ, "
          f"{len(faults)} of them without tag {TOLERATED}")
    return 1 if faults or not done else 0


if __name__ == "__main__":
    sys.exit(main())
