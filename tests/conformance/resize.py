#!/usr/bin/env python3
"""Runs Kubernetes' cases of what a pod counts for through the real binary.

    resize.py --binary B

k137/pod-resources.jsonl holds a pod a line (see k137/SOURCE.md). `explain node` says what pods that
stand there hold, and what pods that wait ask for; both must be what Kubernetes counts.
"""

import argparse
import copy
import fractions
import json
import pathlib
import subprocess
import sys
import tempfile

CASES = pathlib.Path(__file__).resolve().parent / "k137" / "pod-resources.jsonl"
SUFFIXES = {"m": fractions.Fraction(1, 1000), "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12,
            "P": 10**15, "E": 10**18, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40,
            "Pi": 2**50, "Ei": 2**60}
TIMEOUT = 60


def amount(text, resource):
    """cpu in thousandths, all else in whole units."""
    for suffix in sorted(SUFFIXES, key=len, reverse=True):
        if text.endswith(suffix):
            number = fractions.Fraction(text[:-len(suffix)]) * SUFFIXES[suffix]
            break
    else:
        number = fractions.Fraction(text)
    return number * 1000 if resource == "cpu" else number


def without_zeros(amounts):
    return {resource: number for resource, number in amounts.items() if number}


def read_rows():
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def random_cases(rows):
    """(name, pod, what it counts for, whether that is on a node)"""
    for row in rows:
        if row["source"] == "random":
            expect = row["expect"]
            pod = row["objects"][0]
            yield row["name"], pod, expect.get("exact", expect["counted"]), True
            yield row["name"], pod, expect["incoming"], False


def upstream_cases(rows):
    """What the options of a row switch off is taken out of its pod. So are limits: an API server
    has made requests of them by the time that these functions are asked."""
    for row in rows:
        options = row.get("config", {}).get("options", {})
        left_out = {"node-allocatable-claims", "not-valid"} & set(row["tags"])
        if row["source"] == "random" or left_out or "nonMissing" in options:
            continue
        pod = copy.deepcopy(row["objects"][0])
        spec = pod["spec"]
        if "excludeOverhead" in options:
            spec.pop("overhead", None)
        if "skipPodLevelResources" in options:
            spec.pop("resources", None)
        if "podLevelStatus" not in options:
            for key in ("resources", "allocatedResources"):
                pod.get("status", {}).pop(key, None)
        for one in [*spec["containers"], *spec.get("initContainers", []), spec]:
            one.get("resources", {}).pop("limits", None)
        yield row["name"], pod, row["expect"]["requests"], "useStatusResources" in options


def stand(pod, name, on_node):
    pod = copy.deepcopy(pod)
    pod["metadata"] = {"name": name}
    pod.setdefault("status", {})["phase"] = "Running" if on_node else "Pending"
    if on_node:
        pod["spec"]["nodeName"] = "n"
    else:
        pod["spec"].pop("nodeName", None)
        # Pods that are alike are reported together.
        pod["spec"]["nodeSelector"] = {"only": name}
    return pod


def count(binary, cases, on_node):
    """What the program says of each, in their order."""
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"},
            "status": {"allocatable": {"cpu": "1M", "memory": "1Pi", "pods": "10k"}}}
    pods = [stand(pod, f"p{i}", on_node) for i, (_, pod, _, _) in enumerate(cases)]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "in.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in [node, *pods]),
                        encoding="utf-8")
        done = subprocess.run([binary, "explain", "node/n", "-f", file, "-o", "json"], check=False,
                              capture_output=True, text=True, timeout=TIMEOUT)
    said = json.loads(done.stdout)
    if on_node:
        found = {one["name"]: one["holds"] for one in said["pods"]}
    else:
        found = {one["gang"].removeprefix("default/"): one["asks"] for one in said["pending"]}
    return [{resource: amount(text, resource)
             for resource, text in found[f"p{i}"].items() if resource != "pods"}
            for i in range(len(cases))]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = pathlib.Path(parser.parse_args().binary).resolve()
    rows = read_rows()
    cases = [*random_cases(rows), *upstream_cases(rows)]
    faults = 0
    for on_node in (True, False):
        some = [case for case in cases if case[3] == on_node]
        for (name, _, expected, _), found in zip(some, count(binary, some, on_node)):
            if without_zeros(found) != without_zeros(expected):
                faults += 1
                where = "on a node" if on_node else "waiting"
                print(f"{name} {where}: found {without_zeros(found)}, expected {expected}")
    print(f"resize: {len(cases)} cases, {faults} faults")
    return 1 if faults or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
