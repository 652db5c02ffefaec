"""Makes many objects on an API server at once, and sees how fast pods are bound."""

import http.client
import json
import socket
import threading
import time

PODS = "/api/v1/namespaces/default/pods"
NODES = "/api/v1/nodes"
CONNECTIONS = 16
RACK = "example.com/rack"
HOSTNAME = "kubernetes.io/hostname"
NODES_A_RACK = 18
TOO_MANY = 429
METADATA_ALONE = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"


def node_name(number):
    return f"node-{number:05}"


def pod_name(number):
    return f"p-{number:06}"


def node(number):
    name = node_name(number)
    amounts = {"cpu": "96", "memory": "768Gi", "pods": "110", "nvidia.com/gpu": "8"}
    return {"metadata": {"name": name, "labels": {
                HOSTNAME: name, RACK: f"rack-{number // NODES_A_RACK}"}},
            "status": {"allocatable": amounts, "capacity": amounts, "conditions": [
                {"type": "Ready", "status": "True", "reason": "Test"}]}}


def pod(name, scheduler="trellis", on=None, group=None):
    spec = {"schedulerName": scheduler, "terminationGracePeriodSeconds": 0, "containers": [
        {"name": "c", "image": "c", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]}
    if on:
        spec["nodeName"] = on
    return {"metadata": {"name": name, "annotations": {"pod-group-name": group} if group else {}},
            "spec": spec}


def ask_all(plane, requests):
    """Sends (method, path, body)s over some connections; whatever fails is raised."""
    requests = iter(requests)
    lock = threading.Lock()
    failures = []

    def work():
        client = plane.client()
        try:
            while not failures:
                with lock:
                    one = next(requests, None)
                if one is None:
                    return
                status, answer = client.ask(*one)
                while status == TOO_MANY:
                    time.sleep(0.05)
                    status, answer = client.ask(*one)
                if status >= 300:
                    failures.append(f"{one[0]} {one[1]}: {status} {answer}")
        except (OSError, http.client.HTTPException) as failure:
            failures.append(str(failure))
        finally:
            client.close()

    run_threads(work, failures)


def create(plane, path, objects):
    ask_all(plane, (("POST", path, one) for one in objects))


def bind_all(plane, pods, nodes):
    """Binds pod after pod, each to the next node, and does nothing else: what the server takes."""
    numbers = iter(range(pods))
    lock = threading.Lock()
    failures = []

    def work():
        client = plane.client()
        client.connection.connect()
        stream = client.connection.sock
        try:
            while not failures:
                with lock:
                    number = next(numbers, None)
                if number is None:
                    return
                stream.sendall(bind_request(number, nodes))
                answer = stream.recv(65536)
                if not answer.startswith(b"HTTP/1.1 201"):
                    failures.append(answer.decode())
        except OSError as failure:
            failures.append(str(failure))
        finally:
            client.close()

    run_threads(work, failures)


def bind_request(number, nodes):
    """Bytes, so that the client takes little of the machine: http.client is several times slower."""
    name = pod_name(number)
    body = json.dumps({"apiVersion": "v1", "kind": "Binding", "metadata": {"name": name}, "target": {
        "kind": "Node", "name": node_name(number % nodes)}})
    return (f"POST {PODS}/{name}/binding HTTP/1.1\r\nHost: localhost\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}").encode()


def run_threads(work, failures):
    threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise RuntimeError(failures[0])


class BoundPods:
    """When each pod was seen to have a node, by name, from now on."""

    def __init__(self, plane):
        self.at = {}
        client = plane.client()
        self.connection = client.connection
        self.connection.timeout = None
        _, listed = client.ask("GET", PODS + "?limit=1")
        version = listed["metadata"]["resourceVersion"]
        self.connection.request(
            "GET", f"{PODS}?watch=1&resourceVersion={version}&fieldSelector=spec.nodeName%21%3D",
            headers={"Accept": METADATA_ALONE})
        self.answer = self.connection.getresponse()
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self):
        try:
            for line in self.answer:
                if line.startswith(b'{"type":"ADDED"'):
                    now = time.monotonic()
                    self.at[json.loads(line)["object"]["metadata"]["name"]] = now
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            return  # closed

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.thread.join()  # it holds what close() needs
        self.connection.close()

    def wait_for(self, count, seconds):
        end = time.monotonic() + seconds
        while len(self.at) < count:
            if time.monotonic() > end:
                raise RuntimeError(f"{len(self.at)} of {count} pods were bound in {seconds} s")
            time.sleep(0.01)
        return max(self.at.values())


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]
