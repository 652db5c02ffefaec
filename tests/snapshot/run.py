#!/usr/bin/env python3
"""Saves the inputs of scenarios and broken inputs as snapshots: commands must print the same.

    run.py --binary B [--every N] [FOLDER...]

Of every input, stdout, stderr and the exit code of several commands are compared, byte for byte, and
what --save writes. Snapshots of parts of an input are read one after the other, too. A file that is
no snapshot of this program, or not as it was written, must be refused, or read from its texts.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INPUTS = (HERE.parent / "scenarios", HERE.parent / "broken")
ENDINGS = (".yaml", ".json", ".jsonl")
COMMANDS = (
    ["schedule", "-o", "json"],
    ["schedule", "-o", "json", "--save", "saved.jsonl"],
    ["schedule", "-o", "json", "--cycles", "2"],
    ["schedule"],
    ["validate"],
    ["topology"],
    ["queues"],
    ["report"],
    ["schedule", "--save", "saved.jsonl", "--anonymize"],
)
FORMAT_AT = 8  # behind the magic bytes


class Failure(Exception):
    pass


def run(binary, place, *words):
    saved = place / "saved.jsonl"
    saved.unlink(missing_ok=True)
    done = subprocess.run([binary, *words], cwd=place, capture_output=True, timeout=60,
                          env={"LC_ALL": "C.UTF-8"})
    if done.returncode < 0:
        raise Failure(f"{' '.join(words)}: ended by signal {-done.returncode}")
    return (done.returncode, done.stdout, done.stderr,
            saved.read_bytes() if saved.exists() else b"")


def same(binary, place, command, one, other):
    first = run(binary, place, *command, *one)
    second = run(binary, place, *command, *other)
    for what, a, b in zip(("exit code", "stdout", "stderr", "what is saved"), first, second):
        if a != b:
            raise Failure(f"{' '.join([*command, *other])}: another {what}:\n{b}\nexpected:\n{a}")


def questions(binary, place, inputs, config):
    """Commands that explain a gang that waits, if there is one, and the first of all gangs."""
    _, out, _, _ = run(binary, place, "schedule", "-o", "json", *config, *inputs)
    try:
        gangs = json.loads(out)["gangs"]
    except (ValueError, KeyError):
        return []
    asked = gangs[:1] + [gang for gang in gangs if gang.get("reasons")][:1]
    return [["explain", f"gang/{gang['namespace']}/{gang['name']}"] for gang in asked]


def files(names):
    return [word for name in names for word in ("-f", name)]


def check(binary, folder):
    with tempfile.TemporaryDirectory(prefix="snapshot.") as name:
        place = pathlib.Path(name)
        inputs = []
        for path in sorted(folder.iterdir()):
            if path.suffix in ENDINGS and path.name != "config.yaml" \
                    and not path.name.startswith("expect."):
                (place / path.name).write_bytes(path.read_bytes())
                inputs.append(path.name)
        if not inputs:
            return
        config = ["--config", str(folder / "config.yaml")] if (folder / "config.yaml").exists() else []
        code, _, err, _ = run(binary, place, "snapshot", "save", "all.snap", *files(inputs))
        if code not in (0, 2) or not (place / "all.snap").exists():
            raise Failure(f"snapshot save: exit code {code}: {err.decode()}")
        for command in (*COMMANDS, *questions(binary, place, files(inputs), config)):
            same(binary, place, [*command, *config], files(inputs), ["-f", "all.snap"])
        if len(inputs) > 1:
            parts = []
            for i, part in enumerate(inputs):
                run(binary, place, "snapshot", "save", f"{i}.snap", "-f", part)
                parts.append(f"{i}.snap")
            same(binary, place, ["validate"], files(inputs), files(parts))
            same(binary, place, ["schedule", "-o", "json"], files(inputs),
                 files([parts[0], *inputs[1:]]))
        run(binary, place, "snapshot", "save", "again.snap", "-f", "all.snap")
        if (place / "again.snap").read_bytes() != (place / "all.snap").read_bytes():
            raise Failure("a snapshot of the snapshot has other bytes")


OBJECTS = """apiVersion: v1
kind: Node
metadata: {name: node-1}
status: {allocatable: {cpu: "8", pods: "10"}}
---
apiVersion: v1
kind: Pod
metadata: {name: pod-1}
spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}
"""


def refused(binary, place, data, words):
    (place / "bad.snap").write_bytes(data)
    code, _, err, _ = run(binary, place, "validate", "-f", "bad.snap")
    err = err.decode()
    if code != 2 or "bad.snap: " not in err or any(word not in err for word in words):
        raise Failure(f"exit code {code}, and the message lacks one of {words}: {err}")


def check_refusals(binary):
    with tempfile.TemporaryDirectory(prefix="snapshot.") as name:
        place = pathlib.Path(name)
        (place / "in.yaml").write_text(OBJECTS)
        run(binary, place, "snapshot", "save", "good.snap", "-f", "in.yaml")
        good = (place / "good.snap").read_bytes()
        again = "'trellis snapshot save'"
        refused(binary, place, good[:-1], ["ends too early", again])
        refused(binary, place, good[:40], ["ends too early", again])
        refused(binary, place, good + b"x", ["not as they were written", again])
        middle = len(good) // 2
        refused(binary, place, good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:],
                ["not as they were written", again])
        refused(binary, place, good[:FORMAT_AT] + b"\x07" + good[FORMAT_AT + 1:],
                ["format 7", again])
        code, _, err, _ = run(binary, place, "snapshot", "save", "none.snap", "-f", "in.yaml", "-f",
                              "absent.yaml")
        if code != 2 or (place / "none.snap").exists() or b"absent.yaml" not in err:
            raise Failure(f"a snapshot of a file that does not exist: {code} {err.decode()}")
        os.rename(place / "good.snap", place / "good.yaml")
        for command in COMMANDS:
            same(binary, place, command, ["-f", "in.yaml"], ["-f", "good.yaml"])
        done = subprocess.run([binary, "validate", "-f", "-"], cwd=place, input=good,
                              capture_output=True, timeout=60)
        if done.returncode != 0 or b"1 pod" not in done.stdout:
            raise Failure(f"standard input is not read: {done}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth input alone")
    parser.add_argument("folders", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    folders = options.folders or sorted(path for inputs in INPUTS for path in inputs.iterdir()
                                        if path.is_dir())[::options.every]
    tests = [("refusals", lambda: check_refusals(binary))]
    tests += [(str(folder), lambda folder=folder: check(binary, folder)) for folder in folders]
    failed = 0
    for what, test in tests:
        try:
            test()
        except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"FAIL {what}\n{failure}\n", flush=True)
    print(f"{len(tests) - failed} of {len(tests)} tests of snapshots pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
