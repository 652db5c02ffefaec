#!/usr/bin/env python3
"""Runs cases of other schedulers through the real binary and compares the decisions.

    run.py --binary B [--verbose] [--update] [NAME-PART...]

kai/*.jsonl hold a case a line (see kai/SOURCE.md). A pod must have the status that the case
demands, the node where one is demanded, and be evicted where that is demanded; no more pods may be
bound, evicted or promised a place than the case allows. A case with rounds is run for as many
cycles as it takes to settle and k more, for each k that it names, and the last cycle compared.

kai/differences.txt lists every case that is decided otherwise, with the reason: `NAME -- REASON`.
A case that differs and is not listed fails, and so does one that is listed and no longer differs.
--update rewrites the list: it keeps reasons, drops cases that agree and adds new ones as unexplained,
which fails until somebody has written why.
"""

import argparse
import collections
import concurrent.futures
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
DIFFERENCES = HERE / "kai" / "differences.txt"
HEADER = "# Cases that are decided otherwise than by KAI-Scheduler: NAME -- REASON.\n"
UNEXPLAINED = "unexplained"
TIMEOUT = 60

# KAI's plugins by ours. The others of KAI have no counterpart, the others of ours stay on.
PLUGINS = {
    "predicates": ["predicates", "nodeaffinity", "podaffinity", "topologyspread"],
    "proportion": ["proportion"],
    "priority": ["priority"],
    "elastic": ["gang"],
    "kubeflow": ["podorder"],
    "ray": ["podorder"],
    "taskorder": ["podorder"],
    "subgrouporder": ["podorder"],
    "nodeavailability": ["nodeavailability"],
    "gpusharingorder": ["gpusharing"],
    "gpupack": ["gpusharing"],
    "gpuspread": ["gpusharing"],
    "resourcetype": ["resourcetype"],
    "nodeplacement": ["nodeplacement"],
    "minruntime": ["minruntime"],
    "numa": ["numa"],
    "topology": ["topology"],
}
# Arguments of KAI's minruntime by our key below `queues`.
MIN_RUNTIME_KEYS = ("defaultPreemptMinRuntime", "defaultReclaimMinRuntime", "reclaimResolveMethod")
FINALIZER = "trellis.scheduler/keep-terminating"
# KAI's tables call the class and the driver of GPUs by a name that no API server accepts.
DEVICE_KINDS = ("DeviceClass", "ResourceSlice", "ResourceClaim")
GPU_NAME = ('"nvidia.com/gpu"', '"gpu.nvidia.com"')


def configuration(case):
    wanted = case["config"]
    enabled = {ours for plugin in wanted["plugins"] for ours in PLUGINS.get(plugin["name"], [])}
    all_ours = sorted({ours for names in PLUGINS.values() for ours in names})
    strategy = {"gpu": "binpack", **(wanted.get("placementStrategy") or {})}  # KAI's default
    queues = {"allowConsolidatingReclaim": wanted["allowConsolidatingReclaim"]}
    rounds = wanted.get("rounds") or {}
    for plugin in wanted["plugins"]:
        if plugin["name"] == "minruntime":
            arguments = plugin.get("arguments") or {}
            queues.update({key: arguments[key] for key in MIN_RUNTIME_KEYS if key in arguments})
    return {
        "actions": wanted["actions"],
        "plugins": {name: {"enabled": name in enabled} for name in all_ours},
        "placementStrategy": {key: strategy[key] for key in ("gpu", "cpu") if key in strategy},
        "queues": queues,
        "limits": {
            "consolidationVictims": wanted["maxConsolidationPreemptees"],
            "stalenessGracePeriod": wanted["defaultStalenessGracePeriod"],
        },
        # In KAI's rounds a start is always a minute ago; a pod that leaves never gets old.
        "period": "60s" if rounds and not rounds.get("keepTerminating") else "1s",
    }


def is_stuck(metadata, case):
    """KAI's bound: it has been leaving for more than two minutes."""
    if not metadata.get("deletionTimestamp"):
        return False
    now, since = (datetime.datetime.fromisoformat(text.replace("Z", "+00:00"))
                  for text in (case["config"]["now"], metadata["deletionTimestamp"]))
    return now - since > datetime.timedelta(minutes=2)


def objects_of(case):
    """The objects as lines; pods of gangs that keep terminating, or that are stuck, have a finalizer."""
    kept = set((case["config"].get("rounds") or {}).get("keepTerminating") or [])
    lines = []
    for item in case["objects"]:
        if item["kind"] == "Pod":
            metadata = item["metadata"]
            gang = (metadata.get("annotations") or {}).get("pod-group-name")
            if f"{metadata.get('namespace')}/{gang}" in kept or is_stuck(metadata, case):
                metadata["finalizers"] = [FINALIZER]
        line = json.dumps(item) + "\n"
        lines.append(line.replace(*GPU_NAME) if item["kind"] in DEVICE_KINDS else line)
    return "".join(lines)


def cycles_of(case):
    rounds = case["config"].get("rounds")
    if not rounds:
        return [1]
    return [rounds["untilMatch"] + k for k in range(1, rounds["afterMatch"] + 1)]


def decide(binary, place, now, cycles):
    done = subprocess.run(
        [binary, "schedule", "-f", f"{place}/in.jsonl", "--config", f"{place}/config.yaml", "--now",
         now, "--cycles", str(cycles), "-o", "json"],
        capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode not in (0, 2):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def zones_of(pod):
    return sorted({zone for zones in (pod.get("numaZones") or {}).values() for zone in zones})


def pod_agrees(pod, demand):
    if pod.get("status") != demand["status"]:
        return False
    if "node" in demand and pod.get("node") != demand["node"]:
        return False
    if "numaZones" in demand and zones_of(pod) != sorted(demand["numaZones"]):
        return False
    return bool(pod.get("evicted")) or not demand.get("evicted")


def pod_text(pod):
    words = [pod.get("status") or "absent", pod.get("node")]
    words.append("evicted" if pod.get("evicted") else None)
    words.append(f"zones {pod['numaZones']}" if pod.get("numaZones") else None)
    return " ".join(word for word in words if word)


def counts_of(answer):
    statuses = collections.Counter()
    for pod in answer["pods"]:
        if pod["status"] != "Bound" or "action" in pod:  # else it was bound before
            statuses[pod["status"]] += 1
    return {"binds": statuses["Bound"], "pipelines": statuses["Pipelined"],
            "evictions": len(answer["evictions"])}


def compare(case, answer):
    expect = case["expect"]
    pods = {f"{pod['namespace']}/{pod['name']}": pod for pod in answer["pods"]}
    found = []
    for name, demand in (expect.get("pods") or expect["kai"]["pods"]).items():
        pod = pods.get(name, {})
        if not pod_agrees(pod, demand):
            found.append(f"{name}: {pod_text(pod)}, expected {pod_text(demand)}")
    counts = counts_of(answer)
    for what, most in (expect.get("atMost") or {}).items():
        if counts[what] > most:
            found.append(f"{counts[what]} {what}, expected at most {most}")
    nodes = {node["name"]: node for node in answer["nodes"]}
    for name, demand in (expect.get("nodes") or {}).items():
        for key in ("idleGPUs", "releasingGPUs"):
            if key in demand and nodes.get(name, {}).get(key) != demand[key]:
                found.append(f"{name}: {nodes.get(name, {}).get(key)} {key}, expected "
                             f"{demand[key]}")
    return found


def differences(case, binary):
    """What differs, in the words of the first cycle in which something does."""
    with tempfile.TemporaryDirectory() as place:
        (pathlib.Path(place) / "config.yaml").write_text(json.dumps(configuration(case)))
        (pathlib.Path(place) / "in.jsonl").write_text(objects_of(case))
        for cycles in cycles_of(case):
            found = compare(case, decide(binary, place, case["config"]["now"], cycles))
            if found:
                return found if cycles == 1 else [f"cycle {cycles}: {one}" for one in found]
    return []


def run_case(case, binary):
    try:
        return differences(case, binary), False
    except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as fault:
        return [f"{type(fault).__name__}: {fault}"], True


def read_cases():
    for file in sorted((HERE / "kai").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)


def read_reasons():
    reasons = {}
    for line in DIFFERENCES.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, separator, reason = line.rpartition(" -- ")
        if not separator or not reason or name in reasons:
            raise ValueError(f"differences.txt: {line!r}")
        reasons[name] = reason
    return reasons


def write_reasons(reasons, names):
    """In the order of the cases."""
    lines = [f"{name} -- {reasons[name]}\n" for name in names if name in reasons]
    DIFFERENCES.write_text(HEADER + "".join(lines))


def verdict(name, found, broken, reasons):
    """Why the case fails; None: it does not."""
    if broken:
        return "does not run"
    if not found:
        return "listed, but agrees" if name in reasons else None
    if name not in reasons:
        return "not listed"
    return "listed without a reason" if reasons[name] == UNEXPLAINED else None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--verbose", action="store_true", help="show every difference")
    parser.add_argument("--update", action="store_true", help="rewrite the list of differences")
    parser.add_argument("names", nargs="*", metavar="NAME-PART")
    arguments = parser.parse_args()

    reasons = read_reasons()
    all_cases = list(read_cases())
    names = [case["name"] for case in all_cases]
    cases = [case for case in all_cases
             if not arguments.names or any(part in case["name"] for part in arguments.names)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda case: run_case(case, arguments.binary), cases))

    counts = collections.Counter()
    failed = 0
    for case, (found, broken) in zip(cases, results):
        name = case["name"]
        if arguments.update and found:
            reasons.setdefault(name, UNEXPLAINED)
        elif arguments.update:
            reasons.pop(name, None)
        fault = verdict(name, found, broken, reasons)
        if fault:
            failed += 1
            print(f"FAILED {name}: {fault}")
        elif found:
            counts[reasons[name]] += 1
        if found and (arguments.verbose or fault):
            print("".join(f"  {one}\n" for one in found), end="")
    unknown = sorted(set(reasons) - set(names))
    for name in unknown:
        print(f"FAILED {name}: listed, but there is no such case")
    if arguments.update:
        write_reasons(reasons, names)
    differ = sum(bool(found) for found, _ in results)
    print(f"{len(cases)} cases: {len(cases) - differ} agree, {differ} differ")
    for reason, count in sorted(counts.items()):
        print(f"  {count} {reason}")
    return 1 if failed or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
