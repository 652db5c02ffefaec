#!/usr/bin/env python3
"""Imports descriptions of networks with the real binary.

    run.py --binary B [--update]

good/NAME.*    what `topology import` makes of it is NAME.*.expect, byte for byte, and stderr is
               NAME.*.err where it says something. Then round trips: every format that it is
               written in is recognised, and gives the same objects, as far as the format can say
               them; and a cluster whose nodes have no labels takes the labels.
broken/NAME.*  is refused with exit code 2, and NAME.*.err has the message.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = {"slurm-conf": "conf", "slurm-yaml": "yaml", "topograph": "yaml", "hypernodes": "yaml"}
ACCELERATORS = ("network.topology.nvidia.com/accelerator", "accelerator.topograph.run/sub-domain")


class Failure(Exception):
    pass


def run(binary, *words, cwd=HERE):
    done = subprocess.run([binary, *words], cwd=cwd, capture_output=True, timeout=60,
                          env={"LC_ALL": "C.UTF-8"})
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def compare(path, found, update):
    expected = path.read_text() if path.exists() else ""
    if expected == found:
        return
    if not update:
        raise Failure(f"{path.name}: expected\n{expected}found\n{found}")
    path.write_text(found)


def objects(binary, path, *words):
    code, out, err = run(binary, "topology", "import", path, "-o", "json", *words)
    if code != 0:
        raise Failure(f"import {path}: exit code {code}: {err}")
    return json.loads(out)["items"]


def tree(items):
    """Levels and labels of switches alone, with names as objects have them."""
    levels = [[level["nodeLabel"] for level in item["spec"]["levels"]
               if level["nodeLabel"] not in ACCELERATORS]
              for item in items if item["kind"] == "Topology"
              if not item["metadata"]["name"].endswith("-accelerator")]
    wanted = {label for each in levels for label in each}
    nodes = {item["metadata"]["name"]: {key: value.lower().replace("_", "-")
                                        for key, value in item["metadata"]["labels"].items()
                                        if key in wanted}
             for item in items if item["kind"] == "Node"}
    return levels, nodes


def check_round_trips(binary, path, place):
    items = objects(binary, str(path))
    several = sum(item["kind"] == "Topology" and
                  not item["metadata"]["name"].endswith("-accelerator") for item in items) > 1
    for name, ending in FORMATS.items():
        code, out, err = run(binary, "topology", "import", str(path), "-o", name)
        if several and name != "slurm-yaml":
            if code != 2:
                raise Failure(f"-o {name} of two topologies: exit code {code}")
            continue
        if code != 0:
            raise Failure(f"-o {name}: exit code {code}: {err}")
        written = place / f"written.{ending}"
        written.write_text(out)
        again = objects(binary, str(written))
        same = again == items if name == "topograph" else tree(again) == tree(items)
        if not same:
            raise Failure(f"-o {name} reads back as another network:\n{out}")


def check_labels(binary, path, place):
    """The Nodes of a cluster get the labels of an import that is given beside it."""
    items = objects(binary, str(path))
    names = [item["metadata"]["name"] for item in items if item["kind"] == "Node"]
    cluster = [{"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"a": "b"}},
                "status": {"allocatable": {"cpu": "8", "pods": "9"}}} for name in names]
    (place / "cluster.json").write_text(json.dumps(cluster))
    (place / "fabric.json").write_text(json.dumps(items))
    for files in (["cluster.json", "fabric.json"], ["fabric.json", "cluster.json"]):
        words = [word for name in files for word in ("-f", name)]
        code, out, err = run(binary, "topology", *words, "-o", "json", cwd=place)
        if code != 0 or err:
            raise Failure(f"topology {' '.join(words)}: exit code {code}: {err}")
        shown = json.loads(out)["topologies"]
        for topology in shown:
            leaves = [topology] if "domains" not in topology else topology["domains"]
            if not leaves:
                raise Failure(f"no domains in {topology['name']}")


def check_good(binary, path, update):
    code, out, err = run(binary, "topology", "import", f"good/{path.name}")
    if code != 0:
        raise Failure(f"exit code {code}: {err}")
    compare(path.with_name(path.name + ".expect"), out, update)
    compare(path.with_name(path.name + ".err"), err, update)
    with tempfile.TemporaryDirectory(prefix="fabric.") as name:
        check_round_trips(binary, path, pathlib.Path(name))
        check_labels(binary, path, pathlib.Path(name))


def check_broken(binary, path, update):
    code, out, err = run(binary, "topology", "import", f"broken/{path.name}")
    if code != 2 or out:
        raise Failure(f"exit code {code}, output {out!r}, expected 2 and none; stderr: {err}")
    compare(path.with_name(path.name + ".err"), err, update)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--update", action="store_true")
    options = parser.parse_args()
    binary = str(pathlib.Path(options.binary).resolve())
    failed = 0
    count = 0
    for folder, check in (("good", check_good), ("broken", check_broken)):
        for path in sorted((HERE / folder).iterdir()):
            if path.suffix in (".expect", ".err"):
                continue
            count += 1
            try:
                check(binary, path, options.update)
            except (Failure, OSError, ValueError, KeyError, subprocess.TimeoutExpired) as failure:
                failed += 1
                print(f"FAIL {folder}/{path.name}\n{failure}\n", flush=True)
    print(f"{count - failed} of {count} descriptions passed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
