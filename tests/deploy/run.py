#!/usr/bin/env python3
"""Holds deploy/ against the program that it runs.

- What the Deployment passes to the program is understood by it.
- The rights name the Lease that the program writes, and are no more than every cluster needs.

run.py --binary build/release/trellis
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BAD_INPUT = 2


def container_arguments(deployment):
    """The list below `args:`, a line each."""
    lines = deployment.split("\n")
    start = lines.index("        args:") + 1
    arguments = []
    for line in lines[start:]:
        found = re.fullmatch(r"        - (\S+)", line)
        if not found:
            return arguments
        arguments.append(found[1])
    raise AssertionError


def check_arguments(binary):
    """Outside of a cluster it must come as far as to say so."""
    base = ROOT / "deploy" / "base"
    common = container_arguments((base / "deployment.yaml").read_text(encoding="utf-8"))
    configuration = f"--config={base / 'trellis.yaml'}"
    common = [configuration if one.startswith("--config=") else one for one in common]
    for overlay in (base, *sorted((ROOT / "deploy" / "overlays").iterdir()),
                    *sorted((ROOT / "deploy" / "components").iterdir())):
        text = (overlay / "kustomization.yaml").read_text(encoding="utf-8")
        added = re.findall(r"containers/0/args/-, value: (\S+)\}", text)
        done = subprocess.run([binary, *common, *added], check=False, capture_output=True,
                              text=True, env={}, timeout=60)
        if done.returncode != BAD_INPUT or "not in a cluster" not in done.stderr:
            yield f"{overlay.relative_to(ROOT)}: {' '.join(added)}: {done.stderr.strip()}"


def check_leases():
    """Who leads may write its own Lease, and no other."""
    leader = (ROOT / "deploy" / "base" / "leader.yaml").read_text(encoding="utf-8")
    rules = re.findall(r"  resources: \[leases\]\n(?:  resourceNames: \[(\S+)\].*\n)?  verbs: \[(.*)\]", leader)
    if rules != [("", "create"), ("trellis", "get, update")]:
        yield f"base/leader.yaml: {rules}"
    for shard in sorted((ROOT / "deploy" / "overlays").glob("*/kustomization.yaml")):
        text = shard.read_text(encoding="utf-8")
        pool = re.search(r"--node-pool-label=\S+=(\S+)\}", text)
        if pool and f"path: /rules/1/resourceNames, value: [trellis-{pool[1]}]" not in text:
            yield f"{shard.relative_to(ROOT)}: no right to its Lease trellis-{pool[1]}"


def check_writer():
    """The base writes what every cluster needs; the rest is in components/."""
    writer = (ROOT / "deploy" / "base" / "writer.yaml").read_text(encoding="utf-8")
    groups = set(re.findall(r"apiGroups: \[(\S*)\]", writer))
    if groups != {'""', "events.k8s.io", "resource.k8s.io", "scheduling.k8s.io",
                  "scheduling.run.ai"}:
        yield f"base/writer.yaml: {sorted(groups)}"


def built(folder):
    """What kubectl makes of it."""
    done = subprocess.run(["kubectl", "kustomize", folder], check=False, capture_output=True,
                          text=True)
    return done.stdout, done.stderr


def check_kustomize():
    """kustomize takes names for references: it must not touch the Lease's."""
    if not shutil.which("kubectl"):
        return
    for name, lease in (("base", "trellis"), ("overlays/shard", "trellis-a")):
        text, wrong = built(ROOT / "deploy" / name)
        if f"  resourceNames:\n  - {lease}\n  resources:\n  - leases\n" not in text:
            yield f"deploy/{name}: not the right to the Lease {lease}: {wrong}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = pathlib.Path(parser.parse_args().binary).resolve()
    failures = [*check_arguments(binary), *check_leases(), *check_writer(),
                *check_kustomize()]
    print("\n".join(failures) or "deploy/ suits the program")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
