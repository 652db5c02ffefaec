#!/usr/bin/env python3
"""Plants defects one at a time: the ordinary tests must catch every one.

    run.py [--jobs N] [PATTERN...]   plant those whose name or file matches (default: all)
    run.py --list                    print them
    run.py --check                   only see that each still applies

FOLDER.txt beside this file holds the defects of a folder, each as

    name-of-the-defect path/of/the/file.cc
    - the old text, which stands in the file exactly once
    + the new text

with a marker and a space before each line of the texts, and an empty line after each defect. What
is tested is a copy of the work tree below build/mutation; a first run there builds everything.
Exit: 0 all caught; 1 some survived, or a defect is broken; 2 the tests fail without a defect.
"""

import argparse
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TREE = (ROOT / "build" / "mutation").resolve()
OUT = TREE / "build" / "release"

FUZZ = ["fuzz_statement", "fuzz_target"]
RUNNERS = "^(scenarios|conformance|fuzz_statement|fuzz_target)$"
# Unit tests that see nothing of the core: connections, clocks, texts.
BLIND = ["server/" + name for name in ("http/", "log/", "metrics/", "serve/cycle_loop", "sources/watched")]
QUICK_MS = 50  # unit tests above run in a second round
HANGS = 120  # seconds without an end


class Defect:
    def __init__(self, name, path, old, new):
        self.name, self.path, self.old, self.new = name, path, old, new

    def problem(self):
        """Why it does not apply; empty: it does."""
        file = ROOT / self.path
        if not file.is_file():
            return f"{self.path} is not there"
        found = file.read_text().count(self.old)
        if self.old == self.new:
            return "changes nothing"
        return "" if found == 1 else f"{self.path} holds the old text {found} times, not once"


def read_defects(path):
    defects = []
    for block in path.read_text().split("\n\n"):
        lines = [line for line in block.splitlines() if not line.startswith("#")]
        if not lines:
            continue
        name, file = lines[0].split()
        old = "\n".join(line[2:] for line in lines[1:] if line.startswith("-"))
        new = "\n".join(line[2:] for line in lines[1:] if line.startswith("+"))
        defects.append(Defect(name, file, old, new))
    return defects


def all_defects():
    return [defect for path in sorted(HERE.glob("*.txt")) for defect in read_defects(path)]


def problems(defects):
    found = [f"{d.name}: {d.problem()}" for d in defects if d.problem()]
    names = [d.name for d in defects]
    return found + [f"{name}: twice" for name in sorted({n for n in names if names.count(n) > 1})]


def copy_tree():
    """Brings the copy up to date; files that are equal keep their times."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True)
    wanted = {name for name in listed.stdout.decode().split("\0") if (ROOT / name).is_file()}
    for name in wanted:
        source, target = ROOT / name, TREE / name
        if target.is_file() and target.read_bytes() == source.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(source.read_bytes())
        target.chmod(source.stat().st_mode)
    for path in [p for p in TREE.rglob("*") if p.is_file()]:
        name = str(path.relative_to(TREE))
        if name not in wanted and not name.startswith("build/"):
            path.unlink()


def build(targets, jobs):
    """What the compiler says when it fails."""
    done = subprocess.run(["cmake", "--build", str(OUT), "-j", str(jobs), "--target", *targets],
                          capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def run(command, environment=None):
    """(exit code, output); exit code None: it did not end."""
    child = subprocess.Popen(command, cwd=TREE, text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, start_new_session=True,
                             env=dict(os.environ, **(environment or {})))
    try:
        out, _ = child.communicate(timeout=HANGS)
        return child.returncode, out
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        return None, child.communicate()[0]


def verdict(code, out, failed):
    """What caught the defect; empty: nothing did."""
    if code is None:
        return "hangs"
    return "" if code == 0 else (failed(out) or f"crash, exit code {code}")


def failed_unit_test(out):
    lines = [line for line in out.splitlines() if line.startswith("[  FAILED  ] ")]
    return lines[0].split("] ")[1].split(",")[0].split(" (")[0] if lines else ""


def failed_runner(out):
    lines = [line for line in out.splitlines() if "***" in line]
    names = [line.split()[line.split().index("Test") + 2].lstrip(":") for line in lines
             if "Test" in line.split()]
    inside = [line for line in out.splitlines() if line.startswith("FAIL ")]
    return " ".join(names[:1] + inside[:1]) if lines else ""


class Tests:
    def __init__(self, jobs):
        self.jobs = jobs
        self.slow = []
        self.blind = []

    def unit(self, test_filter):
        """Both shards of one round; the first failure's name."""
        def shard(index):
            names = {"GTEST_TOTAL_SHARDS": str(self.jobs), "GTEST_SHARD_INDEX": str(index)}
            command = [str(OUT / "trellis_tests"), "--gtest_brief=1", "--gtest_fail_fast",
                       f"--gtest_filter={test_filter}"]
            return verdict(*run(command, names), failed_unit_test)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            found = list(pool.map(shard, range(self.jobs)))
        return next((name for name in found if name and name != "hangs"), max(found))

    def runners(self):
        return verdict(*run(["ctest", "--test-dir", str(OUT), "-R", RUNNERS, "-j", str(self.jobs),
                             "--stop-on-failure", "--output-on-failure"]), failed_runner)

    def measure(self):
        """The unit tests that take long, from a run without a defect."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "times.json"
            code, out = run([str(OUT / "trellis_tests"), "--gtest_brief=1",
                             f"--gtest_output=json:{report}"])
            if code != 0:
                return failed_unit_test(out) or "unit tests"
            suites = json.loads(report.read_text())["testsuites"]
        for test in [test for suite in suites for test in suite["testsuite"]]:
            name = f"{test['classname']}.{test['name']}"
            if any(f"tests/{place}" in test.get("file", "") for place in BLIND):
                self.blind.append(name)
            elif float(test["time"].rstrip("s")) * 1000 > QUICK_MS:
                self.slow.append(name)
        return ""

    def first_failure(self):
        """Cheap ones first."""
        broken = build(["trellis_tests"], self.jobs)
        if broken:
            return "compile error\n" + broken[-2000:]
        caught = (self.unit("-" + ":".join(self.slow + self.blind)) or
                  self.unit(":".join(self.slow) or "-*"))
        if caught:
            return caught
        build(["trellis", *FUZZ], self.jobs)
        return self.runners()


def prepare(jobs):
    copy_tree()
    subprocess.run(["cmake", "--preset", "release"], cwd=TREE, check=True,
                   stdout=subprocess.DEVNULL)
    say("Building")
    broken = build(["trellis", "trellis_tests", *FUZZ], jobs)
    if broken:
        sys.exit(broken[-4000:])
    say("Testing without a defect")
    tests = Tests(jobs)
    caught = tests.measure() or tests.runners()
    if caught:
        say(f"Fails without a defect: {caught}")
        sys.exit(2)
    return tests


def plant(defect, tests):
    file = TREE / defect.path
    text = file.read_text()
    file.write_text(text.replace(defect.old, defect.new))
    try:
        return tests.first_failure()
    finally:
        file.write_text(text)


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("patterns", nargs="*")
    options = parser.parse_args()
    defects = all_defects()
    broken = problems(defects)
    if broken or options.check:
        print("\n".join(broken or [f"{len(defects)} defects apply"]))
        return 1 if broken else 0
    if options.patterns:
        defects = [d for d in defects if any(fnmatch.fnmatch(word, f"*{pattern}*")
                                             for pattern in options.patterns
                                             for word in (d.name, d.path))]
    if options.list:
        print("\n".join(f"{d.name:44} {d.path}" for d in defects))
        return 0
    tests = prepare(options.jobs)
    rows, missed = [], 0
    for number, defect in enumerate(defects, 1):
        begin = time.monotonic()
        caught = plant(defect, tests)
        missed += not caught or caught.startswith("compile error")
        rows.append(f"{defect.name:44} {caught.splitlines()[0] if caught else 'SURVIVED'}")
        say(f"{number}/{len(defects)} {rows[-1]} ({time.monotonic() - begin:.0f} s)")
        if caught.startswith("compile error"):
            say(caught)
    print("\n".join(rows))
    print(f"{len(defects) - missed} of {len(defects)} defects caught")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
