#!/usr/bin/env python3
"""Which lines of the core the tests run: unit tests, scenarios and conformance on build/coverage.

coverage.py [--build DIR] prints, by folder, the share of lines that were run, and every line that
was not; exit 1 when it is less than 95 % of all.
"""

import argparse
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORE = ("framework", "topology", "session", "plugins", "actions")
LEAST = 0.95


def run_tests(build):
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    program = str(build / "trellis")
    subprocess.run([build / "trellis_tests", "--gtest_brief=1"], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for tests in ("scenarios", "conformance"):
        subprocess.run([sys.executable, ROOT / "tests" / tests / "run.py", "--binary", program],
                       cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def read_counts(build):
    """Times that each line was run, by file and line; a header's over all that include it."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    for notes in sorted(build.rglob("*.gcno")):
        text = subprocess.run(["gcov", "--json-format", "--stdout", notes], cwd=notes.parent,
                              check=True, capture_output=True, text=True).stdout
        for report in map(json.loads, text.splitlines()):
            for source in report["files"]:
                path = pathlib.Path(report["current_working_directory"], source["file"]).resolve()
                if not path.is_relative_to(ROOT):
                    continue
                path = path.relative_to(ROOT)
                if path.parts[0] not in CORE:
                    continue
                for line in source["lines"]:
                    counts[str(path)][line["line_number"]] += line["count"]
    return counts


def ranges(numbers):
    """[3, 4, 5, 9] as "3-5, 9"."""
    groups = []
    for number in numbers:
        if groups and number == groups[-1][1] + 1:
            groups[-1][1] = number
        else:
            groups.append([number, number])
    return ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in groups)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "coverage")
    build = parser.parse_args().build.resolve()
    run_tests(build)
    counts = read_counts(build)
    sums = {folder: [0, 0] for folder in CORE}
    for path, lines in sorted(counts.items()):
        missed = sorted(number for number, count in lines.items() if count == 0)
        total = sums[path.split("/", 1)[0]]
        total[0] += len(lines) - len(missed)
        total[1] += len(lines)
        if missed:
            print(f"{path}: {ranges(missed)}")
    run, of = (sum(column) for column in zip(*sums.values()))
    for folder, (covered, lines) in sums.items():
        print(f"{folder:10} {100 * covered / max(1, lines):6.2f} % of {lines} lines")
    print(f"{'all':10} {100 * run / max(1, of):6.2f} % of {of} lines")
    return 0 if run >= LEAST * of else 1


if __name__ == "__main__":
    sys.exit(main())
