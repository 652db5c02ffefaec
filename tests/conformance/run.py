#!/usr/bin/env python3
"""Runs cases of other schedulers through the real binary and compares the decisions.

    run.py --binary B [--verbose] [NAME-PART...]

kai/*.jsonl hold a case a line (see kai/SOURCE.md). A pod must have the status that the case
demands, and the node where one is demanded. kai/differences.txt lists every case that is decided
otherwise, with the reason: `NAME -- REASON`. A case that differs and is not listed fails, and so does
one that is listed and no longer differs.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT = 60

# KAI's plugins by ours. What is not named here has no counterpart yet.
PLUGINS = {
    "predicates": ["predicates", "nodeaffinity", "podaffinity", "topologyspread"],
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
    "topology": ["topology"],
}
ACTIONS = {"allocate"}  # those that are built


def configuration(case):
    wanted = case["config"]
    enabled = {ours for plugin in wanted["plugins"] for ours in PLUGINS.get(plugin["name"], [])}
    all_ours = sorted({ours for names in PLUGINS.values() for ours in names})
    strategy = wanted.get("placementStrategy") or {}
    return {
        "actions": [action for action in wanted["actions"] if action in ACTIONS],
        "plugins": {name: {"enabled": name in enabled} for name in all_ours},
        "placementStrategy": {key: strategy[key] for key in ("gpu", "cpu") if key in strategy},
    }


def decide(case, binary):
    """Every pod of the answer by "namespace/name"."""
    with tempfile.TemporaryDirectory() as place:
        config = pathlib.Path(place) / "config.yaml"
        config.write_text(json.dumps(configuration(case)))
        objects = pathlib.Path(place) / "in.jsonl"
        objects.write_text("".join(json.dumps(item) + "\n" for item in case["objects"]))
        done = subprocess.run(
            [binary, "schedule", "-f", str(objects), "--config", str(config), "--now",
             case["config"]["now"], "-o", "json"],
            capture_output=True, text=True, timeout=TIMEOUT, check=False)
    if done.returncode not in (0, 2):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
    pods = json.loads(done.stdout)["pods"]
    return {f"{pod['namespace']}/{pod['name']}": pod for pod in pods}


def differences(case, binary):
    pods = decide(case, binary)
    demands = case["expect"].get("pods") or case["expect"]["kai"]["pods"]
    found = []
    for name, demand in demands.items():
        pod = pods.get(name, {})
        same = pod.get("status") == demand["status"]
        if same and "node" in demand:
            same = pod.get("node") == demand["node"]
        if not same:
            found.append(f"{name}: {pod.get('status')} {pod.get('node', '')}, expected "
                         f"{demand['status']} {demand.get('node', '')}")
    return found


def read_reasons():
    reasons = {}
    for line in (HERE / "kai" / "differences.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, separator, reason = line.rpartition(" -- ")
        if not separator or not reason or name in reasons:
            raise ValueError(f"differences.txt: {line!r}")
        reasons[name] = reason
    return reasons


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--verbose", action="store_true", help="show every difference")
    parser.add_argument("names", nargs="*", metavar="NAME-PART")
    arguments = parser.parse_args()

    reasons = read_reasons()
    names = set()
    counts = collections.Counter()
    failed = 0
    for file in sorted((HERE / "kai").glob("*.jsonl")):
        for line in file.read_text().splitlines():
            case = json.loads(line)
            name = case["name"]
            names.add(name)
            if arguments.names and not any(part in name for part in arguments.names):
                continue
            try:
                found = differences(case, arguments.binary)
            except (RuntimeError, ValueError, subprocess.TimeoutExpired) as fault:
                found = [str(fault)]
                reasons.pop(name, None)
            if bool(found) != (name in reasons):
                failed += 1
                print(f"FAILED {name}: " + ("not listed" if found else "listed, but agrees"))
            elif found:
                counts[reasons[name]] += 1
            if found and (arguments.verbose or name not in reasons):
                print("".join(f"  {one}\n" for one in found), end="")
            counts["agree" if not found else "differ"] += 1
    unknown = sorted(set(reasons) - names)
    for name in unknown:
        print(f"FAILED {name}: listed, but there is no such case")
    agree, differ = counts.pop("agree", 0), counts.pop("differ", 0)
    print(f"{agree + differ} cases: {agree} agree, {differ} differ")
    for reason, count in sorted(counts.items()):
        print(f"  {count} {reason}")
    return 1 if failed or unknown else 0


if __name__ == "__main__":
    sys.exit(main())
