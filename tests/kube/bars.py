#!/usr/bin/env python3
"""What a live Trellis must reach, measured beside a real API server on the same machine.

    bars.py --binary build/release/trellis pods [--nodes 1000 --pods 5000]
        simple pods that wait: how many it binds a second, how many kube-scheduler does, and how
        many a client that only binds
    bars.py --binary B scale [--nodes 5000 --pods 50000]
        the first sync, a cycle, from a pod's creation to its bind, memory
    bars.py --binary B churn [--minutes 60]
        pods, gangs, nodes that come and go: memory and descriptors stay flat, every watch goes on

Ends with 1 when a bar is missed. `make bench-kube` runs the first two, and builds kube-scheduler.
"""

import argparse
import contextlib
import json
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "serve"))
from control_plane import ControlPlane, Program  # noqa: E402
from load import (  # noqa: E402
    NODES, PODS, BoundPods, ask_all, bind_all, create, node, node_name, percentile, pod, pod_name)
from service import Failure, Service, wait_for  # noqa: E402

PATIENCE = 600
GROUPS = "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
MILLISECONDS = 1000
MEGABYTE = 1e6

OF_ONLY_BINDING = 0.9
SYNC_SECONDS = 20
BIND_P50_MS, BIND_P99_MS = 20, 200
CYCLE_MS = 10
RESIDENT_MB = 220
GROWTH = 1.1  # of the median of the second quarter of a churn run to that of the last one


class Bars:
    """Figures, each beside what it must be."""

    def __init__(self):
        self.missed = []

    def note(self, what, figure, unit, good=None, bar=""):
        line = f"{what:<44}{figure:>10.1f} {unit:<8}{bar}"
        if good is False:
            line += "   MISSED"
            self.missed.append(what)
        print(line, flush=True)


def live(binary, plane, *arguments):
    return Service(binary, [], "--log-format", "json", "--kubeconfig",
                   plane.kubeconfig("admin"), *arguments)


def wait_ready(service):
    """Until it leads, and has finished a cycle: one that stands by is ready, too."""
    def leads():
        status, _, text = service.fetch("/readyz")
        return status == 200 and text in ("ok\n", "ok, leading\n")
    wait_for("it leads", leads, PATIENCE)


def delete_pods(plane):
    client = plane.client()
    client.ask("DELETE", PODS + "?gracePeriodSeconds=0")
    wait_for("no pods", lambda: not client.ask("GET", PODS + "?limit=1")[1]["items"], PATIENCE)
    client.close()


def install_groups(plane):
    client = plane.client()
    client.ask("POST", CRDS, (HERE / "crds" / "podgroups.yaml").read_text(encoding="utf-8"))
    wait_for("PodGroups are served", lambda: client.ask("GET", GROUPS)[0] == 200)
    client.close()


# Simple pods that wait.

def pods_a_second(plane, count, start):
    """Waiting pods of a scheduler, from its start to the last bind: (a second, with its start)."""
    with BoundPods(plane) as bound:
        begun = time.monotonic()
        with start():
            last = bound.wait_for(count, PATIENCE)
        first = min(bound.at.values())
        return (count - 1) / (last - first), count / (last - begun)


class StockScheduler:
    def __init__(self, plane):
        config = plane.folder / "scheduler.json"
        config.write_text(json.dumps({
            "apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": False},
            "clientConnection": {"kubeconfig": plane.kubeconfig("admin"),
                                 "qps": 5000, "burst": 5000}}), encoding="ascii")
        self.program = Program(plane.folder, [str(plane.bin / "kube-scheduler"), "--config",
                                              str(config), "--secure-port=0"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.program.kill()


def only_binds(arguments, plane):
    bind_all(plane, arguments.pods, arguments.nodes)
    return contextlib.nullcontext()


def run_pods(arguments, plane, bars):
    create(plane, NODES, map(node, range(arguments.nodes)))
    plane.kwok.signal(signal.SIGSTOP)  # the pods shall be bound, no more
    rates = {}
    for scheduler, start in (
            ("trellis", lambda: live(arguments.binary, plane)),
            ("default-scheduler", lambda: StockScheduler(plane)),
            ("only-binds", lambda: only_binds(arguments, plane))):
        create(plane, PODS, (pod(pod_name(i), scheduler) for i in range(arguments.pods)))
        rates[scheduler], with_start = pods_a_second(plane, arguments.pods, start)
        bars.note(f"{scheduler}: from the first bind to the last", rates[scheduler], "pods/s")
        bars.note(f"{scheduler}: from its start to the last bind", with_start, "pods/s")
        delete_pods(plane)
    bars.note("as fast as kube-scheduler", rates["trellis"] / rates["default-scheduler"], "times")
    part = rates["trellis"] / rates["only-binds"]
    bars.note("of what a client that only binds reaches", part * 100, "%",
              part >= OF_ONLY_BINDING, f">= {OF_ONLY_BINDING * 100:.0f}")


# A large cluster.

def quantile(metrics, name, part):
    """The upper end of the bucket that holds it, in seconds; None without observations."""
    buckets = [(float(le.replace("+Inf", "inf")), float(count)) for le, count in re.findall(
        rf'^{name}_bucket{{(?:[^}}]*,)?le="([^"]+)"}} (\S+)$', metrics, re.MULTILINE)]
    total = max((count for _, count in buckets), default=0)
    return next((le for le, count in sorted(buckets) if total and count >= part * total), None)


def run_scale(arguments, plane, bars):
    plane.kwok.signal(signal.SIGSTOP)
    create(plane, NODES, map(node, range(arguments.nodes)))
    create(plane, PODS, (pod(pod_name(i), on=node_name(i % arguments.nodes))
                         for i in range(arguments.pods)))
    begun = time.monotonic()
    with live(arguments.binary, plane) as service:
        wait_ready(service)
        seconds = time.monotonic() - begun
        bars.note("initial sync", seconds, "s", seconds <= SYNC_SECONDS, f"<= {SYNC_SECONDS}")
        waits = trickle(plane, arguments.seconds, arguments.rate)
        for part, most in ((0.5, BIND_P50_MS), (0.99, BIND_P99_MS)):
            found = percentile(waits, part) * MILLISECONDS
            bars.note(f"pod created -> seen bound, p{part * 100:.0f}", found, "ms",
                      found <= most, f"<= {most}, of which the API server takes some")
        times = [event["seconds"] * MILLISECONDS for event in service.events("cycle finished")]
        cycle = percentile(times[len(times) // 2:], 0.99)
        bars.note("cycle under this load, p99", cycle, "ms", cycle <= CYCLE_MS, f"<= {CYCLE_MS}")
        resident = service.resident_bytes() / MEGABYTE
        bars.note("resident", resident, "MB", resident <= RESIDENT_MB, f"<= {RESIDENT_MB}")


def trickle(plane, seconds, rate):
    """Pods at a steady rate: how long each waited for its bind, as a client sees it."""
    created = {}
    client = plane.client()
    with BoundPods(plane) as bound:
        begun = time.monotonic()
        for i in range(int(seconds * rate)):
            time.sleep(max(0, begun + i / rate - time.monotonic()))
            name = f"late-{i:06}"
            created[name] = time.monotonic()
            client.ask("POST", PODS, pod(name))
        bound.wait_for(len(created), PATIENCE)
        return [bound.at[name] - at for name, at in created.items()]


# Churn.

class Churn:
    """Single pods, gangs and nodes that come and go at random, by a seed."""

    ALIVE = 200

    def __init__(self, plane, seed):
        self.plane, self.random = plane, random.Random(seed)
        self.gangs, self.number = [], 0

    def step(self):
        """A gang comes; above a number of them another one goes. Now and then a node does both."""
        self.number += 1
        name = f"g-{self.number}"
        size = self.random.randint(1, 8)
        self.gangs.append((name, size))
        requests = [("POST", GROUPS, {
            "apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
            "metadata": {"name": name}, "spec": {"minMember": size}})]
        requests += [("POST", PODS, pod(f"{name}-{i}", group=name)) for i in range(size)]
        ask_all(self.plane, requests)
        if len(self.gangs) > self.ALIVE:
            gone, size = self.gangs.pop(self.random.randrange(len(self.gangs)))
            ask_all(self.plane, [("DELETE", f"{GROUPS}/{gone}", None)]
                    + [("DELETE", f"{PODS}/{gone}-{i}?gracePeriodSeconds=0", None)
                       for i in range(size)])
        if self.number % 50 == 0:
            one = node(10000 + self.number)
            create(self.plane, NODES, [one])
            ask_all(self.plane, [("DELETE", f"{NODES}/{one['metadata']['name']}", None)])


def median(values):
    return percentile(values, 0.5)


def run_churn(arguments, plane, bars):
    install_groups(plane)
    create(plane, NODES, map(node, range(arguments.nodes)))
    churn = Churn(plane, seed=1)
    samples = []
    with live(arguments.binary, plane) as service:
        wait_ready(service)
        end = time.monotonic() + arguments.minutes * 60
        while time.monotonic() < end:
            churn.step()
            samples.append((service.resident_bytes() / MEGABYTE, service.descriptors()))
        client = plane.client()

        def all_bound():
            waiting = client.ask("GET", PODS + "?fieldSelector=spec.nodeName%3D&limit=1")
            return not waiting[1]["items"]
        wait_for("every pod is bound", all_bound)
        objects = {kind: len(client.ask("GET", path)[1]["items"])
                   for kind, path in (("nodes", NODES), ("pods", PODS),
                                      ("podgroups.scheduling.run.ai", GROUPS))}

        def read():
            metrics = service.fetch("/metrics")[2]
            return all(f'trellis_cluster_objects{{kind="{kind}"}} {count}\n' in metrics
                       for kind, count in objects.items())
        wait_for("every watch goes on", read)
        client.close()
    bars.note("gangs that came", churn.number, "")
    quarter = max(1, len(samples) // 4)
    for index, (what, unit) in enumerate((("resident", "MB"), ("descriptors", ""))):
        early = median([one[index] for one in samples[quarter:2 * quarter]])
        late = median([one[index] for one in samples[-quarter:]])
        bars.note(f"{what}, second quarter", early, unit)
        bars.note(f"{what}, last quarter", late, unit, late <= early * GROWTH, f"<= {GROWTH} times")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, run, nodes, pods in (("pods", run_pods, 1000, 5000),
                                   ("scale", run_scale, 5000, 50000),
                                   ("churn", run_churn, 100, 0)):
        command = commands.add_parser(name)
        command.set_defaults(run=run)
        command.add_argument("--nodes", type=int, default=nodes)
        command.add_argument("--pods", type=int, default=pods)
    commands.choices["scale"].add_argument("--seconds", type=int, default=30)
    commands.choices["scale"].add_argument("--rate", type=int, default=50)
    commands.choices["churn"].add_argument("--minutes", type=float, default=60)
    arguments = parser.parse_args()
    wanted = ["etcd", "kube-apiserver", "kwok", "kubectl"]
    if arguments.command == "pods":
        wanted.append("kube-scheduler")
    folder = subprocess.run([HERE / "build.sh", *wanted], check=True, stdout=subprocess.PIPE,
                            text=True).stdout.strip()
    bars = Bars()
    with ControlPlane(folder) as plane:
        arguments.run(arguments, plane, bars)
    return 1 if bars.missed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print(f"FAILED: {failure}")
        sys.exit(1)
