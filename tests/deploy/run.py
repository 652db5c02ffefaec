#!/usr/bin/env python3
"""Holds the Dockerfile against the program that it makes an image of.

The image has the Debian packages that the program is linked with, and no others.

run.py --binary build/release/trellis
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77
# They come with libstdc++6.
WITH_OTHERS = {"libc6", "libgcc-s1"}


def linked_packages(binary):
    """The Debian packages of the libraries that it loads."""
    packages = set()
    lines = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout
    for library in re.findall(r"=> (/\S+)", lines):
        # Where /lib is a link, the package may know the file by either name.
        for name in (pathlib.Path(library).resolve(), pathlib.Path(library)):
            found = subprocess.run(["dpkg-query", "-S", name], check=False, capture_output=True,
                                   text=True).stdout
            if found:
                packages.add(found.split(":")[0])
                break
    return packages


def image_packages():
    """Those that the last stage of the Dockerfile installs."""
    stage = (ROOT / "Dockerfile").read_text(encoding="utf-8").rsplit("\nFROM ", 1)[1]
    command = re.search(r"apt-get install((?:.*\\\n)*.*)", stage)[1].split("&&")[0]
    return {word for word in command.split() if not word.startswith("-") and word != "\\"}


def check_packages(binary):
    linked, listed = linked_packages(binary), image_packages()
    for name in sorted(linked - WITH_OTHERS - listed):
        yield f"Dockerfile: {name} is missing: the program is linked with it"
    for name in sorted(listed - linked):
        yield f"Dockerfile: {name} is installed for nothing"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = pathlib.Path(parser.parse_args().binary).resolve()
    if not shutil.which("dpkg-query") or not shutil.which("ldd"):
        print("skipped: not a Debian system")
        return SKIPPED
    failures = list(check_packages(binary))
    print("\n".join(failures) or "the image suits the program")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
