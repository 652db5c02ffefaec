#!/usr/bin/env python3
"""Refuses second words: one word for one thing, in code, comments, strings and docs.

The words are those of framework/: node, pod, gang, queue, victim ... Other projects call the same
things by other names, and a reader who meets both wonders what the difference is. Identifiers are
taken apart at underscores and capitals, so `pending_jobs` and `PendingJob` are found too.

Some words hide who does what, or have no meaning in the field; UNCLEAR_WORDS says what to write
instead. The words that have one meaning each are in ARCHITECTURE.md's glossary.

Foreign names stay as their owners write them, wherever they stand:
- kinds of objects, with their capital: `Job`, `JobSet`, `MPIJob` (and `job.train`, the name of a
  gang that is called after its kind, `default/job-train-1f0c3`, of a workload, and `job/train`, as
  explain takes an owner);
- fields of JobSets and of Ray: replicatedJobs, numOfHosts;
- keys with a domain before the slash, `kai.scheduler/task-priority`, and paths below /proc;
- Kubernetes' fields about ports and addresses of a node: hostPort, hostIP, hostNetwork;
- the header of HTTP: `Host`;
- feature gates of Kueue: ManagedJobsNamespaceSelector; of Kubernetes: WorkloadWithJob;
- a benchmark that bears the name of KAI-Scheduler's: ReclaimLargeJobs.
And whole folders speak a foreign language: server/objects, server/grouping and server/manifest read
foreign objects, server/http and server/kube speak of hosts and ports, server/kube/status writes
foreign objects; their tests with them.

words.py [--root DIR] reads the tracked files and prints `file:line: what, and why` for each
breach; exit 1 when there is one.
"""

import argparse
import pathlib
import re
import sys

from includes import tracked_files

SECOND_WORDS = {
    "job": "gang",
    "task": "pod",
    "host": "node",
    "department": "queue",
    "preemptee": "victim",
    "preemptor": "gang",
}

UNCLEAR_WORDS = {
    "nobody": "name the noun: no pod, no thread, no writer",
    "somebody": "name the noun: a pod, another scheduler",
    "anybody": "name the noun",
    "whoever": "name the noun: a caller, a reader",
    "anew": "again, or rebuild",
    "wish": "request, preference, or write",
    "tell": "report, log, write or show; to tell apart is to distinguish",
    "told": "reported, logged, written or shown",
    "heard": "reported, received",
}

# Words that have another meaning elsewhere, by the folders in which they are refused.
OF_THE_CORE = {
    "line": "a line is of text; an order, a class of equal workloads, a report",
    "standing": "name it: a state, a grade, what is kept",
}
ELSEWHERE = {
    "topology/": OF_THE_CORE,
    "session/": OF_THE_CORE,
    "actions/": OF_THE_CORE,
    "plugins/": OF_THE_CORE,
    "server/sources/": {
        "link": "a link is a term between pods; texts have dependencies, by keys",
        "topic": "a key of dependencies",
    },
}

CHECKED = ("cel/", "devices/", "framework/", "topology/", "session/", "plugins/", "actions/", "server/", "bench/",
           "tests/", "docs/", "examples/")
# Written once, and left as it was then.
HISTORY = ("CHANGELOG.md", "docs/design/")
SUFFIXES = (".h", ".cc", ".md", ".html", ".js", ".css")
# Folders, and the words that are theirs.
FOREIGN_FOLDERS = {
    "cel/": {"host"},
    "server/objects/": {"job", "task", "host"},
    "tests/server/objects/": {"job", "task", "host"},
    "server/grouping/": {"job", "host"},
    "server/snapshot/": {"job"},
    "tests/server/grouping/": {"job", "host"},
    "server/manifest/": {"job", "task", "host"},
    "tests/server/manifest/": {"job", "task", "host"},
    "server/view/owner_search": {"job"},
    "server/writeback/anonymous_objects": {"job"},
    "server/writeback/workload_saver": {"job"},
    "server/http/": {"host"},
    "tests/server/http/": {"host"},
    "server/kube/": {"host"},
    "tests/server/kube/": {"host"},
    "server/kube/status/": {"job"},
    "tests/server/kube/status/": {"job"},
}
FOREIGN_NAMES = re.compile(
    r"\b(?:Cron|MPI|PyTorch|TF|Ray|Train|XGBoost|Paddle|JAX)?Job(?:Set)?s?\b"
    r"|[/`\"]job\.\w+"
    r"|/job-[\w-]+"
    r"|\bjob/|\"job\""
    r"|\b(?:replicatedJobs|numOfHosts)\b"
    r"|\b[\w-]+(?:\.[\w-]+)+/[\w.-]+"
    r"|/proc/[\w/]+"
    r"|\b(?:ElasticJobsVia|ManagedJobs|MultiKueueBatchJob|PrioritizePreemptor|WorkloadWith)\w+"
    r"|[hH]ost[ _]?(?:[pP]orts?|IP|[nN]etwork)(?![a-z])"
    r"|\bReclaimLargeJobs\b"
    r"|`Host`|\bHost: |\\nHost:")
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def is_checked(path):
    return path.endswith(SUFFIXES) and (path.startswith(CHECKED) or "/" not in path)


def check_text(path, text):
    """Yields (line, message) for one file."""
    elsewhere = {}
    for folder, words in ELSEWHERE.items():
        if path.startswith((folder, "tests/" + folder)):
            elsewhere |= words
    allowed = set()
    for folder, words in FOREIGN_FOLDERS.items():
        if path.startswith(folder):
            allowed |= words
    for number, line in enumerate(text.splitlines(), 1):
        for found in WORD.findall(FOREIGN_NAMES.sub(" ", line)):
            word = found.lower()
            known = SECOND_WORDS.keys() | UNCLEAR_WORDS.keys() | elsewhere.keys()
            word = next((w for w in (word, word.removesuffix("s"), word.removesuffix("es"))
                         if w in known), word)
            if word in SECOND_WORDS and word not in allowed:
                yield number, f'"{found}": we say {SECOND_WORDS[word]}'
            if word in elsewhere and not line.startswith("#include"):
                yield number, f'"{found}": {elsewhere[word]}'
            if word in UNCLEAR_WORDS and not path.startswith(HISTORY):
                yield number, f'"{found}": {UNCLEAR_WORDS[word]}'


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--root", type=pathlib.Path,
                        default=pathlib.Path(__file__).resolve().parents[2])
    root = parser.parse_args().root.resolve()
    files = [path for path in tracked_files(root) if is_checked(path)]
    breaches = [f"{path}:{line}: {message}" for path in files
                for line, message in check_text(path, (root / path).read_text(errors="replace"))]
    for breach in breaches:
        print(breach, file=sys.stderr)
    print(f"words: {len(files)} files, {len(breaches)} breaches")
    return 1 if breaches else 0


if __name__ == "__main__":
    sys.exit(main())
