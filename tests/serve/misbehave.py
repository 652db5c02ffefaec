#!/usr/bin/env python3
"""Sixteen misbehaving clients against a real `trellis serve` (clients.py): its cycles keep their
pace, the health probe and a client that behaves are answered, memory and descriptors stay flat.

  misbehave.py --binary build/release/trellis [--seconds 60] [--attempts 4] [--sanitized]

On a machine that does other things the pace of a single run means little: what is timed may fail
in all but one of the attempts. What is not timed may not fail at all. Of a sanitized program neither
pace nor memory is judged.
"""

import argparse
import json
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time

from service import ADDRESS, Failure, Service, run, wait_for

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = 16
NODES = 1500
NODES_A_RACK = 18
PODS_A_GANG = 8
GANGS = 150
PERIOD_S = 0.04  # of changes, each of which is a cycle
PACE_FACTOR, PACE_SLACK_S = 2, 0.005
ANSWER_S = 1.0  # for the health probe and for a client that behaves
MEMORY_SLACK = 48 << 20
DESCRIPTOR_SLACK = 2


def check(condition, text):
    if not condition:
        raise Failure(text)


def percentile(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def node(i):
    rack = i // NODES_A_RACK
    amounts = {"cpu": "64", "memory": "512Gi", "pods": "110", "nvidia.com/gpu": "4"}
    return {"apiVersion": "v1", "kind": "Node",
            "metadata": {"name": f"n{i:05}", "labels": {"example.com/rack": f"r{rack}"}},
            "status": {"allocatable": amounts,
                       "conditions": [{"type": "Ready", "status": "True"}]}}


def gang(name, pods, labels=None):
    yield {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
           "metadata": {"namespace": "load", "name": name, "labels": labels or {}},
           "spec": {"minMember": pods,
                    "topologyConstraint": {"topology": "racks",
                                           "requiredTopologyLevel": "example.com/rack"}}}
    for i in range(pods):
        yield {"apiVersion": "v1", "kind": "Pod",
               "metadata": {"namespace": "load", "name": f"{name}-{i}", "labels": labels or {},
                            "annotations": {"pod-group-name": name}},
               "spec": {"containers": [{"name": "main", "resources": {
                   "requests": {"cpu": "4", "nvidia.com/gpu": "1"}}}]},
               "status": {"phase": "Pending"}}


def write_lines(path, objects):
    path.write_text("".join(json.dumps(each) + "\n" for each in objects), encoding="utf-8")


def write_cluster(folder):
    topology = {"apiVersion": "kueue.x-k8s.io/v1beta1", "kind": "Topology",
                "metadata": {"name": "racks"},
                "spec": {"levels": [{"nodeLabel": "example.com/rack"},
                                    {"nodeLabel": "kubernetes.io/hostname"}]}}
    write_lines(folder / "cluster.jsonl", [topology, *(node(i) for i in range(NODES))])
    write_lines(folder / "gangs.jsonl",
                [each for i in range(GANGS) for each in gang(f"g{i:04}", PODS_A_GANG)])


class Mover(threading.Thread):
    """Changes one gang again and again, so that there is always a cycle to run."""

    def __init__(self, folder):
        super().__init__(daemon=True)
        self.path = folder / "moving.jsonl"
        self.scratch = folder.parent / "moving.next"
        self.done = threading.Event()
        self.start()

    def run(self):
        turn = 0
        while not self.done.wait(PERIOD_S):
            turn += 1
            write_lines(self.scratch, gang(f"moving-{turn % 7}", PODS_A_GANG))
            self.scratch.replace(self.path)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.done.set()
        self.join()


class Watch(threading.Thread):
    """Asks one thing again and again: what came, and how long it took."""

    def __init__(self, asker, path, every_s):
        super().__init__(daemon=True)
        self.asker, self.path, self.every_s = asker, path, every_s
        self.bodies, self.latencies, self.failures = [], [], []
        self.done = threading.Event()
        self.start()

    def run(self):
        while not self.done.wait(self.every_s):
            begun = time.monotonic()
            try:
                status, body = self.asker.get(self.path)
                if status != 200:
                    self.failures.append(f"{status} {body[:100]!r}")
                self.bodies.append(body)
            except Exception as error:  # whatever it is, it is no answer
                self.failures.append(repr(error))
            self.latencies.append(time.monotonic() - begun)

    def finish(self):
        self.done.set()
        self.join()
        return self


def cycle_seconds(watch):
    """By number: the same cycle may have been seen twice."""
    cycles = {}
    for body in watch.bodies:
        session = json.loads(body)
        cycles[session["cycle"]] = session["durationSeconds"]
    return cycles


class Pace:
    def __init__(self, cycles, seconds):
        check(len(cycles) > 2, f"too few cycles were seen: {len(cycles)}")
        self.a_second = (max(cycles) - min(cycles)) / seconds
        self.p99 = percentile(list(cycles.values()), 0.99)

    def __str__(self):
        return f"{self.a_second:.1f} cycles a second, p99 {self.p99 * 1e3:.2f} ms"


class Attempt:
    def __init__(self, service, seconds):
        self.service, self.seconds = service, seconds
        self.timed_faults = []

    def observe(self, during):
        """The pace of cycles while `during` runs, and what that gave."""
        cycles = Watch(self.service.asker(), "/debug/session", PERIOD_S / 4)
        health = Watch(self.service.health_asker(), "/healthz", 0.05)
        begun = time.monotonic()
        result = during()
        took = time.monotonic() - begun
        for watch in (cycles.finish(), health.finish()):
            check(not watch.failures,
                  f"{watch.path} was not answered: {len(watch.failures)} times, {watch.failures[:3]}")
            slowest = max(watch.latencies)
            if slowest > ANSWER_S:
                self.timed_faults.append(f"{watch.path}: the slowest answer took {slowest:.2f} s")
        check(all(b"ok" in body for body in health.bodies), "the health probe is not ok")
        return Pace(cycle_seconds(cycles), took), result

    def nuisance(self):
        """Runs the clients; gives what they did, and the memory early and late in it."""
        service = self.service
        command = [sys.executable, str(HERE / "clients.py"), "127.0.0.1", str(service.port),
                   str(self.seconds)]
        clients = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        time.sleep(self.seconds / 3)
        early = service.resident_bytes()
        most_descriptors = 0
        while clients.poll() is None:
            most_descriptors = max(most_descriptors, service.descriptors())
            time.sleep(0.1)
            late = service.resident_bytes()
        counts = json.loads(clients.stdout.read())
        check(clients.returncode == 0, "the clients failed")
        return counts, early, late, most_descriptors

    def run(self, judge_memory):
        service = self.service
        quiet, _ = self.observe(lambda: time.sleep(self.seconds / 2))
        descriptors, memory = service.descriptors(), service.resident_bytes()
        loud, (counts, early, late, most) = self.observe(self.nuisance)
        print(f"clients: {counts}")
        check(len(counts) * 2 == CLIENTS,
              f"a client did nothing, or 100 MB were read: {counts}")
        self.judge_pace(quiet, loud)
        print(f"memory: {memory >> 20} MiB before, {early >> 20} early, {late >> 20} late; "
              f"descriptors: {descriptors} before, {most} at most")
        check(not judge_memory or late <= early + MEMORY_SLACK, f"memory grows: {early} to {late} bytes")
        wait_for(f"at most {descriptors + DESCRIPTOR_SLACK} descriptors",
                 lambda: service.descriptors() <= descriptors + DESCRIPTOR_SLACK, 40)

    def judge_pace(self, quiet, loud):
        print(f"quiet: {quiet}; loud: {loud}")
        if loud.p99 > PACE_FACTOR * quiet.p99 + PACE_SLACK_S or loud.a_second < quiet.a_second / 2:
            self.timed_faults.append(f"pace of cycles: {quiet}, then {loud}")


def attempts(service, arguments):
    for number in range(1, arguments.attempts + 1):
        attempt = Attempt(service, arguments.seconds)
        attempt.run(judge_memory=not arguments.sanitized)
        if arguments.sanitized or not attempt.timed_faults:
            return
        print(f"attempt {number}: {attempt.timed_faults}")
    raise Failure(f"in {arguments.attempts} attempts")


# What proxies and servers are known to read in different ways; behind each, a request that must not be seen.
SMUGGLED = (b"Content-Length : 5\r\n", b"Content-Length: 5\r\nContent-Length: 6\r\n",
            b"Content-Length: 0\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: xchunked\r\n",
            b"X: a\r\n b\r\n", b"X: a\rY: b\r\n", b"X: a\nY: b\r\n", b"without a colon\r\n", b"X: \0\r\n")
REQUEST_LINES = (b"GET  /healthz HTTP/1.1", b"GET /healthz  HTTP/1.1", b"GET /healthz HTTP/1.1 ",
                 b"GET http://elsewhere/healthz HTTP/1.1")


def answers_to(service, sent):
    """All that comes until the server closes, which it must."""
    with socket.create_connection((ADDRESS, service.port), timeout=10) as connection:
        connection.sendall(sent)
        got = b""
        try:
            while piece := connection.recv(65536):
                got += piece
        except TimeoutError:
            raise Failure(f"{sent!r}: it keeps the connection, after {got[:200]!r}") from None
        return got


def smuggle(service):
    host = b"Host: localhost\r\n"
    heads = [b"GET /healthz HTTP/1.1\r\n" + host + header + b"\r\n" for header in SMUGGLED]
    heads += [line + b"\r\n" + host + b"\r\n" for line in REQUEST_LINES]
    for head in heads:
        got = answers_to(service, head + b"GET /metrics HTTP/1.1\r\n" + host + b"\r\n")
        check(got.startswith(b"HTTP/1.1 400 ") and got.count(b"HTTP/1.1 ") == 1,
              f"{head!r}: {got[:200]!r}")


def end(service):
    seconds, code = service.stop()
    print(f"ended {seconds:.2f} s after SIGTERM")
    check(code == 0, f"it ended with {code}:\n{''.join(service.lines[-50:])}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--attempts", type=int, default=4)
    parser.add_argument("--sanitized", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="trellis-misbehave-") as scratch:
        folder = pathlib.Path(scratch) / "input"
        folder.mkdir()
        write_cluster(folder)
        config = pathlib.Path(scratch) / "config.yaml"
        config.write_text(f"period: {int(PERIOD_S * 500)}ms\n", encoding="utf-8")
        with Service(arguments.binary, [folder], "--config", str(config)) as service:
            wait_for("readiness", lambda: service.asker().get("/readyz")[0] == 200)
            smuggle(service)
            with Mover(folder):
                attempts(service, arguments)
            end(service)
    print("ok")
    return 0


if __name__ == "__main__":
    run(main)
