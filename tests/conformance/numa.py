#!/usr/bin/env python3
"""Runs scheduler-plugins' NUMA cases through the real binary, and compares nodes and scores.

    numa.py --binary B [--rules upstream|kubelet|possible] [--verbose] [NAME-PART...]

numa/*.jsonl hold a case a line (see numa/SOURCE.md): nodes, their NodeResourceTopologies and a pod.
Each is asked about with `trellis explain pod -o json`, by three sets of rules:
  upstream  compat: scheduler-plugins. Every verdict and score is the case's own
  kubelet   the default. What the kubelet would take: the exact answer, but the plugin's own where the
            only tag of a verdict is quirk:greedy, for the kubelet is greedy too; beside another such
            tag either will do
  possible  alignment: possible. Every verdict is the exact answer
Scores are compared where both take the pod; but for `upstream`, not where a tag names the score,
nor where no node has a report: the plugin has no figures then.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / "numa"
RULES = {"upstream": {"compat": "scheduler-plugins"}, "kubelet": {},
         "possible": {"alignment": "possible"}}
OF_SCORE = ("quirk:rounding", "defect:zone-order")
GREEDY = "quirk:greedy"
VERDICTS = 1248  # of all cases


def read_cases():
    for file in sorted(HERE.glob("*.jsonl")):
        for line in file.read_text().splitlines():
            yield json.loads(line)


def explain(binary, case, rules):
    pod = next(one["metadata"] for one in case["objects"] if one["kind"] == "Pod")
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        numa = {"arguments": {**case["config"], **RULES[rules]}}
        (place / "config.yaml").write_text(json.dumps({"plugins": {"numa": numa}}))
        (place / "in.jsonl").write_text("".join(json.dumps(one) + "\n" for one in case["objects"]))
        done = subprocess.run(
            [binary, "explain", f"pod/{pod.get('namespace', 'default')}/{pod['name']}",
             "-f", f"{place}/in.jsonl", "--config", f"{place}/config.yaml", "-o", "json"],
            capture_output=True, text=True, timeout=60, check=False)
        if done.returncode not in (0, 2):  # 2: something of the input is wrong, and was said
            raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()}")
        return {node["name"]: node for node in json.loads(done.stdout)["nodes"]}


def may_fit(case, node, rules):
    """The verdicts that will do."""
    own = case["expect"]["nodes"][node]["fits"]
    exact = case["expect"].get("exact", {}).get(node, {}).get("fits", own)
    if rules == "upstream":
        return {own}
    tags = [tag for tag in case.get("tags", []) if tag not in OF_SCORE]
    if rules == "possible" or GREEDY not in tags:
        return {exact}
    return {own} if len(tags) == 1 else {own, exact}


def score_agrees(case, score, expected):
    strategy = case["config"].get("scoringStrategy", {}).get("type")
    most = 1 if strategy == "BalancedAllocation" else 0  # the order of a float sum
    return score is not None and abs(score - expected) <= most


def differences(binary, case, rules):
    answer = explain(binary, case, rules)
    reported = any(one["kind"] == "NodeResourceTopology" for one in case["objects"])
    tagged = set(OF_SCORE) & set(case.get("tags", []))
    scored = rules == "upstream" or (reported and not tagged)
    for node, expected in case["expect"]["nodes"].items():
        fits = answer[node]["fits"]
        if fits not in may_fit(case, node, rules):
            yield f"{node}: fits {fits}, {[one['message'] for one in answer[node]['reasons']]}"
        if not (fits and expected["fits"] and scored):
            continue
        score = answer[node]["scores"].get("numa")
        if not score_agrees(case, score, expected["score"]):
            yield f"{node}: score {score}, expected {expected['score']}"


def run_case(binary, case, rules):
    try:
        return list(differences(binary, case, rules))
    except (RuntimeError, ValueError, KeyError, subprocess.TimeoutExpired) as fault:
        return [f"{type(fault).__name__}: {fault}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--rules", choices=RULES)
    parser.add_argument("--verbose", action="store_true", help="name the cases that agree, too")
    parser.add_argument("names", nargs="*", metavar="NAME-PART")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    cases = [case for case in read_cases()
             if not arguments.names or any(part in case["name"] for part in arguments.names)]
    runs = [(case, rules) for rules in RULES if arguments.rules in (None, rules) for case in cases]
    faults = 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (case, rules), found in zip(runs, pool.map(lambda run: run_case(binary, *run), runs)):
            faults += bool(found)
            if found or arguments.verbose:
                print(f"{case['name']} by rules {rules}: {'; '.join(found) or 'agrees'}")
    verdicts = sum(len(case["expect"]["nodes"]) for case in cases)
    print(f"numa: {len(runs)} runs of {len(cases)} cases with {verdicts} verdicts, {faults} differ")
    complete = arguments.names or verdicts == VERDICTS
    return 1 if faults or not cases or not complete else 0


if __name__ == "__main__":
    sys.exit(main())
