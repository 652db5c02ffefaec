#!/usr/bin/env python3
"""Checks which folder includes what, and a few rules of the house that need no compiler.

    cel <- devices <- framework <- topology <- session <- {plugins, actions} <- server

Below these, each folder with sources in it is a *room*; ORDER says which rooms of one folder stand
below which. A room's README.md says in one line what it includes: `May include: framework, topology.`
Every arrow of the sources is in that line, and every arrow in that line is one of the sources. No
rooms include each other in a circle, nor do the folders that hold them, at any depth.

includes.py [--root DIR] reads the tracked files and prints `file:line: what, and why` for each
breach; exit 1 when there is one. `--arrows` prints the line of each room as the sources have it.
"""

import argparse
import pathlib
import re
import subprocess
import sys

# What each folder may include besides itself.
ALLOWED = {
    "cel": set(),
    "devices": {"cel"},
    "framework": {"devices"},
    "topology": {"framework"},
    "session": {"devices", "framework", "topology"},
    "plugins": {"devices", "framework", "topology", "session"},
    "actions": {"framework", "topology", "session"},
    "server": {"cel", "devices", "framework", "topology", "session", "plugins", "actions"},
}
FREE = {"tests", "bench"}
# Folders below plugins/ that are no plugin, and that any plugin may include.
OF_ALL_PLUGINS = {"scores"}
# Holds sources as they would stand in the project.
EXAMPLE = "examples/plugin/"

WHY_EDGE = {
    "cel": "cel is a language: it knows values, and no pod or node",
    "devices": "devices knows what Kubernetes says of devices, and no pod",
    "framework": "framework is the vocabulary: it knows no other folder but the records of devices",
    "topology": "topology is tree arithmetic: it knows the vocabulary only",
    "session": "session offers interfaces; plugins and actions implement them, not the reverse",
    "plugins": "a plugin talks to the session through its callbacks, never to an action",
    "actions": "an action asks the session, which asks the plugins; it never names a plugin",
}

# Rooms of a folder, lowest first: each may include those before it. "" is the folder itself, "*" any
# room that is not named.
ORDER = {
    "session": ["cluster", "snapshot", "statement", "fits", "record", "placement", "times", "cycle", "explain"],
    "actions": ["backfill", "waiting", "victims", "workloads", "moves", "defragmentation", ""],
    "plugins": ["scores", "*", ""],
    "server": [
        "text", "system", "document", "devices", "wording", "kueue", "config", "objects", "snapshot", "grouping", "manifest",
        "fabric", "log", "metrics", "http", "page", "sources", "writeback", "engine", "view", "compare", "explain", "simulate", "plan",
        "serve", "kube/client", "kube/watch", "kube/lead", "kube/bind", "kube/status", "debug", "app",
    ],
}
# Headers that the build makes in a folder that is no room.
GENERATED = {"server/version.h"}

# Headers that only server/ may include, as a pattern of the path between <> and why.
SERVER_ONLY = [
    (r"httplib\.h$|openssl/|sys/socket\.h$|netinet/|netdb\.h$", "only server/ speaks to a network"),
    (r"nlohmann/|yaml\.h$|yaml-cpp/", "only server/ reads and writes JSON and YAML"),
    (r"CLI/", "only server/ has a command line"),
    (r"prometheus/", "only server/ serves metrics; the core counts in plain integers"),
    (r"(thread|jthread|mutex|shared_mutex|condition_variable|future|semaphore|latch|barrier|"
     r"stop_token|pthread\.h)$", "a cycle runs on one thread; threads are server/'s"),
    (r"(filesystem|fstream|iostream|unistd\.h|fcntl\.h|sys/stat\.h|sys/mman\.h)$",
     "a cycle does no input or output"),
    (r"(ctime|time\.h|sys/time\.h)$", "a cycle reads no clock: now is a record of the snapshot"),
]

# Threads that read add texts to the table of strings; cycles do not.
EXCEPTIONS = {("framework/string_table.h", "mutex")}

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
            if re.match(pattern, target) and (path, target) not in EXCEPTIONS:
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


def own_includes(text):
    """Yields (line, path) for each include of a header of ours."""
    bare = without_comments(text).split("\n")
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        if match and match.group(1) and bare[number - 1].lstrip().startswith("#"):
            if match.group(1) not in GENERATED:
                yield number, match.group(1)


def room_of(path):
    return path.rpartition("/")[0]


def height(room):
    """Where a room stands in the order of its folder; None: the order does not name it."""
    folder, _, name = room.partition("/")
    order = ORDER.get(folder, [""])
    if name not in order and "*" in order and "/" not in name:
        name = "*"
    return order.index(name) if name in order else None


def circle(arrows):
    """Rooms of a circle, in order, the first of them again at the end; None: there is none.
    `arrows`: of each room the rooms that it includes."""
    done, path = set(), []

    def visit(room):
        if room in path:
            return path[path.index(room):] + [room]
        if room in done:
            return None
        path.append(room)
        for other in sorted(arrows.get(room, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(room)
        return None

    for room in sorted(arrows):
        found = visit(room)
        if found:
            return found
    return None


def read_arrows(sources):
    """room -> room that it includes -> (file, line, header) of the first such include.
    `sources`: path -> text."""
    rooms = {room_of(path) for path in sources}
    arrows = {room: {} for room in rooms}
    for path, text in sources.items():
        for number, target in own_includes(text):
            other = room_of(target)
            if other in rooms and other != room_of(path):
                arrows[room_of(path)].setdefault(other, (path, number, target))
    return arrows


def check_circles(arrows):
    """Yields (file, line, message): one circle for each depth at which there are some."""
    deepest = max((room.count("/") + 1 for room in arrows), default=0)
    seen = set()
    for depth in range(1, deepest + 1):
        joined = {}
        for room, others in arrows.items():
            for other, at in others.items():
                start = "/".join(room.split("/")[:depth])
                end = "/".join(other.split("/")[:depth])
                if start != end:
                    joined.setdefault(start, {}).setdefault(end, at)
        found = circle(joined)
        if found and frozenset(found) not in seen:
            seen.add(frozenset(found))
            path, line, target = joined[found[0]][found[1]]
            yield path, line, f"a circle of rooms: {' -> '.join(found)} ({target})"


def arrows_line(others):
    return f"May include: {', '.join(sorted(others)) or 'nothing'}."


def check_readme(room, others, text):
    """Yields (file, line, message) about what a room's README says of the rooms that it includes."""
    readme = f"{room}/README.md"
    if text is None:
        yield readme, 1, "is missing: a room says what it is for, its nouns, and what it may include"
        return
    said = [(number, line) for number, line in enumerate(text.splitlines(), 1)
            if line.startswith("May include: ")]
    if len(said) != 1:
        yield readme, 1, f"has {len(said)} lines `May include: ...`; it needs one: {arrows_line(others)}"
        return
    number, line = said[0]
    words = line.removeprefix("May include: ").removesuffix(".")
    listed = set(words.split(", ")) - {"nothing"}
    for other in sorted(listed - set(others)):
        yield readme, number, f"{room} -> {other} is listed, and no file includes it"
    for other in sorted(set(others) - listed):
        path, at, target = others[other]
        yield path, at, f"{room} -> {other} ({target}): not in the line `May include` of {readme}"


def check_rooms(sources, readmes):
    """Yields (file, line, message). `sources`: path -> text; `readmes`: room -> text."""
    arrows = read_arrows(sources)
    for room, others in sorted(arrows.items()):
        if height(room) is None:
            yield f"{room}/README.md", 1, f"{room} is no room that ORDER in tools/lint/includes.py knows"
        yield from check_readme(room, others, readmes.get(room))
        for other, (path, line, target) in sorted(others.items()):
            inside = room.split("/")[0] == other.split("/")[0]
            if not inside or height(room) is None or height(other) is None:
                continue
            if height(other) > height(room):
                yield path, line, f"{room} -> {other} ({target}): {other} stands above {room}"
    yield from check_circles(arrows)


def check_any(text):
    """Yields (line, message) for a source file of any language."""
    lines = text.splitlines()
    if len(lines) > MAX_LINES:
        yield MAX_LINES, f"{len(lines)} lines: a file is one noun of at most {MAX_LINES} lines"
    for number, line in enumerate(lines, 1):
        found = LEFTOVER.search(line)
        if found:
            yield number, f"{found.group(0)}: finish it, or write it down where work is planned"


NAMESPACE = re.compile(r"^namespace ([\w:]+) \{", re.M)
TYPE = re.compile(r"^(?:struct|class|enum class) (\w+)(?: final)?(?: : [^;{]+)? \{", re.M)


def check_types(sources):
    """Yields (path, line, message): two headers must not define two types of one name, of which the linker would
    take either's code for both."""
    seen = {}
    for path, text in sorted(sources.items()):
        if not path.endswith(".h"):
            continue
        plain = without_comments(text)
        space = NAMESPACE.search(plain)
        for found in TYPE.finditer(plain):
            other = seen.setdefault((space and space.group(1), found.group(1)), path)
            if other != path:
                yield path, plain.count("\n", 0, found.start()) + 1, f"{found.group(1)} is a type of {other}, too"


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


def read_sources(root, files):
    return {path: (root / path).read_text(encoding="utf-8", errors="replace")
            for path in files
            if path.endswith((".h", ".cc")) and path.split("/", 1)[0] in ALLOWED}


def check_tree(root, files):
    """All breaches as lines of text."""
    sources = read_sources(root, files)
    readmes = {room_of(path): (root / path).read_text(encoding="utf-8", errors="replace")
               for path in files if path.endswith("/README.md")}
    breaches = [f"{path}:{line}: {message}"
                for path, line, message in [*check_rooms(sources, readmes), *check_types(sources)]]
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
    parser.add_argument("--arrows", action="store_true")
    options = parser.parse_args()
    root = options.root.resolve()
    files = tracked_files(root)
    if options.arrows:
        for room, others in sorted(read_arrows(read_sources(root, files)).items()):
            print(f"{room}: {arrows_line(others)}")
        return 0
    breaches = check_tree(root, files)
    for breach in breaches:
        print(breach, file=sys.stderr)
    checked = sum(map(is_source, files))
    print(f"includes: {checked} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
