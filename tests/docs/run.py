#!/usr/bin/env python3
"""Runs what the docs show, and compares.

Each line `$ trellis ...` in README.md, docs/ and the examples' READMEs that is followed by output is
run at the top of the project. Where the docs leave something out they say `...`: alone on a line
for any number of lines, at the end of a line for its rest. A yaml block before `-f first.yaml` is
that file. `serve` runs on, and is left to tests/serve.

  run.py --binary build/release/trellis
"""

import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIRST = "first.yaml"


def shown(text):
    """Yields (line number, command, lines of output, last yaml block before it)."""
    lines, yaml = text.splitlines(), []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if line == "```yaml":
            end = lines.index("```", number)
            yaml, number = lines[number:end], end + 1
        found = re.match(r"( *)\$ trellis ([^#]*)", line)
        if not found or found[2].startswith("serve"):
            continue
        indent, output, start = found[1], [], number
        while number < len(lines):
            line = lines[number]
            if line.startswith(("```", indent + "$ ")) or (line and not line.startswith(indent)):
                break
            output.append(line[len(indent):].rstrip())
            number += 1
        if any(output):
            yield start, shlex.split(found[2]), output, yaml


def pattern(output):
    """What the output has to look like, its gaps as wild cards."""
    while not output[-1]:
        output = output[:-1]
    text = ""
    for line in output:
        if line == "...":
            text += r"(?:.*\n)*"
        elif line.endswith("..."):
            text += re.escape(line[:-3]) + r".*\n"
        else:
            text += re.escape(line) + r"\n"
    return text


def printed(binary, command, yaml):
    with tempfile.TemporaryDirectory() as place:
        first = pathlib.Path(place) / FIRST
        first.write_text("\n".join(yaml) + "\n")
        words = [str(first) if word == FIRST else word for word in command]
        done = subprocess.run([binary, *words], cwd=ROOT, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}, check=False)
    return "\n".join(line.rstrip() for line in (done.stdout + done.stderr).splitlines()) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--binary", required=True)
    binary = str(pathlib.Path(parser.parse_args().binary).resolve())
    pages = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md")),
             *sorted(ROOT.glob("examples/*/README.md"))]
    checked = failed = 0
    for page in pages:
        for line, command, output, yaml in shown(page.read_text()):
            checked += 1
            found = printed(binary, command, yaml)
            if not re.fullmatch(pattern(output), found):
                failed += 1
                print(f"FAIL {page.relative_to(ROOT)}:{line}: trellis {' '.join(command)}\n"
                      f"shown:\n" + "\n".join(output) + f"\nprinted:\n{found}")
    print(f"{checked - failed} of {checked} commands print what the docs show")
    return 1 if failed or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
