#!/usr/bin/env python3
"""Runs `BINARY validate -f` on every broken input and looks for the messages it must print.

Each folder beside this file holds one input (input.yaml or input.json) and expect.txt: the errors
and warnings, one a line, in the order in which they are printed. The program must end with exit
code 2 and print every line; it must never crash or hang.

  run.py --binary build/release/trellis [--update] [NAME]...
"""

import argparse
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
SECONDS = 60


def messages(output: str, name: str) -> list[str]:
    """The lines that are diagnostics; all else that is printed is none of this test's business."""
    marks = (name + ":", "note: ", "warning: ")
    return [line for line in output.splitlines() if line.startswith(marks)]


def run_case(folder: pathlib.Path, binary: str, update: bool) -> list[str]:
    inputs = sorted(folder.glob("input.*"))
    if len(inputs) != 1:
        return [f"{len(inputs)} inputs, expected one"]
    name = inputs[0].name
    try:
        done = subprocess.run([binary, "validate", "-f", name], cwd=folder, capture_output=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return [f"not done after {SECONDS} s"]
    output = (done.stdout + done.stderr).decode("utf-8", "replace")
    faults = []
    if done.returncode != 2:
        faults.append(f"exit code {done.returncode}, expected 2")
    printed = messages(output, name)
    expect = folder / "expect.txt"
    if update:
        expect.write_text("".join(line + "\n" for line in printed), encoding="utf-8")
    wanted = expect.read_text(encoding="utf-8").splitlines() if expect.exists() else []
    if not wanted:
        faults.append("expect.txt is empty or missing")
    if printed != wanted:
        faults += [f"missing: {line}" for line in wanted if line not in printed]
        faults += [f"unexpected: {line}" for line in printed if line not in wanted]
        if sorted(printed) == sorted(wanted):
            faults.append("the order differs")
    return faults


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true", help="write expect.txt anew")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())

    folders = sorted(path for path in ROOT.iterdir() if path.is_dir())
    if arguments.names:
        folders = [folder for folder in folders if folder.name in arguments.names]
    failed = 0
    for folder in folders:
        faults = run_case(folder, binary, arguments.update)
        failed += bool(faults)
        for fault in faults:
            print(f"{folder.name}: {fault}")
    print(f"{len(folders)} broken inputs, {failed} failed")
    return 1 if failed or not folders else 0


if __name__ == "__main__":
    sys.exit(main())
