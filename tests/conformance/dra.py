#!/usr/bin/env python3
"""Runs Kubernetes' cases of devices (dra/SOURCE.md) through the real binary.

    dra.py --binary B [--only TEXT] [--verbose]

Each case is a cluster whose waiting pods are scheduled (`schedule -o json`). Of one pod on one node
(allocator, samples, extended) the allocation must be one of those that Kubernetes' allocator has;
of a gang, that there is one exactly where exhaustive search found a place, and that it keeps the
rules of the data's README.
"""

import argparse
import collections
import concurrent.futures
import copy
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent / "dra"
TIMEOUT = 120
# An API server refuses some of these objects; the reader may, too.
REFUSED = "odd:invalid-object"


def read_rows(name):
    with gzip.open(FOLDER / name, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def schedule(binary, objects):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "in.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
        done = subprocess.run([binary, "schedule", "-f", file, "-o", "json"], check=False,
                              capture_output=True, text=True, timeout=TIMEOUT)
    if not done.stdout:
        raise RuntimeError(f"no answer: {done.stderr[:500]}")
    return json.loads(done.stdout)


def on_one_node(row):
    """The objects, where the pod in question must go to the node that was asked."""
    objects = copy.deepcopy(row["objects"])
    term = {"matchFields": [{"key": "metadata.name", "operator": "In",
                             "values": [row["request"]["node"]]}]}
    for one in objects:
        if one["kind"] == "Pod" and full_name(one) == row["request"]["pod"]:
            one["spec"]["affinity"] = {"nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    return objects


def full_name(one):
    return f"{one['metadata'].get('namespace', 'default')}/{one['metadata']['name']}"


def pod_of(row, decisions):
    (pod,) = [one for one in decisions["pods"]
              if f"{one['namespace']}/{one['name']}" == row["request"]["pod"]]
    return pod


def claims_of(decisions):
    return {f"{one['namespace']}/{one['name']}": one["allocation"]
            for one in decisions.get("claims", [])}


def devices_of(allocation):
    """As the entries of `solutions.list`."""
    results = allocation.get("devices", {}).get("results", [])
    return sorted(f"{one['request']}={one['driver']}/{one['pool']}/{one['device']}"
                  for one in results)


def plain_result(result):
    result = dict(result)
    if "shareID" in result:
        result["shareID"] = ""
    return json.dumps(result, sort_keys=True)


def plain_selector(allocation):
    terms = allocation.get("nodeSelector", {}).get("nodeSelectorTerms", [])
    return [{key: sorted(json.dumps(one, sort_keys=True) for one in term.get(key) or [])
             for key in ("matchExpressions", "matchFields")} for term in terms]


def same_allocation(one, other):
    def results(allocation):
        return sorted(map(plain_result, allocation.get("devices", {}).get("results", [])))

    def config(allocation):
        return allocation.get("devices", {}).get("config", [])

    return (results(one) == results(other) and config(one) == config(other)
            and plain_selector(one) == plain_selector(other))


def alternatives_of(claims, objects, order):
    """The index of the alternative that each request with several got, in order."""
    specs = {f"{one['metadata']['namespace']}/{one['metadata']['name']}": one["spec"]
             for one in objects if one["kind"] == "ResourceClaim"}
    chosen = []
    for name in order:
        used = {text.split("=", 1)[0] for text in claims.get(name, [])}
        for request in specs[name].get("devices", {}).get("requests", []):
            for index, one in enumerate(request.get("firstAvailable", [])):
                if f"{request['name']}/{one['name']}" in used:
                    chosen.append(index)
    return chosen


def expected_of(row):
    """With the feature gates of 1.37, which have the same answer where none is given."""
    return row["expect"].get("under", {}).get("default-1.37", row["expect"])


def check_allocator(binary, row):
    expect = expected_of(row)
    decisions = schedule(binary, on_one_node(row))
    got = claims_of(decisions)
    wanted = row["request"]["claims"]
    bound = pod_of(row, decisions)["status"] == "Bound"
    if not expect.get("allocated"):
        # An error of Kubernetes must not end in an allocation.
        return "" if not bound else "bound, expected none"
    if not bound:
        return "not bound, expected an allocation"
    exact = {name: devices_of(one) for name, one in expect["claims"].items()}
    found = {name: devices_of(got[name]) for name in wanted if name in got}
    if found == exact:
        same = all(same_allocation(got[name], expect["claims"][name]) for name in exact)
        return "" if same else f"allocation differs: {got} expected {expect['claims']}"
    listed = expect.get("solutions", {}).get("list", [])
    if found not in [{name: sorted(devices) for name, devices in one.items()} for one in listed]:
        return f"devices {found}, expected {exact}"
    better = alternatives_of(found, row["objects"], wanted)
    if better > alternatives_of(exact, row["objects"], wanted):
        return f"later alternatives than {exact}"
    return ""


def check_extended(binary, row):
    expect = row["expect"]
    decisions = schedule(binary, on_one_node(row))
    pod = pod_of(row, decisions)
    bound = pod["status"] == "Bound"
    # Whether the node has the resources of a pod that needs no claim is not asked.
    if expect["node"] != "no-claim-needed" and bound != (expect["node"] == "fits"):
        return f"{pod['status']}, expected {expect['node']}"
    claims = decisions.get("claims", [])
    if not expect.get("allocation"):
        return "" if not claims else f"a claim: {claims}"
    if len(claims) != 1:
        return f"{len(claims)} claims, expected 1"
    same = same_allocation(claims[0]["allocation"], expect["allocation"])
    return "" if same else f"{claims[0]['allocation']} expected {expect['allocation']}"


def check_gang(binary, row):
    decisions = schedule(binary, row["objects"])
    waiting = {one["metadata"]["name"] for one in row["objects"]
               if one["kind"] == "Pod" and "nodeName" not in one.get("spec", {})}
    pods = {one["name"]: one for one in decisions["pods"] if one["name"] in waiting}
    bound = {name: one["node"] for name, one in pods.items() if one["status"] == "Bound"}
    placed = len(bound) == len(waiting)
    if bound and not placed:
        return f"a part of the gang: {sorted(bound)}"
    if placed != row["expect"]["placeable"]:
        return f"placed {placed}, expected {row['expect']['placeable']}"
    return check_rules(row["objects"], bound, claims_of(decisions)) if placed else ""


def matches(requirement, labels, name):
    value = name if requirement["key"] == "metadata.name" else labels.get(requirement["key"])
    values = requirement.get("values") or []
    return {
        "In": value in values,
        "NotIn": value is None or value not in values,
        "Exists": value is not None,
        "DoesNotExist": value is None,
    }[requirement["operator"]]


def fits_node(allocation, node):
    labels = node["metadata"].get("labels", {})
    terms = allocation.get("nodeSelector", {}).get("nodeSelectorTerms")
    if terms is None:
        return True
    return any(all(matches(one, labels, node["metadata"]["name"])
                   for key in ("matchExpressions", "matchFields") for one in term.get(key) or [])
               for term in terms)


def claim_names(pod):
    made = {one["name"]: one.get("resourceClaimName")
            for one in pod.get("status", {}).get("resourceClaimStatuses", [])}
    for one in pod["spec"].get("resourceClaims", []):
        name = one.get("resourceClaimName") or made.get(one["name"])
        if name:
            yield f"{pod['metadata'].get('namespace', 'default')}/{name}"


def check_rules(objects, bound, made):
    """What a first look can refute: reach, devices given twice, capacity beyond what there is."""
    nodes = {one["metadata"]["name"]: one for one in objects if one["kind"] == "Node"}
    held = {f"{one['metadata']['namespace']}/{one['metadata']['name']}":
            one.get("status", {}).get("allocation")
            for one in objects if one["kind"] == "ResourceClaim"}
    allocations = {name: one for name, one in held.items() if one} | made
    for pod in objects:
        if pod["kind"] != "Pod" or pod["metadata"]["name"] not in bound:
            continue
        for claim in claim_names(pod):
            if claim not in allocations:
                return f"{claim} has no devices"
            if not fits_node(allocations[claim], nodes[bound[pod["metadata"]["name"]]]):
                return f"{claim} cannot be used on {bound[pod['metadata']['name']]}"
    taken = collections.Counter()
    for name, allocation in allocations.items():
        for result in allocation.get("devices", {}).get("results", []):
            if result.get("adminAccess"):
                continue
            device = (result["driver"], result["pool"], result["device"])
            if "shareID" in result:
                taken[device] += 0
                continue
            taken[device] += 1
            if taken[device] > 1:
                return f"{device} twice, the second time for {name}"
    return ""


SUITES = {
    "allocator": ("allocator.jsonl.gz", check_allocator),
    "samples": ("samples.jsonl.gz", check_allocator),
    "extended": ("extended.jsonl.gz", check_extended),
    "gangs": ("gangs.jsonl.gz", check_gang),
}


def read_differences():
    """Known ones, with their reasons: {name: reason}."""
    lines = (FOLDER / "differences.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split(": ", 1) for line in lines if line and not line.startswith("#"))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--only", default="")
    parser.add_argument("--suite", choices=SUITES, action="append")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    binary = str(pathlib.Path(args.binary).resolve())
    failed = 0
    known = read_differences()
    for suite in args.suite or SUITES:
        file, check = SUITES[suite]
        rows = [row for row in read_rows(file) if args.only in row["name"]]
        refused = [row for row in rows if REFUSED in row["tags"]]
        rows = [row for row in rows if REFUSED not in row["tags"]]

        def run(row, check=check):
            try:
                return check(binary, row)
            except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
                return f"{type(error).__name__}: {error}"

        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            answers = list(pool.map(run, rows))
        faults = [(row, fault) for row, fault in zip(rows, answers)
                  if bool(fault) != (row["name"] in known)]
        differ = sum(row["name"] in known for row in rows)
        for row, fault in faults if args.verbose else faults[:10]:
            print(f"{suite} {row['name']} [{' '.join(row['tags'])}]: {fault[:600] or 'agrees'}")
        failed += len(faults)
        print(f"{suite}: {len(rows) - len(faults) - differ} of {len(rows)} agree, {differ} differ as "
              f"listed, "
              f"{len(refused)} that an API server refuses were left out")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
