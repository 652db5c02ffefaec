#!/usr/bin/env python3
"""Checks which folder includes what, and a few rules of the house that need no compiler.

    framework <- topology <- session <- {plugins, actions} <- server

includes.py [--root DIR] reads the tracked files and prints `file:line: what, and why` for each
breach; exit 1 when there is one.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# What each folder may include besides itself.
ALLOWED = {
    "framework": set(),
    "topology": {"framework"},
    "session": {"framework", "topology"},
    "plugins": {"framework", "topology", "session"},
    "actions": {"framework", "topology", "session"},
    "server": {"framework", "topology", "session", "plugins", "actions"},
}
FREE = {"tests", "bench"}
# Folders below plugins/ that are no plugin, and that any plugin may include.
OF_ALL_PLUGINS = {"scores"}
# Holds sources as they would stand in the project.
EXAMPLE = "examples/plugin/"

WHY_EDGE = {
    "framework": "framework is the vocabulary: it knows no other folder",
    "topology": "topology is tree arithmetic: it knows the vocabulary only",
    "session": "session offers interfaces; plugins and actions implement them, not the reverse",
    "plugins": "a plugin talks to the session through its callbacks, never to an action",
    "actions": "an action asks the session, which asks the plugins; it never names a plugin",
}

# Headers that only server/ may include, as a pattern of the path between <> and why.
SERVER_ONLY = [
    (r"httplib\.h$|openssl/|sys/socket\.h$|netinet/|netdb\.h$", "only server/ speaks to a network"),
    (r"nlohmann/|simdjson(\.h|/)|yaml\.h$|yaml-cpp/", "only server/ reads and writes JSON and YAML"),
    (r"spdlog/|fmt/", "only server/ logs"),
    (r"CLI/", "only server/ has a command line"),
    (r"prometheus/", "only server/ serves metrics; the core counts in plain integers"),
    (r"(thread|jthread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|"
     r"stop_token|pthread\.h)$", "a cycle runs on one thread; threads are server/'s"),
    (r"(filesystem|fstream|iostream|unistd\.h|fcntl\.h|sys/stat\.h|sys/mman\.h)$",
     "a cycle does no input or output"),
    (r"(ctime|time\.h|sys/time\.h)$", "a cycle reads no clock: now is a record of the snapshot"),
]

# Words that only server/ may use.
SERVER_ONLY_WORDS = [
    (r"\b(system_clock|steady_clock|high_resolution_clock|utc_clock|clock_gettime|gettimeofday)\b",
     "a cycle reads no clock: now is a record of the snapshot"),
    (r"\brandom_device\b", "a cycle draws nothing from outside: use the seed of the snapshot"),
    (r"\b(getenv|setenv)\b", "a cycle reads no environment: settings come with the configuration"),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
# Spelt so that this file does not catch itself.
LEFTOVER = re.compile(r"\b(" + "TO" + "DO|FIX" + r"ME)\b")
SOURCE_SUFFIXES = {".h", ".cc", ".py", ".sh", ".cmake"}
MAX_LINES = 500


def without_comments(text):
    """The text with comments and string contents blanked out, line for line."""
    pattern = re.compile(
        r'R"([^\s()\\]{0,16})\(.*?\)\1"'  # raw string
        r"|//[^\n]*|/\*.*?\*/"
        r'|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
        re.S,
    )

    def blank(match):
        found = match.group(0)
        return re.sub(r"[^\n]", " ", found)

    return pattern.sub(blank, text)


def plugin_of(path):
    """NAME of plugins/NAME/..., else None: files in plugins/ itself belong to no plugin."""
    parts = pathlib.PurePosixPath(path).parts
    inside = parts[0] == "plugins" and len(parts) > 2 and parts[1] not in OF_ALL_PLUGINS
    return parts[1] if inside else None


def check_include(path, target, quoted):
    """Why `path` may not include `target`, or None."""
    folder = path.split("/", 1)[0]
    target_folder = target.split("/", 1)[0] if "/" in target else None
    ours = target_folder in ALLOWED or target_folder in FREE

    if quoted and not ours:
        return (f'includes "{target}": write our own headers from the root of the project '
                f'("framework/ids.h") and all others as <...>')
    if not quoted and ours and (folder in ALLOWED or folder in FREE):
        return f'includes <{target}>: write our own headers as "{target}"'

    if folder not in ALLOWED:
        return None
    if ours:
        if target_folder in FREE:
            return f"{folder} -> {target_folder} ({target}): the program never includes its tests"
        if target_folder != folder and target_folder not in ALLOWED[folder]:
            return f"{folder} -> {target_folder} ({target}): {WHY_EDGE[folder]}"
        own, other = plugin_of(path), plugin_of(target)
        if own and other and own != other:
            return (f"plugins/{own} -> plugins/{other} ({target}): a plugin never includes another; "
                    f"each can be switched off alone")
        return None
    if folder != "server":
        for pattern, why in SERVER_ONLY:
            if re.match(pattern, target):
                return f"{folder} -> <{target}>: {why}"
    return None


def check_source(path, text):
    """Yields (line, message) for one C++ file."""
    folder = path.split("/", 1)[0]
    bare = without_comments(text).split("\n")
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match and bare[number - 1].lstrip().startswith("#"):
            message = check_include(path, match.group(1) or match.group(2), match.group(1) is not None)
            if message:
                yield number, message
    if folder in ALLOWED and folder != "server":
        for number, line in enumerate(bare, 1):
            for pattern, why in SERVER_ONLY_WORDS:
                found = re.search(pattern, line)
                if found:
                    yield number, f"{folder} uses {found.group(0)}: {why}"
    if path.endswith(".h") and not re.search(r"^#pragma once$", text, re.M):
        yield 1, "a header without #pragma once"


def check_any(text):
    """Yields (line, message) for a source file of any language."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield MAX_LINES, f"{len(lines)} lines: a file is one noun of at most {MAX_LINES} lines"
    for number, line in enumerate(lines, 1):
        found = LEFTOVER.search(line)
        if found:
            yield number, f"{found.group(0)}: finish it, or write it down where work is planned"


def is_source(path):
    pure = pathlib.PurePosixPath(path)
    return pure.suffix in SOURCE_SUFFIXES or pure.name in {"CMakeLists.txt", "Makefile", "run"}


def tracked_files(root):
    """Paths relative to root: what git tracks, or every file outside build/ without git."""
    try:
        listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], check=True,
                                capture_output=True).stdout.decode().split("\0")
        files = [path for path in listed if path]
    except (OSError, subprocess.CalledProcessError):
        files = [path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()]
        files = [path for path in files if path.split("/", 1)[0] not in {"build", ".git"}]
    return sorted(path for path in files if (root / path).is_file())


def check_tree(root, files):
    """All breaches as lines of text."""
    breaches = []
    for path in filter(is_source, files):
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        found = list(check_any(text))
        if path.endswith((".h", ".cc")):
            found += check_source(path.removeprefix(EXAMPLE), text)
        breaches += [f"{path}:{line}: {message}" for line, message in sorted(found)]
    return breaches


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    files = tracked_files(root)
    breaches = check_tree(root, files)
    for breach in breaches:
        print(breach, file=sys.stderr)
    checked = sum(map(is_source, files))
    print(f"includes: {checked} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
