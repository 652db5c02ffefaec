#!/usr/bin/env python3
"""Runs SwarmKit's cases through the real binary and holds each outcome against the rule.

    swarm.py --binary B [--as FORM] [--verbose] [NAME-PART...]

swarm/*.jsonl hold a case a line (see swarm/SOURCE.md). The service is written in each of FORMS: a
PodGroup, a gang or a gang a pod, with its preferences as annotations; the replicas are its pending
pods. There is no one right outcome: below every parent the rule for its kind of level must hold,
given the pods that this outcome puts there. And what stood before must stand where it stood.
"""

import argparse
import collections
import concurrent.futures
import fractions
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "swarm"
TIMEOUT = 60
GPU = "nvidia.com/gpu"


def read_cases():
    for file in sorted(HERE.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)


def pod_group(service, minimum, keys):
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
            "metadata": {"name": service, "annotations": keys}, "spec": {"minMember": minimum}}


def owner(kind, service, keys, of_template):
    template = {"metadata": {"labels": {"app": service}, "annotations": of_template},
                "spec": {"containers": [{"name": "c", "image": "pause"}]}}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": service, "annotations": keys},
            "spec": {"selector": {"matchLabels": {"app": service}}, "template": template}}


def owned(kind, service):
    return {"ownerReferences": [{"apiVersion": "apps/v1", "kind": kind, "name": service,
                                 "uid": "u1", "controller": True}]}


def in_group(service):
    return {"annotations": {"pod-group-name": service}}


# How a service may be written: the objects that say so, and what stands in the metadata of its pods.
# A Deployment's pods and those that share but a label are gangs of their own.
FORMS = {
    "group": lambda name, placed, keys: ([pod_group(name, 1, keys)], in_group(name)),
    "gang": lambda name, placed, keys: ([pod_group(name, max(1, placed), keys)], in_group(name)),
    "stateful": lambda name, placed, keys: ([owner("StatefulSet", name, keys, {})],
                                            owned("StatefulSet", name)),
    "deployment": lambda name, placed, keys: ([owner("Deployment", name, keys, {})],
                                              owned("Deployment", name)),
    "template": lambda name, placed, keys: ([owner("Deployment", name, {}, keys)],
                                            owned("Deployment", name)),
    "label": lambda name, placed, keys: ([], {"annotations": keys}),
}


def objects_of(case, form):
    request = case["request"]
    service = request["service"]
    keys = {"trellis.scheduler/placement-preferences": json.dumps(request["preferences"])}
    if "maxPerNode" in request:
        keys["trellis.scheduler/max-pods-per-node"] = str(request["maxPerNode"])
    running = sum(is_of(item, service) for item in case["objects"])
    saying, meta = FORMS[form](service, running + case["expect"]["balanced"]["placed"], keys)
    yield from saying
    for item in case["objects"]:
        if is_of(item, service):
            item = json.loads(json.dumps(item))
            item["metadata"].update(meta)
        yield item
    for i in range(request["replicas"]):
        resources = {"requests": request["requests"]}
        if GPU in request["requests"]:
            resources["limits"] = {GPU: request["requests"][GPU]}
        spec = {"containers": [{"name": "c", "image": "pause", "resources": resources}]}
        spec.update(request.get("constraints", {}))
        yield {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"name": f"{service}-new-{i}", "labels": {"app": service}, **meta},
               "spec": spec}


def is_of(item, service):
    return item["kind"] == "Pod" and item["metadata"].get("labels", {}).get("app") == service


def decide(binary, case, form):
    with tempfile.TemporaryDirectory() as place:
        file = pathlib.Path(place) / "in.jsonl"
        file.write_text("".join(json.dumps(item) + "\n" for item in objects_of(case, form)))
        done = subprocess.run([binary, "schedule", "-f", str(file), "--actions", "allocate", "-o",
                               "json"], capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def gpus(amounts):
    return int(amounts.get(GPU, 0))


class Node:
    def __init__(self, item, room):
        self.labels = item["metadata"].get("labels", {})
        self.room = room
        self.running = self.pods = self.used = self.added = 0
        self.capacity = gpus(item["status"]["allocatable"])


def read_nodes(case):
    room = case["expect"]["balanced"]["room"]
    nodes = {}
    for item in case["objects"]:
        if item["kind"] == "Node":
            name = item["metadata"]["name"]
            nodes[name] = Node(item, room.get(name, 0))
    for item in case["objects"]:
        if item["kind"] != "Pod":
            continue
        node = nodes[item["spec"]["nodeName"]]
        node.pods += 1
        node.running += is_of(item, case["request"]["service"])
        for container in item["spec"]["containers"]:
            node.used += gpus(container.get("resources", {}).get("requests", {}))
    return nodes


def check_even(groups):
    for one in groups:
        for other in groups:
            if (one["added"] > 0 and other["added"] < other["room"]
                    and one["running"] + one["added"] - 1 > other["running"] + other["added"]):
                return "a move makes it more even"
    return None


def targets_of(groups):
    """x by bisection over the bounds, in exact fractions."""
    total = sum(one["running"] + one["added"] for one in groups)

    def clamped(one, x):
        return min(max(x * one["weight"], one["running"]), one["running"] + one["room"])

    bounds = sorted({fractions.Fraction(amount, one["weight"]) for one in groups
                     for amount in (one["running"], one["running"] + one["room"])} | {0})
    below = max(x for x in bounds if sum(clamped(one, x) for one in groups) <= total)
    growing = [one for one in groups if one["running"] <= below * one["weight"]
               and below * one["weight"] < one["running"] + one["room"]]
    rest = total - sum(clamped(one, below) for one in groups if one not in growing)
    weight = sum(one["weight"] for one in growing)
    x = fractions.Fraction(rest) / weight if growing else below
    return [clamped(one, x) for one in groups]


def check_weighted(groups):
    targets = targets_of(groups)
    low = []
    high = []
    for one, target in zip(groups, targets):
        above = one["running"] + one["added"] - target.__floor__()
        if above not in (0, 1):
            return "not the target rounded down or up"
        (high if above else low).append(target - target.__floor__())
    if low and high and max(low) > min(high):
        return "a larger fractional part was passed over"
    return None


def check_packed(groups):
    rest = sum(one["added"] for one in groups)
    left = [dict(one, added=0) for one in groups]
    while rest > 0:
        free = [one for one in left if one["room"] > 0 and one["added"] == 0]
        best = min(free, key=lambda one: (-one["running"], one["room"] < rest,
                                          one["room"] if one["room"] >= rest else -one["room"]))
        best["added"] = min(rest, best["room"])
        rest -= best["added"]
    key = lambda one: (one["running"], one["room"], one["added"])
    return None if sorted(map(key, groups)) == sorted(map(key, left)) else "not packed by the rule"


def check_nodes(nodes, last, request):
    def key(node, k):
        if "resource" in last:
            if node.capacity == 0:
                return (fractions.Fraction(10**9), 0)
            return (fractions.Fraction(node.used + k * request, node.capacity), 0)
        return (node.running + k - 1, node.pods + k - 1)

    for one in nodes:
        for other in nodes:
            if (one.added > 0 and other.added < other.room
                    and key(one, one.added) > key(other, other.added + 1)):
                return "a better node was passed over"
    return None


def broken_rule(case, nodes):
    groups = [list(nodes.values())]
    request = gpus(case["request"]["requests"])
    last = {}
    for preference in case["request"]["preferences"]:
        (way, over), = preference.items()
        if "label" not in over:
            last = over
            break
        below = []
        for parent in groups:
            values = collections.defaultdict(list)
            for node in parent:
                values[node.labels.get(over["label"], "")].append(node)
            sums = [{"running": sum(n.running for n in part), "room": sum(n.room for n in part),
                     "added": sum(n.added for n in part),
                     "weight": over.get("weights", {}).get(value, 1)}
                    for value, part in values.items()]
            weighted = check_weighted if over.get("weights") else check_even
            fault = (check_packed if way == "pack" else weighted)(sums)
            if fault:
                return f"{over['label']}: {fault}"
            below.extend(values.values())
        groups = below
    for group in groups:
        fault = check_nodes(group, last, request)
        if fault:
            return f"node: {fault}"
    return None


def run_case(binary, case, form):
    answer = decide(binary, case, form)
    nodes = read_nodes(case)
    before = {item["metadata"]["name"]: item["spec"]["nodeName"] for item in case["objects"]
              if item["kind"] == "Pod"}
    placed = 0
    for pod in answer["pods"]:
        if pod["name"] in before:
            if pod.get("node") != before[pod["name"]]:
                return f"{pod['name']} moved"
        elif pod.get("node"):
            nodes[pod["node"]].added += 1
            placed += 1
    wanted = case["expect"]["balanced"]["placed"]
    if placed != wanted:
        return f"{placed} pods placed, expected {wanted}"
    for name, node in nodes.items():
        if node.added > node.room:
            return f"{name} is over-full"
    return broken_rule(case, nodes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--as", dest="form", choices=FORMS)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    cases = [case for case in read_cases()
             if not arguments.names or any(part in case["name"] for part in arguments.names)]
    runs = [(case, form) for form in FORMS if arguments.form in (None, form) for case in cases]
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (case, form), fault in zip(runs, pool.map(lambda run: run_case(binary, *run), runs)):
            if fault:
                faults += 1
                print(f"{case['name']} as {form}: {fault}")
            elif arguments.verbose:
                print(f"{case['name']} as {form}: right")
    print(f"swarm: {len(runs)} runs of {len(cases)} cases, {faults} faults")
    return 1 if faults or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
