#!/usr/bin/env python3
"""Runs scenarios through the real binary.

    run.py --binary B [--update] [--sanitized] [NAME...]

A scenario is a folder here, or one elsewhere named by its path:
  *.yaml *.json *.jsonl   the input, given as the folder `in`
  added/                  more of it, given as the folder `added`: what whatif adds
  config.yaml             the configuration, where args name it, or where there are none
  *.usage *.numbers       past usage and numbers of nodes, where the configuration names them
  args                    a command a line; the last one's output counts.
                          Absent: schedule -f in -o json, with config.yaml if there is one
  expect.json|expect.txt  what it prints, byte for byte; --update rewrites it
  expect.err              what it prints on stderr; absent: nothing; --update rewrites it if present
  demands                 what must hold, derived from the design and not from the program; see
                          demands.py. --update never touches it
  exit                    the exit code; absent: 0
  ordered                 present: the order of the input matters

Every scenario also runs with its documents shuffled: the output must be the same, byte for byte.
Those without args also run two cycles at once, and two with --save between them, what was saved
shuffled too: the same again.
Of every input the table of one cycle and of two is counted again: see recount.py.
--sanitized: without these, and shuffled once, for a binary that is ten times as slow.
In args, {root} is the project, `next.jsonl` and the like are files beside `in`, and `-f -` reads
the whole input. NAME=VALUE before a command is in its environment.
"""

import argparse
import difflib
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

import demands
import recount

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SEEDS = (1, 2, 3)
TIMEOUT = 60


class Failure(Exception):
    pass


def input_files(folder):
    return sorted(p for p in folder.iterdir()
                  if p.suffix in (".yaml", ".json", ".jsonl")
                  and p.name != "config.yaml" and not p.name.startswith("expect."))


def documents(folder):
    """Every document of the input, as text that stands on its own in a YAML file."""
    found = []
    for path in input_files(folder):
        text = path.read_text()
        if path.suffix == ".jsonl":
            found += [line for line in text.splitlines() if line.strip()]
        elif path.suffix == ".json":
            found.append(text)
        else:
            found += ("\n" + text).split("\n---")
    return [document.strip("\n") for document in found if document.strip()]


def stage_input(source, target, seed):
    """As it is, or shuffled into one file."""
    target.mkdir()
    if seed is None:
        for path in input_files(source):
            (target / path.name).write_bytes(path.read_bytes())
    else:
        shuffled = documents(source)
        random.Random(seed).shuffle(shuffled)
        (target / "shuffled.yaml").write_text("".join(f"---\n{d}\n" for d in shuffled))


def stage(folder, place, seed):
    """Puts the input into place/in, what is added into place/added."""
    stage_input(folder, place / "in", seed)
    if (folder / "added").is_dir():
        stage_input(folder / "added", place / "added", seed)
    for beside in [folder / "config.yaml", *folder.glob("*.usage"), *folder.glob("*.numbers")]:
        if beside.exists():
            (place / beside.name).write_bytes(beside.read_bytes())


def settings(folder):
    return "--config config.yaml" if (folder / "config.yaml").exists() else ""


def commands(folder):
    args = folder / "args"
    text = args.read_text() if args.exists() else f"schedule -f in {settings(folder)} -o json\n"
    lines = (line.strip() for line in text.splitlines())
    return [shlex.split(line) for line in lines if line and not line.startswith("#")]


def run(binary, folder, seed):
    """(exit code, stdout, stderr) of the last command, and the objects in next.jsonl."""
    with tempfile.TemporaryDirectory(prefix="scenario.") as name:
        place = pathlib.Path(name)
        stage(folder, place, seed)
        whole = b"".join(b"---\n" + p.read_bytes() for p in sorted((place / "in").iterdir()))
        done = None
        for words in commands(folder):
            words = [word.replace("{root}", str(ROOT)) for word in words]
            environment = {"LC_ALL": "C.UTF-8"}
            while re.match("[A-Z]+=", words[0]):
                environment.update([words.pop(0).split("=", 1)])
            done = subprocess.run([binary, *words], cwd=place, capture_output=True,
                                  input=whole if "-" in words else b"", timeout=TIMEOUT,
                                  env=environment)
            if done.returncode < 0:
                raise Failure(f"{' '.join(words)}: killed by signal {-done.returncode}")
        kept = place / "next.jsonl"
        saved = [json.loads(line) for line in kept.open()] if kept.exists() else []
        return done.returncode, done.stdout.decode(), done.stderr.decode(), saved


def second_cycle(binary, folder):
    """The decisions of a second cycle: run in one go, and on what the first one saved."""
    with tempfile.TemporaryDirectory(prefix="scenario.") as name:
        place = pathlib.Path(name)
        stage(folder, place, seed=None)

        def schedule(*words):
            words = ["schedule", *words, *settings(folder).split()]
            done = subprocess.run([binary, *words], cwd=place, capture_output=True,
                                  timeout=TIMEOUT)
            return done.stdout.decode()

        at_once = schedule("-f", "in", "--cycles", "2", "-o", "json")
        schedule("-f", "in", "--save", "next.jsonl")
        saved = schedule("-f", "next.jsonl", "-o", "json")
        lines = (place / "next.jsonl").read_text().splitlines()
        random.Random(SEEDS[0]).shuffle(lines)
        (place / "shuffled.jsonl").write_text("".join(line + "\n" for line in lines))
        shuffled = schedule("-f", "shuffled.jsonl", "-o", "json")
        return at_once.replace('"cycles":2', '"cycles":1', 1), saved, shuffled


def recounted(binary, folder):
    """What the tables of a first and a second cycle say otherwise than -o json, as lines."""
    with tempfile.TemporaryDirectory(prefix="scenario.") as name:
        place = pathlib.Path(name)
        stage(folder, place, seed=None)
        broken = []
        for cycles in ("1", "2"):
            words = ["schedule", "-f", "in", "--cycles", cycles, *settings(folder).split()]
            table, document = (
                subprocess.run([binary, *words, *form], cwd=place, capture_output=True,
                               timeout=TIMEOUT, env={"LC_ALL": "C.UTF-8"}).stdout.decode()
                for form in (("--all",), ("-o", "json")))
            if document:
                broken += [f"--cycles {cycles}: {line}"
                           for line in recount.check(table, json.loads(document))]
        return broken


def difference(expected, found, name):
    lines = difflib.unified_diff(expected.splitlines(), found.splitlines(), name, "found",
                                 lineterm="", n=1)
    return "\n".join(list(lines)[:40])


def compare(path, found, update):
    expected = path.read_text() if path.exists() else ""
    if expected == found:
        return
    if update:
        path.write_text(found)
        return
    raise Failure(difference(expected, found, path.name))


def expectation(folder):
    for suffix in ("json", "txt"):
        path = folder / f"expect.{suffix}"
        if path.exists():
            return path
    last = commands(folder)[-1]
    return folder / ("expect.json" if "json" in last else "expect.txt")


def check(binary, folder, options):
    update = options.update
    code, out, err, saved = run(binary, folder, seed=None)
    wanted = int((folder / "exit").read_text()) if (folder / "exit").exists() else 0
    if code != wanted:
        raise Failure(f"exit code {code}, expected {wanted}; stderr: {err[:2000]}")
    if (folder / "demands").exists():
        broken = demands.check((folder / "demands").read_text(), json.loads(out), saved)
        if broken:
            raise Failure("\n".join(broken))
    err_path = folder / "expect.err"
    if err_path.exists():
        compare(err_path, err, update)
    elif err:
        raise Failure(f"stderr: {err[:2000]}")
    compare(expectation(folder), out, update)
    if not (folder / "args").exists():
        at_once, later, shuffled = second_cycle(binary, folder)
        if at_once != later:
            raise Failure("a cycle on what was saved is not the second of two cycles:\n" +
                          difference(at_once, later, "at once"))
        if later != shuffled:
            raise Failure("what was saved, in another order, gives another cycle:\n" +
                          difference(later, shuffled, "in order"))
    broken = [] if options.sanitized else recounted(binary, folder)
    if broken:
        raise Failure("\n".join(broken))
    if (folder / "ordered").exists():
        return
    for seed in SEEDS[:1] if options.sanitized else SEEDS:
        shuffled_code, shuffled, *_ = run(binary, folder, seed)
        if (shuffled_code, shuffled) != (code, out):
            raise Failure(f"seed {seed}: another order of the input, another output (exit code "
                          f"{shuffled_code}):\n" + difference(out, shuffled, "in order"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    folders = ([HERE / name for name in options.names] or
               sorted(p for p in HERE.iterdir() if p.is_dir() and p.name != "__pycache__"))
    failed = 0
    for folder in folders:
        try:
            check(binary, folder, options)
        except (Failure, OSError, ValueError, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"FAIL {folder.name}\n{failure}\n", flush=True)
    print(f"{len(folders) - failed} of {len(folders)} scenarios passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
