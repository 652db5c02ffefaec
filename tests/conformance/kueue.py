#!/usr/bin/env python3
"""Runs Kueue's cases through the real binary, in both profiles, and compares the assignments.

    kueue.py --binary B [--profile kueue|trellis] [--verbose] [NAME-PART...]

kueue/*.jsonl hold a case a line (see kueue/SOURCE.md). In profile `kueue` every answer must be
Kueue's own, domain by domain. In profile `trellis` (cases with Kueue's default gates) what Kueue
admits must be admitted, with no more domains on any level, and every assignment must be whole and
fit the nodes. Where Kueue's own answer breaks the request, the case is listed in
kueue/differences.txt as `NAME -- PROOF`; one that is listed and no longer differs fails.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "kueue"
DIFFERENCES = HERE / "differences.txt"
HOSTNAME = "kubernetes.io/hostname"
UNITS = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30,
         "Ti": 2**40}


def quantity(text):
    text = str(text)
    number = text.rstrip("KMGTikm")
    return float(number) * UNITS[text[len(number):]]


def read_cases():
    for file in sorted(HERE.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)


def read_proofs():
    proofs = {}
    for line in DIFFERENCES.read_text().splitlines():
        if line and not line.startswith("#"):
            name, separator, proof = line.rpartition(" -- ")
            if not separator or not proof:
                raise ValueError(f"differences.txt: {line!r}")
            proofs[name] = proof
    return proofs


def decide(binary, case, profile):
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        config = {"placementProfile": profile}
        if profile == "kueue":
            config["kueue"] = case.get("config", {})
        (place / "config.yaml").write_text(json.dumps(config))
        (place / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in case["objects"]))
        done = subprocess.run(
            [binary, "schedule", "-f", f"{place}/in.jsonl", "--config", f"{place}/config.yaml",
             "-o", "json"], capture_output=True, text=True, timeout=60, check=False)
        if done.returncode not in (0, 2):  # 2: something of the input is wrong, and was said
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
        return json.loads(done.stdout)["workloads"][0]


def assignments(answer):
    found = {}
    for one in answer.get("podSetAssignments", []):
        domains = one.get("topologyAssignment", {}).get("domains", [])
        found[one["name"]] = sorted((tuple(each["values"]), each["count"]) for each in domains)
    return found


def expected(case):
    return {name: sorted((tuple(each["values"]), each["count"]) for each in domains)
            for name, domains in case["expect"].get("assignments", {}).items()}


def compare_exactly(case, answer):
    expect = case["expect"]
    if answer["admitted"] != expect["admitted"]:
        return [f"admitted {answer['admitted']}, expected {expect['admitted']}"]
    found = {name: domains for name, domains in assignments(answer).items() if domains}
    wanted = {name: domains for name, domains in expected(case).items() if domains}
    return [] if found == wanted else [f"{found}, expected {wanted}"]


class World:
    def __init__(self, case):
        kinds = collections.defaultdict(list)
        for one in case["objects"]:
            kinds[one["kind"]].append(one)
        self.levels = [level["nodeLabel"] for level in kinds["Topology"][0]["spec"]["levels"]]
        self.nodes = {node["metadata"]["name"]: node for node in kinds["Node"]}
        self.pods = kinds["Pod"]
        self.workload = kinds["Workload"][0]
        self.by_host = {node["metadata"].get("labels", {}).get(HOSTNAME): node
                        for node in kinds["Node"]}

    def path(self, values):
        if len(values) == len(self.levels):
            return tuple(values)
        labels = self.by_host[values[-1]]["metadata"]["labels"]
        return tuple(labels.get(level) for level in self.levels)

    def domains(self, placed):
        """How many domains of each level are used by all PodSets together."""
        paths = {self.path(values) for domains in placed.values() for values, _ in domains}
        return [len({path[:depth + 1] for path in paths}) for depth in range(len(self.levels))]

    def free(self, host):
        node = self.by_host[host]
        left = {key: quantity(value) for key, value in node["status"]["allocatable"].items()}
        for pod in self.pods:
            if pod["spec"].get("nodeName") != node["metadata"]["name"]:
                continue
            if pod.get("status", {}).get("phase") in ("Succeeded", "Failed"):
                continue
            for key, value in requests(pod["spec"]).items():
                left[key] = left.get(key, 0) - value
        return left

    def faults(self, placed):
        """Why an assignment is no good."""
        used = collections.defaultdict(lambda: collections.defaultdict(float))
        found = []
        for pod_set in self.workload["spec"]["podSets"]:
            domains = placed.get(pod_set["name"], [])
            total = sum(count for _, count in domains)
            if total != pod_set["count"]:
                found.append(f"{pod_set['name']}: {total} of {pod_set['count']} pods have a domain")
            for values, count in domains:
                if self.levels[-1] != HOSTNAME:
                    continue
                for key, value in requests(pod_set["template"]["spec"]).items():
                    used[values[-1]][key] += value * count
        for host, amounts in used.items():
            left = self.free(host)
            found += [f"{host}: {key} is over-full" for key, value in amounts.items()
                      if value > left.get(key, 0) + 1e-9]
        return found


def requests(spec):
    total = collections.defaultdict(float, pods=1)
    for container in spec.get("containers", []):
        for key, value in container.get("resources", {}).get("requests", {}).items():
            total[key] += quantity(value)
    return total


def compare_freely(case, answer, tally):
    world = World(case)
    found = assignments(answer)
    faults = world.faults(found) if answer["admitted"] else []
    if not case["expect"]["admitted"]:
        tally["admits more"] += answer["admitted"]
        return faults
    if not answer["admitted"]:
        return [f"not admitted: {answer['reasons'][0]['message']}"]
    ours, theirs = world.domains(found), world.domains(expected(case))
    if any(a > b for a, b in zip(ours, theirs)):
        faults.append(f"domains by level {ours}, Kueue {theirs}")
    tally["fewer domains"] += ours != theirs and not faults
    return faults


def run_case(case, binary, profile, tally):
    try:
        answer = decide(binary, case, profile)
        if profile == "kueue":
            return compare_exactly(case, answer)
        return compare_freely(case, answer, tally)
    except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as fault:
        return [f"{type(fault).__name__}: {fault}"]


def run_profile(profile, cases, arguments):
    proofs = read_proofs() if profile == "trellis" else {}
    if profile == "trellis":
        cases = [case for case in cases if not case.get("config")]
    tally = collections.Counter()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: run_case(case, arguments.binary, profile, tally),
                                cases))
    failed = 0
    for case, found in zip(cases, results):
        listed = case["name"] in proofs
        if bool(found) != listed:
            failed += 1
            print(f"FAILED {profile} {case['name']}: " +
                  ("; ".join(found) if found else "listed, but agrees"))
        elif found and arguments.verbose:
            print(f"differs {case['name']}: {'; '.join(found)} -- {proofs[case['name']]}")
    agree = sum(1 for found in results if not found)
    more = "".join(f", {count} with {what}" if "domains" in what else f", {what} in {count}"
                   for what, count in sorted(tally.items()))
    print(f"profile {profile}: {len(cases)} cases, {agree} hold{more}, {failed} failed")
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--profile", choices=("kueue", "trellis"))
    parser.add_argument("--verbose", action="store_true", help="show every difference")
    parser.add_argument("names", nargs="*", metavar="NAME-PART")
    arguments = parser.parse_args()
    cases = [case for case in read_cases()
             if not arguments.names or any(part in case["name"] for part in arguments.names)]
    profiles = [arguments.profile] if arguments.profile else ["kueue", "trellis"]
    return 1 if sum(run_profile(one, cases, arguments) for one in profiles) else 0


if __name__ == "__main__":
    sys.exit(main())
