#!/usr/bin/env python3
"""Runs clang-tidy over the program's sources, in parallel, skipping what is known to be clean.

The core's sources are read a dozen at once (TRELLIS_UNITY): most of the time goes into headers.
What is compiled together is skipped when nothing that its verdict depends on has changed: itself,
the project's headers that it reaches, its compile command, .clang-tidy and the version of
clang-tidy. Clean verdicts are kept as empty files in build/tidy-cache/, named by a hash of all that.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "tidy"
CACHE = ROOT / "build" / "tidy-cache"
FOLDERS = ("cel", "devices", "framework", "topology", "session", "plugins", "actions", "server")
INCLUDE = re.compile(rb'^\s*#\s*include\s*"([^"]+)"', re.M)


def configure():
    for command in (["cmake", "--preset", "tidy"], ["cmake", "--build", "--preset", "tidy"]):
        run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stdout + run.stderr)


def reached(source):
    """Our own files that `source` includes, directly or not, itself among them."""
    seen, waiting = {}, [source]
    while waiting:
        path = waiting.pop()
        if path in seen or not path.is_file():
            continue
        seen[path] = path.read_bytes()
        waiting += [ROOT / name.decode() for name in INCLUDE.findall(seen[path])]
    return seen


def parts_of(source):
    """The sources that are compiled with `source`: itself, or those that a unity file includes."""
    if not source.is_relative_to(BUILD):
        return [source]
    return [pathlib.Path(name.decode()) for name in INCLUDE.findall(source.read_bytes())]


def is_wanted(part, paths):
    name = part.relative_to(ROOT).as_posix() if part.is_relative_to(ROOT) else ""
    return name.startswith(FOLDERS) and name.startswith(tuple(paths) or "")


def key_of(command, source, common):
    digest = hashlib.sha256(common)
    digest.update(json.dumps(command).encode())
    for path, text in sorted(reached(source).items()):
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + text + b"\0")
    return digest.hexdigest()


def tidy(program, source):
    return subprocess.run([program, "--quiet", "-p", str(BUILD), str(source)],
                          capture_output=True, text=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--program", default="clang-tidy-16")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("paths", nargs="*", help="only sources whose path starts with one of these")
    arguments = parser.parse_args()

    configure()
    version = subprocess.run([arguments.program, "--version"], check=True, capture_output=True)
    common = version.stdout + (ROOT / ".clang-tidy").read_bytes()
    CACHE.mkdir(parents=True, exist_ok=True)

    waiting, sources, clean = [], 0, 0
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        source = (pathlib.Path(entry["directory"]) / entry["file"]).resolve()
        parts = parts_of(source)
        if not any(is_wanted(part, arguments.paths) for part in parts):
            continue
        sources += len(parts)
        verdict = CACHE / key_of(entry["command"], source, common)
        if verdict.exists():
            clean += len(parts)
        else:
            waiting.append((source, verdict))

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(tidy, arguments.program, source): (source, verdict)
                for source, verdict in waiting}
        for run in concurrent.futures.as_completed(runs):
            source, verdict = runs[run]
            result = run.result()
            if result.returncode == 0:
                verdict.touch()
            else:
                failed += 1
                print(result.stdout + result.stderr, file=sys.stderr)
    print(f"tidy: {sources} sources, {clean} known to be clean, {failed} with findings")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
