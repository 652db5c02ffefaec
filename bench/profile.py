#!/usr/bin/env python3
"""Instructions by function, under callgrind: where the time of a decision, a cycle and a load goes.

profile.py [--bench build/release/trellis_bench] [--trellis build/release/trellis] [SHAPE ...]
prints, for each shape, the instructions of one run, and every function that takes 3 % of them or
more by itself. Allocation is one line: malloc, free and what stands behind them.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import tempfile

# Benchmark, the function whose work counts, and how often a single iteration calls it: each
# benchmark checks its result first.
SHAPES = {
    "WarmGang4": ("WarmGang4/nodes:100000", "*Latencies::timed_run*", 1),
    "ColdGang4096": ("ColdGang4096/nodes:100000", "*Latencies::timed_run*", 1),
    "Openb": ("Openb", "trellis::bench::*read_and_schedule*", 2),
    "FullCycle": ("FullCycle/nodes:100", "trellis::bench::QueueWorld::run_actions*", 3),
    "ReclaimLargeJobs": ("ReclaimLargeJobs/nodes:500", "trellis::bench::QueueWorld::run_actions*", 3),
    "QueueOrder": ("QueueOrder", "*Latencies::timed_run*", 1),
    "Load": None,  # reading 100,008 nodes and 100,000 pods
}
ALLOCATOR = re.compile(r"^(_int_|malloc|free|cfree|calloc|realloc|operator (new|delete)|unlink_chunk|sysmalloc)")
LINE = re.compile(r"^\s*([\d,]+) \(\s*[\d.]+%\)\s+\S*?:(\S.*?)(?: \[[^\]]*\])?$")
THRESHOLD = 0.03


def write_cluster(path):
    with open(path, "w") as out:
        for i in range(100_008):
            labels = {"kubernetes.io/hostname": f"n{i}", "rack": f"r{i // 18}", "block": f"b{i // 288}"}
            size = {"cpu": "96", "memory": "1Ti", "pods": "110", "nvidia.com/gpu": "4"}
            node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": f"n{i}", "labels": labels},
                    "status": {"capacity": size, "allocatable": size}}
            out.write(json.dumps(node) + "\n")
        for i in range(100_000):
            requests = {"cpu": "4", "memory": "16Gi", "nvidia.com/gpu": "1"}
            pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "default", "name": f"p{i}"},
                   "spec": {"containers": [{"name": "c", "image": "i", "resources": {"requests": requests,
                                                                                    "limits": requests}}]}}
            out.write(json.dumps(pod) + "\n")


def callgrind(arguments, options, folder):
    out = pathlib.Path(folder, "callgrind.out")
    subprocess.run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *options, *arguments],
                   check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    text = subprocess.run(["callgrind_annotate", "--auto=no", "--threshold=99", out],
                          check=True, capture_output=True, text=True).stdout
    total, functions = 0, collections.Counter()
    for line in text.splitlines():
        if "PROGRAM TOTALS" in line:
            total = int(line.split()[0].replace(",", ""))
        elif match := LINE.match(line):
            functions[short_name(match[2])] += int(match[1].replace(",", ""))
    return total, functions


def short_name(function):
    if ALLOCATOR.match(function):
        return "(allocation)"
    function = function.replace("(anonymous namespace)", "_").replace("trellis::", "")
    return re.sub(r"[(<'\[].*", "", function)


def run(shape, args, folder):
    if SHAPES[shape] is None:
        cluster = pathlib.Path(folder, "cluster.jsonl")
        write_cluster(cluster)
        return 1, *callgrind([args.trellis, "validate", "-f", str(cluster)], [], folder)
    benchmark, function, calls = SHAPES[shape]
    arguments = [args.bench, f"--benchmark_filter=^{benchmark}$", "--benchmark_min_time=0.0000001"]
    options = ["--collect-atstart=no", f"--toggle-collect={function}"]
    return calls, *callgrind(arguments, options, folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapes", nargs="*", metavar="SHAPE", help=f"of {', '.join(SHAPES)}; default: all")
    parser.add_argument("--bench", default="build/release/trellis_bench")
    parser.add_argument("--trellis", default="build/release/trellis")
    args = parser.parse_args()
    for shape in args.shapes or SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            calls, total, functions = run(shape, args, folder)
        print(f"{shape}: {total // calls:,} instructions", flush=True)
        for name, cost in functions.most_common():
            if cost >= THRESHOLD * total:
                print(f"  {100 * cost / total:5.1f} %  {name}", flush=True)


if __name__ == "__main__":
    main()
