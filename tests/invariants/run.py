#!/usr/bin/env python3
"""Runs worlds through the real binary, and checks that nothing that must hold is broken.

    run.py --binary B [--worlds N] [--mutated N] [--histories N] [--watched N] [--seed S] [--seconds T] [--jobs J] [--inputs] [--keep DIR]
    run.py --binary B FOLDER...            worlds that were kept
    run.py --binary B --reduce FOLDER      drops objects and fields while the same rule stays broken

Worlds are random (generate.py), random and then broken (mutate.py), and with --inputs every input of
tests/scenarios and tests/conformance. The rules read the objects and `schedule -o json`, nothing else
(rules.py); trial.py has what must be equal: shuffled, saved and read again, done what whatif says.

A failure prints the seed and the command, and keeps the world in a folder: in.jsonl, config.yaml, now.
"""

import argparse
import json
import multiprocessing
import pathlib
import sys
import tempfile
import time

import generate
import histories
import inputs
import mutate
import reduce
import tampering
import trial
import watched

# Broken today; who mends one takes its rule from here.
KNOWN = ()
HISTORIES = {"history": histories.History, "watched": watched.WatchedHistory}


def seeded(seed, mutated):
    world = generate.make_world(seed, devices=True)
    return mutate.mutate(world, seed) if mutated else world


def one(task):
    """(name, world, breaches) of one world."""
    binary, name, world, seed, skip = task
    history = HISTORIES.get(name.split()[0])
    if history:
        found = histories.judge(binary, seed, skip, history)
        return name, generate.make_world(seed) if found else None, found
    if world is None:
        world = seeded(seed, name.startswith("mutated"))
    try:
        found = trial.judge(binary, world, seed, skip)
    except Exception as fault:  # a rule that cannot read a world is a failure of the checker
        if not world.get("mutated") and not world.get("foreign"):
            raise RuntimeError(f"{name}: {fault!r}") from fault
        found = [("checker", name, repr(fault))]
    return name, world if found else None, found


def tasks(options, skip):
    if options.inputs:
        for name, world in inputs.all_inputs():
            yield options.binary, name, world, options.seed, skip
    for mutated, count in (("world", options.worlds), ("mutated", options.mutated), ("history", options.histories),
                           ("watched", options.watched)):
        for seed in range(options.seed, options.seed + count):
            yield options.binary, f"{mutated} {seed}", None, seed, skip


def keep(folder, name, world):
    place = pathlib.Path(folder) / name.replace("/", "_").replace(" ", "-")
    place.mkdir(parents=True, exist_ok=True)
    (place / "in.jsonl").write_text("".join(json.dumps(item) + "\n" for item in world["items"]))
    (place / "config.yaml").write_text(json.dumps(world.get("config") or {}) + "\n")
    marks = {key: world[key] for key in ("now", "mutated", "ordered", "foreign", "timed", "files") if world.get(key)}
    (place / "world.json").write_text(json.dumps(marks) + "\n")
    return place


def load(folder):
    place = pathlib.Path(folder)
    marks = json.loads((place / "world.json").read_text())
    config = (place / "config.yaml").read_text()
    lines = (place / "in.jsonl").read_text().splitlines()
    return {"items": [json.loads(line) for line in lines], "config": json.loads(config), **marks}


def report(name, world, found, options):
    place = keep(options.keep, name, world)
    print(f"FAIL {name}: kept in {place}; again: run.py --binary {options.binary} --seed {options.seed} {place}")
    for rule, what, figures in found[:6]:
        print(f"  {rule}: {what}: {figures}")
    sys.stdout.flush()


def run_all(options, skip):
    begun, counts, failed = time.monotonic(), 0, 0
    by_rule = {}
    with multiprocessing.Pool(options.jobs) as pool:
        for name, world, found in pool.imap(one, tasks(options, skip), chunksize=1):
            counts += 1
            if found:
                failed += 1
                report(name, world, found, options)
                for rule in {rule for rule, _, _ in found}:
                    by_rule[rule] = by_rule.get(rule, 0) + 1
            if options.seconds and time.monotonic() - begun > options.seconds:
                pool.terminate()
                break
    print(f"{counts - failed} of {counts} worlds hold, in {time.monotonic() - begun:.0f} s")
    for rule, count in sorted(by_rule.items()):
        print(f"  {rule}: broken in {count}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--worlds", type=int, default=0)
    parser.add_argument("--mutated", type=int, default=0)
    parser.add_argument("--histories", type=int, default=0, help="through `serve -f`")
    parser.add_argument("--watched", type=int, default=0, help="through `serve --kubeconfig`")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0, help="end after that long")
    parser.add_argument("--most", type=float, default=trial.seconds_most, help="seconds that one command may take")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--inputs", action="store_true")
    parser.add_argument("--keep", default=str(pathlib.Path(tempfile.gettempdir()) / "trellis-invariants"))
    parser.add_argument("--all", action="store_true", help="also what is known to be broken")
    parser.add_argument("--reduce", action="store_true")
    parser.add_argument("--tamper", action="store_true", help="falsify decisions: every rule must find some")
    parser.add_argument("--rule", help="the one to reduce by; else the first that is broken")
    parser.add_argument("folders", nargs="*")
    options = parser.parse_args()
    trial.seconds_most = options.most
    options.binary = str(pathlib.Path(options.binary).resolve())
    skip = () if options.all else KNOWN
    if options.tamper:
        return tampering.run(options.binary, options.seed)
    if not options.folders:
        return run_all(options, skip)
    failed = 0
    for folder in options.folders:
        world = load(folder)
        found = trial.judge(options.binary, world, options.seed, skip)
        failed += bool(found)
        for rule, what, figures in found:
            print(f"{folder}: {rule}: {what}: {figures}")
        if found and options.reduce:
            smaller = reduce.reduce(options.binary, world, options.seed, options.rule or found[0][0])
            print(f"reduced to {keep(folder, 'reduced', smaller)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
