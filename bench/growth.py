#!/usr/bin/env python3
"""How the benchmarks grow with the cluster: a table of times by nodes, with the exponent.

growth.py [--bench build/release/trellis_bench] [--repetitions 5] [NAME ...]
runs every benchmark that has the sizes 1,000, 10,000, 100,000 and 1,000,000 (or those whose names
start with a NAME) and prints one row each: the least of the repetitions, p50 where the benchmark
reports it, else the processor time. The exponent is the slope of log(time) over log(nodes), by
least squares: 0 does not grow, 1 grows as the nodes do.
"""

import argparse
import collections
import json
import math
import re
import subprocess

SIZES = [1_000, 10_000, 100_000, 1_000_000]
NAME = re.compile(r"^(.*)/nodes:(\d+)(/.*)?$")
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def names(bench, starts):
    listed = subprocess.run([bench, "--benchmark_list_tests"], check=True, capture_output=True, text=True).stdout
    sizes = collections.defaultdict(dict)
    for line in listed.splitlines():
        if match := NAME.match(line):
            sizes[match[1] + (match[3] or "")][int(match[2])] = line
    wanted = {name: of for name, of in sizes.items() if all(size in of for size in SIZES)}
    return {name: of for name, of in wanted.items() if not starts or name.startswith(tuple(starts))}


def least_ns(bench, name, repetitions):
    run = subprocess.run([bench, f"--benchmark_filter=^{re.escape(name)}$", "--benchmark_format=json",
                          "--benchmark_min_time=0.05", f"--benchmark_repetitions={repetitions}"],
                         check=True, capture_output=True, text=True).stdout
    rows = [row for row in json.loads(run)["benchmarks"] if row["run_type"] == "iteration"]
    if any(row.get("error_occurred") for row in rows):
        raise SystemExit(f"{name}: {rows[0].get('error_message')}")
    return min(row.get("p50_ns", row["cpu_time"] * UNITS[row["time_unit"]]) for row in rows)


def exponent(times):
    x = [math.log(size) for size in SIZES]
    y = [math.log(time) for time in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / sum((a - mean_x) ** 2 for a in x)


def text(ns):
    unit, size = next(((unit, size) for unit, size in reversed(UNITS.items()) if ns >= size), ("ns", 1))
    return f"{ns / size:.{1 if ns / size < 10 else 0}f} {unit}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", default="build/release/trellis_bench")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    print("| benchmark | 1,000 nodes | 10,000 | 100,008 | 1,000,008 | exponent |")
    print("|---|---|---|---|---|---|")
    for name, of in names(args.bench, args.names).items():
        times = [least_ns(args.bench, of[size], args.repetitions) for size in SIZES]
        print(f"| `{name}` | {' | '.join(map(text, times))} | {exponent(times):.2f} |", flush=True)


if __name__ == "__main__":
    main()
