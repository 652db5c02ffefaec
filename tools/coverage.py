#!/usr/bin/env python3
"""Which lines the tests run: the unit tests, and the tests of the program that ctest knows.

coverage.py [--build DIR] prints every line that was not run, and the share of lines that were run:
of each folder of the core and of each room of the server. Exit 1 when that is less than 95 % of
the core, or less than 90 % of a room that tests/README.md does not give a reason for.
"""

import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
CORE = ("cel", "devices", "framework", "topology", "session", "plugins", "actions")
FOLDERS = (*CORE, "server")
LEAST_OF_CORE = 0.95
LEAST_OF_ROOM = 0.90
# Without `misbehave`, which measures answers: counted code is not optimised.
PROGRAM_TESTS = "^(scenarios|broken|conformance.*|docs|serve|kube|metrics|deploy)$"
# They limit what counting needs: time, and the size of files.
UNFIT_TESTS = "Limits.*:Process.AFileThatCannotBeWrittenWholeIsAsItWas"


def run_tests(build):
    for counts in build.rglob("*.gcda"):
        counts.unlink()
    subprocess.run([build / "trellis_tests", "--gtest_brief=1", f"--gtest_filter=-{UNFIT_TESTS}"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["ctest", "--test-dir", build, "-R", PROGRAM_TESTS, "--output-on-failure"],
                   cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def read_counts(build):
    """Times that each line was run, by file and line; a header's over all that include it."""
    counts = collections.defaultdict(lambda: collections.defaultdict(int))
    for notes in sorted(build.rglob("*.gcno")):
        text = subprocess.run(["gcov", "--json-format", "--stdout", notes], cwd=notes.parent,
                              check=True, capture_output=True, text=True).stdout
        for report in map(json.loads, text.splitlines()):
            for source in report["files"]:
                # The compiler writes the paths of sources as seen from the root of the tree.
                path = pathlib.Path(source["file"])
                if path.is_absolute() or path.parts[0] not in FOLDERS:
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


def room_of(path):
    """A folder of the core, or a room of the server: "session", "server/kube/bind"."""
    folder = pathlib.PurePath(path).parent
    return str(folder) if folder.parts[0] == "server" else folder.parts[0]


def rooms_with_reason():
    text = (ROOT / "tests" / "README.md").read_text()
    lines = re.findall(r"^- `server/\S+`.*", text, re.MULTILINE)
    return {room for line in lines for room in re.findall(r"`(server/[^`]+)` \(", line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "coverage")
    build = parser.parse_args().build.resolve()
    run_tests(build)
    counts = read_counts(build)
    sums = collections.defaultdict(lambda: [0, 0])
    for path, lines in sorted(counts.items()):
        missed = sorted(number for number, count in lines.items() if count == 0)
        total = sums[room_of(path)]
        total[0] += len(lines) - len(missed)
        total[1] += len(lines)
        if missed:
            print(f"{path}: {ranges(missed)}")
    for folder, (covered, lines) in sorted(sums.items()):
        print(f"{folder:22} {100 * covered / lines:6.2f} % of {lines} lines")
    run, of = (sum(column) for column in zip(*(sums[folder] for folder in CORE)))
    print(f"{'core':22} {100 * run / of:6.2f} % of {of} lines")
    low = [folder for folder, (covered, lines) in sorted(sums.items())
           if folder not in CORE and covered < LEAST_OF_ROOM * lines]
    unexplained = [folder for folder in low if folder not in rooms_with_reason()]
    if unexplained:
        print("below 90 % without a reason in tests/README.md: " + ", ".join(unexplained))
    return 0 if run >= LEAST_OF_CORE * of and not unexplained else 1


if __name__ == "__main__":
    sys.exit(main())
