#!/usr/bin/env python3
"""`make test` after `make demo` compiles nothing twice: in a tree that was configured without the
tests and without ccache, which comes with what the tests need, no compile command changes.

    run.py
"""

import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def commands(folder, *options):
    """By object, in a tree that is configured with these options."""
    subprocess.run(["cmake", "--preset", "release", "-B", folder, *options], cwd=ROOT, check=True,
                   stdout=subprocess.DEVNULL)
    lines = subprocess.run(["ninja", "-C", folder, "-t", "commands", "trellis"], check=True,
                           capture_output=True, text=True).stdout.splitlines()
    return {found[1]: line for line in lines if (found := re.search(r" -o (\S+\.o) -c ", line))}


def main():
    with tempfile.TemporaryDirectory(prefix="trellis-build-") as folder:
        demo = commands(folder, "-DTRELLIS_BUILD_TESTS=OFF",
                        "-DCCACHE_PROGRAM=CCACHE_PROGRAM-NOTFOUND")
        tests = commands(folder)
    # With a ccache on this machine: the tree keeps to what it began with.
    changed = [name for name, command in demo.items()
               if tests.get(name) != command or "ccache" in command]
    print("\n".join(f"another command: {name}" for name in changed)
          or f"{len(demo)} compile commands stay")
    return 1 if changed or not demo else 0


if __name__ == "__main__":
    sys.exit(main())
