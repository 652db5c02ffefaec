#!/usr/bin/env python3
"""Runs the cases of kube-scheduler's filters through the real binary.

    filters.py --binary B [--verbose] [NAME...]

k137/filters.jsonl.gz holds a world a line (see k137/SOURCE.md), with the verdict of every filter on
every node about one pod that waits. `explain pod` must give each node the same verdict, and name
the same filters; no input may be refused. Only `allocate` runs before the answer, so that no pods
are moved. Of the scores, that of preferred node affinity is compared.
"""

import argparse
import collections
import concurrent.futures
import gzip
import json
import pathlib
import subprocess
import sys

CASES = pathlib.Path(__file__).resolve().parent / "k137" / "filters.jsonl.gz"
TIMEOUT = 60

# The filter that a reason code is of.
FILTER_OF = {
    "InsufficientResource": "NodeResourcesFit",
    "TooManyPods": "NodeResourcesFit",
    "NodeUnschedulable": "NodeUnschedulable",
    "UntoleratedTaint": "TaintToleration",
    "NodeSelectorMismatch": "NodeAffinity",
    "NodeAffinityMismatch": "NodeAffinity",
    "NodeFeatureMissing": "NodeDeclaredFeatures",
    "HostPortConflict": "NodePorts",
    "TopologySpreadLabelMissing": "PodTopologySpread",
    "TopologySpreadSkew": "PodTopologySpread",
    "PodAffinityMismatch": "InterPodAffinity",
    "PodAntiAffinityConflict": "InterPodAffinity",
    "ExistingPodAntiAffinity": "InterPodAffinity",
}


def ask(binary, case):
    """The nodes of the answer, by name; or what went wrong, as text."""
    objects = json.dumps({"apiVersion": "v1", "kind": "List", "items": case["objects"]})
    done = subprocess.run([binary, "explain", "pod/" + case["pod"], "-f", "-", "-o", "json",
                           "--actions", "allocate"],
                          input=objects, check=False, capture_output=True, text=True,
                          timeout=TIMEOUT)
    if done.stderr.strip():
        return f"it complains: {done.stderr.strip()[:300]}"
    try:
        return {node["name"]: node for node in json.loads(done.stdout)["nodes"]}
    except (ValueError, KeyError):
        return f"no answer, exit code {done.returncode}"


def preferred_weight(case):
    """The sum of the weights of the pod's preferred node affinity."""
    space, name = case["pod"].split("/")
    for one in case["objects"]:
        metadata = one["metadata"]
        if one["kind"] == "Pod" and (metadata.get("namespace"), metadata["name"]) == (space, name):
            affinity = (one["spec"].get("affinity") or {}).get("nodeAffinity") or {}
            terms = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or []
            return sum(term["weight"] for term in terms)
    return 0


def faults_of(case, found):
    """(kind, text) of each difference."""
    if isinstance(found, str):
        yield "failed", found
        return
    whole = preferred_weight(case)
    for name, wanted in sorted(case["expect"]["nodes"].items()):
        node = found.get(name)
        if node is None:
            yield "failed", f"{name} is not in the answer"
            continue
        if node["fits"] != wanted["fits"]:
            yield "fits", f"{name}: found {node['fits']}, expected {wanted['fits']}"
        named = {FILTER_OF.get(reason["code"], reason["code"])
                 for reason in node.get("reasons", [])}
        if named != set(wanted["refusedBy"]):
            yield "filters", f"{name}: found {sorted(named)}, expected {wanted['refusedBy']}"
        raw = wanted.get("scores", {}).get("NodeAffinity")
        if raw is None or not whole:
            continue
        score = node["scores"].get("nodeaffinity", 0)
        if abs(score - 100 * raw / whole) > 1e-6:
            yield "score", f"{name}: found {score}, expected {raw} of {whole}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    binary = pathlib.Path(arguments.binary).resolve()
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        cases = [json.loads(line) for line in lines]
    if arguments.names:
        cases = [case for case in cases if case["name"] in arguments.names]
    kinds = collections.Counter()
    different = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for case, found in zip(cases, pool.map(lambda case: ask(binary, case), cases)):
            faults = list(faults_of(case, found))
            different += bool(faults)
            for kind, text in faults:
                kinds[kind] += 1
                if arguments.verbose or kinds[kind] <= 5:
                    print(f"{case['name']} ({kind}): {text}")
    verdicts = sum(len(case["expect"]["nodes"]) for case in cases)
    print(f"filters: {len(cases)} cases, {verdicts} verdicts, {different} cases differ"
          + "".join(f", {kind} {count}" for kind, count in sorted(kinds.items())))
    return 1 if different or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
