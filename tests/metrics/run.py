#!/usr/bin/env python3
"""The metrics of a real `trellis serve` on the demo hall, read by Prometheus' own parser, and the
queries of the dashboards against them.

  run.py --binary build/release/trellis
"""

import argparse
import pathlib
import re
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "serve"))

import dashboards  # noqa: E402
import exposition  # noqa: E402
from service import Asker, Failure, Service, run, wait_for  # noqa: E402

LOST = """\
apiVersion: scheduling.run.ai/v2alpha2
kind: PodGroup
metadata: {namespace: research, name: lost}
spec:
  minMember: 1
  topologyConstraint: {topology: nowhere, requiredTopologyLevel: rack}
---
apiVersion: v1
kind: Pod
metadata: {namespace: research, name: lost-0, annotations: {pod-group-name: lost}}
spec: {containers: [{name: main, resources: {requests: {cpu: "1"}}}]}
"""


def check(condition, text):
    if not condition:
        raise Failure(text)


def equal(what, got, expected):
    check(got == expected, f"{what}: {got}, expected {expected}")


def read(asker):
    status, body = asker.get("/metrics")
    equal("status of /metrics", status, 200)
    text = body.decode()
    equal("faults", list(exposition.faults(text)), [])
    return exposition.parse(text)


def same_as_session(asker, families):
    """What /metrics counts is what /debug/session shows."""
    session = asker.json("/debug/session")
    summary = session["summary"]
    for name, key in (("trellis_gangs", "gangs"), ("trellis_pods", "pods"), ("trellis_gpus", "gpus"),
                      ("trellis_used_gpus", "gpusUsed"), ("trellis_closed_gpus", "gpusClosed")):
        equal(name, exposition.value(families, name), summary[key])
    waiting = {entry["code"]: entry["gangs"] for entry in session["waiting"]
               if entry["gangs"]}
    exposed = {sample.labels["code"]: sample.value
               for sample in families["trellis_pending_gangs"].samples if sample.value}
    equal("pending gangs by reason", exposed, waiting)
    for family, label, key in (("trellis_action_scheduling_latency_seconds", "action", "actions"),
                               ("trellis_plugin_scheduling_latency_seconds", "plugin", "plugins")):
        exposed = {sample.labels[label] for sample in families[family].samples}
        equal(family, exposed, {entry["name"] for entry in session[key]})


def bound(families):
    return exposition.value(families, "trellis_decisions_total", action="allocate", kind="bind")


def steps(service, inputs):
    asker = service.asker()
    wait_for("readiness", lambda: asker.get("/readyz")[0] == 200)
    wait_for("cycles to find nothing to do", lambda: still(asker))
    families = read(asker)
    names = {name + ("_total" if family.type == "counter" else "")
             for name, family in families.items()}
    equal("not in docs/metrics.md", names - dashboards.documented().keys(), set())
    same_as_session(asker, families)
    check(bound(families) > 0, "nothing was bound")
    levels = {(sample.labels["topology"], sample.labels["level"])
              for sample in families["trellis_topology_largest_gang_gpus"].samples}
    check(len(levels) > 1, f"levels: {levels}")
    equal("nodes that the gang of 20 wants, of which a rack takes 18",
          [(sample.labels["domain"], sample.value)
           for sample in families["trellis_gang_nodes_wanted"].samples], [("nvl72/b1/r3", 2)])
    equal("failed cycles", exposition.value(families, "trellis_cycles_total", outcome="failed"), 0)

    cycles = exposition.value(families, "trellis_cycles_total", outcome="done")
    (inputs / "lost.yaml").write_text(LOST, encoding="utf-8")
    code = {"code": "TopologyNotFound"}
    wait_for("a gang that waits for its topology",
             lambda: exposition.value(read(asker), "trellis_pending_gangs", **code) == 1)
    (inputs / "lost.yaml").unlink()
    wait_for("the series to be 0",
             lambda: exposition.value(read(asker), "trellis_pending_gangs", **code) == 0)
    families = read(asker)
    check(exposition.value(families, "trellis_cycles_total", outcome="done") >= cycles + 2,
          "cycles are not counted")
    check(exposition.value(families, "process_open_fds") > 3, "descriptors are not counted")
    check("trellis_leader" not in families, "there is a leader, but no election")


def alone(service):
    """The listener of the metrics serves nothing else."""
    port = int(wait_for("an address of the metrics", lambda: re.search(
        r"metrics=http://127\.0\.0\.3:(\d+)/metrics", "".join(service.lines))).group(1))
    asker = Asker("127.0.0.3", port)
    read(asker)
    for path in ("/", "/healthz", "/debug/session", "/debug/snapshot", "/debug/openapi.json"):
        equal(f"status of {path} there", asker.get(path)[0], 404)


def still(asker):
    """No cycle ran between two looks."""
    first = asker.json("/debug/session")["cycle"]
    read(asker)
    return asker.json("/debug/session")["cycle"] == first


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    binary = parser.parse_args().binary
    equal("faults of the dashboards", list(dashboards.faults()), [])
    with tempfile.TemporaryDirectory(prefix="trellis-metrics-") as scratch:
        inputs = pathlib.Path(scratch) / "input"
        shutil.copytree(ROOT / "examples" / "nvl72", inputs)
        with Service(binary, [inputs], "--metrics-listen", "127.0.0.3:0") as service:
            steps(service, inputs)
            alone(service)
    print("metrics: ok")
    return 0


if __name__ == "__main__":
    run(main)
