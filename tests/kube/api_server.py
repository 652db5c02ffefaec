"""A small API server, by script: lists in pages, watches, binds, evictions, and whatever goes wrong."""

import http.server
import json
import queue
import re
import ssl
import sys
import threading
from urllib.parse import parse_qs, urlsplit

CORE = {"nodes": "Node", "pods": "Pod", "namespaces": "Namespace",
        "persistentvolumeclaims": "PersistentVolumeClaim", "persistentvolumes": "PersistentVolume"}
POD_GROUPS = ("scheduling.run.ai", "v2alpha2", "podgroups", "PodGroup")
POD = re.compile(r"/api/v1/namespaces/([^/]+)/pods/([^/]+)(?:/(binding|eviction|status))?")
OTHER = re.compile(r"(/apis/[^/]+/[^/]+|/api/v1)(?:/namespaces/([^/]+))?/([^/]+)/([^/]+)")
COLLECTION = re.compile(r"(/api/v1|/apis/[^/]+/[^/]+)/namespaces/([^/]+)/([^/]+)")
NAMED = re.compile(COLLECTION.pattern + r"/([^/]+)")
COPIES_LABELS = 35  # the first minor version of which binds label their pods
QUEUES = ("scheduling.run.ai", "v2", "queues", "Queue")


def merged(one, patch):
    """As RFC 7386 says."""
    if not isinstance(patch, dict):
        return patch
    one = dict(one) if isinstance(one, dict) else {}
    for key, value in patch.items():
        if value is None:
            one.pop(key, None)
        else:
            one[key] = merged(one.get(key), value)
    return one


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that ends leaves its connections; anything else is a fault of the script."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class ApiServer:
    """Serves the core kinds, and those of `groups`: (group, version, resource, kind)."""

    def __init__(self, groups=(), token=None, page=2, certificate=None):
        self.lock = threading.RLock()
        self.groups = list(groups)
        self.token = token
        self.page = page
        self.version = 100
        self.minor = 36  # of Kubernetes 1
        self.objects = {}  # by path of the resource, then by name
        self.watches = {}  # by path: queues of lines, None at the end
        self.requests = []  # (method, path and query, status)
        self.gates = {}  # by path: an event that lists wait for
        self.uids = 0
        self.bound = []  # (pod, node), as they were
        self.evicted = []
        self.bodies = []  # of writes, but patches
        self.patches = []
        self.created = []  # (resource, name) of what was posted to a collection
        # (code, whether it is done all the same)
        self.refusals = {"binding": [], "eviction": [], "patch": [], "delete": []}
        self.muted = None  # what binds and evictions changed, not sent yet; None: it is sent
        self.writing = False
        server = Server(("127.0.0.1", 0), self._handler())
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        self.server = server
        self.port = server.server_address[1]
        threading.Thread(target=server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.cut()

    # What stands in it.

    def path_of(self, resource):
        for group, version, name, _ in self.groups:
            if name == resource:
                return f"/apis/{group}/{version}/{resource}"
        return f"/api/v1/{resource}"

    def put(self, resource, one):
        """Objects of the core have no kind in lists, those of CRDs do; as in a real server."""
        self.put_at(self.path_of(resource), one)

    def put_at(self, path, one):
        with self.lock:
            held = self.objects.setdefault(path, {})
            name = one["metadata"].get("namespace", "") + "/" + one["metadata"]["name"]
            self.version += 1
            one = json.loads(json.dumps(one))
            one["metadata"]["resourceVersion"] = str(self.version)
            if name not in held:
                self.uids += 1
            one["metadata"].setdefault("uid", held.get(name, {}).get("metadata", {}).get(
                "uid", f"uid-{self.uids}"))
            event = "MODIFIED" if name in held else "ADDED"
            held[name] = one
            self.send_event(path, {"type": event, "object": one})

    def remove(self, resource, name, namespace=""):
        self.remove_at(self.path_of(resource), name, namespace)

    def remove_at(self, path, name, namespace):
        with self.lock:
            one = self.objects[path].pop(f"{namespace}/{name}")
            self.version += 1
            one["metadata"]["resourceVersion"] = str(self.version)
            self.send_event(path, {"type": "DELETED", "object": one})

    def send_event(self, path, event):
        with self.lock:
            if self.muted is not None and self.writing:
                self.muted.append((path, event))
                return
            for watch in self.watches.get(path, []):
                watch.put(event if isinstance(event, str) else json.dumps(event))

    def mute(self):
        """Watches get no events of what is bound and evicted, until unmute."""
        self.muted = []

    def unmute(self):
        with self.lock:
            events, self.muted = self.muted, None
            for path, event in events:
                self.send_event(path, event)

    def cut(self, resource=None):
        """Ends the watches, all or of one resource."""
        with self.lock:
            for path, watches in self.watches.items():
                if resource is None or path == self.path_of(resource):
                    for watch in watches:
                        watch.put(None)

    def gate(self, resource):
        self.gates[self.path_of(resource)] = threading.Event()
        return self.gates[self.path_of(resource)]

    def asked(self, part):
        return [target for _, target, _ in list(self.requests) if part in target]

    # What is asked.

    def _handler(api):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                api._answer(self)

            do_POST = do_PATCH = do_DELETE = do_GET

            def __getattr__(self, name):
                if name.startswith("do_"):
                    return lambda: api._refuse(self, 405)
                raise AttributeError(name)
        return Handler

    def _refuse(self, handler, code):
        self._send(handler, code, {"kind": "Status", "code": code, "message": f"scripted {code}"})

    def _send(self, handler, code, body):
        self.requests.append((handler.command, handler.path, code))
        data = json.dumps(body).encode()
        handler.send_response(code)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        handler.wfile.write(data)

    def _answer(self, handler):
        parts = urlsplit(handler.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        if self.token and handler.headers.get("Authorization") != f"Bearer {self.token}":
            return self._refuse(handler, 401)
        if pod := POD.fullmatch(parts.path):
            return self._pod(handler, *pod.groups())
        other = OTHER.fullmatch(parts.path)
        if other and handler.command == "PATCH":
            return self._merge(handler, *other.groups())
        if other and handler.command == "GET":
            return self._get(handler, *other.groups())
        made, named = COLLECTION.fullmatch(parts.path), NAMED.fullmatch(parts.path)
        if handler.command == "POST" and made and made[3] != "events":
            return self._create(handler, *made.groups())
        if handler.command == "DELETE" and named:
            return self._delete(handler, *named.groups())
        if handler.command != "GET":
            # What is left of it would be taken for the next request.
            handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
            return self._refuse(handler, 405)
        if parts.path == "/version":
            return self._send(handler, 200, {"major": "1", "minor": f"{self.minor}+"})
        if parts.path == "/apis":
            versions = {}
            for group, version, _, _ in self.groups:
                versions.setdefault(group, []).append({"version": version})
            return self._send(handler, 200, {"kind": "APIGroupList", "groups": [
                {"name": name, "versions": those} for name, those in versions.items()]})
        if parts.path == "/api/v1":
            return self._send(handler, 200, self._resources(CORE.items()))
        for group, version, _, _ in self.groups:
            if parts.path == f"/apis/{group}/{version}":
                return self._send(handler, 200, self._resources(
                    (name, kind) for of, at, name, kind in self.groups
                    if (of, at) == (group, version)))
        known = [self.path_of(name) for name in list(CORE) + [one[2] for one in self.groups]]
        if parts.path not in known:
            return self._refuse(handler, 404)
        if "watch" in query:
            return self._watch(handler, parts.path, query)
        return self._list(handler, parts.path, query)

    def _pod(self, handler, namespace, name, what):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        with self.lock:
            what = {"PATCH": "patch", "DELETE": "delete"}.get(handler.command, what)
            if what is None:
                one = self.objects.get(self.path_of("pods"), {}).get(f"{namespace}/{name}")
                return self._send(handler, 200, one) if one else self._refuse(handler, 404)
            (self.patches if what == "patch" else self.bodies).append(json.loads(body))
            code, done = self.refusals[what].pop(0) if self.refusals[what] else (None, True)
            self.writing = True
            answer = self._write(namespace, name, what, json.loads(body)) if done else code
            self.writing = False
            if code == 0:  # without a word
                self.requests.append((handler.command, handler.path, 0))
                handler.close_connection = True
                return None
            return self._refuse(handler, code or answer)

    def _get(self, handler, api, namespace, resource, name):
        with self.lock:
            one = self.objects.get(f"{api}/{resource}", {}).get(f"{namespace or ''}/{name}")
        return self._send(handler, 200, one) if one else self._refuse(handler, 404)

    def _merge(self, handler, api, namespace, resource, name):
        """A merge patch of an object of `groups`, its status included."""
        patch = json.loads(handler.rfile.read(int(handler.headers.get("Content-Length", "0"))))
        with self.lock:
            one = self.objects.get(f"{api}/{resource}", {}).get(f"{namespace or ''}/{name}")
            if one is None:
                return self._refuse(handler, 404)
            meant = patch.get("metadata", {})
            for key in ("uid", "resourceVersion"):
                if meant.get(key, one["metadata"][key]) != one["metadata"][key]:
                    return self._refuse(handler, 409)
            self.put(resource, merged(one, patch))
        return self._send(handler, 200, {"kind": "Status", "status": "Success"})

    def _create(self, handler, api, namespace, resource):
        one = json.loads(handler.rfile.read(int(handler.headers.get("Content-Length", "0"))))
        with self.lock:
            name = one["metadata"]["name"]
            self.created.append((resource, name))
            if f"{namespace}/{name}" in self.objects.get(f"{api}/{resource}", {}):
                return self._refuse(handler, 409)
            self.put_at(f"{api}/{resource}", one)
        return self._send(handler, 201, one)

    def _delete(self, handler, api, namespace, resource, name):
        handler.rfile.read(int(handler.headers.get("Content-Length", "0")))
        with self.lock:
            if f"{namespace}/{name}" not in self.objects.get(f"{api}/{resource}", {}):
                return self._refuse(handler, 404)
            self.remove_at(f"{api}/{resource}", name, namespace)
        return self._send(handler, 200, {"kind": "Status", "status": "Success"})

    def _write(self, namespace, name, what, body):
        one = self.objects.get(self.path_of("pods"), {}).get(f"{namespace}/{name}")
        if one is None:
            return 404
        meant = {"eviction": lambda: body["deleteOptions"]["preconditions"],
                 "delete": lambda: body["preconditions"]}.get(what, lambda: body["metadata"])()
        if one["metadata"]["uid"] != meant["uid"]:
            return 409
        if what == "patch":
            one = merged(json.loads(json.dumps(one)), {"spec": body.get("spec", {})})
            one["metadata"]["labels"] = {**(one["metadata"].get("labels") or {}), **meant.get("labels", {})}
            for condition in body.get("status", {}).get("conditions", []):
                others = [other for other in one["status"].get("conditions", [])
                          if other["type"] != condition["type"]]
                one["status"]["conditions"] = [*others, condition]
            self.put("pods", one)
            return 200
        if what in ("eviction", "delete"):
            self.evicted.append(name)
            self.remove("pods", name, namespace)
            return 201
        if one["spec"].get("nodeName"):
            return 409
        one = json.loads(json.dumps(one))
        one["spec"]["nodeName"] = body["target"]["name"]
        copied = ("labels", "annotations") if self.minor >= COPIES_LABELS else ("annotations",)
        for kind in copied:
            one["metadata"].setdefault(kind, {}).update(meant.get(kind, {}))
        self.bound.append((name, body["target"]["name"]))
        self.put("pods", one)
        return 201

    @staticmethod
    def _resources(kinds):
        return {"kind": "APIResourceList", "resources": [
            {"name": name, "kind": kind, "verbs": ["get", "list", "watch"]}
            for name, kind in kinds]}

    def _list(self, handler, path, query):
        if path in self.gates:
            self.gates[path].wait()
        with self.lock:
            names = sorted(self.objects.get(path, {}))
            begin = int(query.get("continue", "0"))
            page = names[begin:begin + self.page]
            metadata = {"resourceVersion": str(self.version)}
            if begin + self.page < len(names):
                metadata["continue"] = str(begin + self.page)
            body = {"kind": "SomeList", "apiVersion": "v1", "metadata": metadata,
                    "items": [self.objects[path][name] for name in page]}
        self._send(handler, 200, body)

    def _watch(self, handler, path, query):
        lines = queue.Queue()
        with self.lock:
            since = int(query["resourceVersion"])
            for one in self.objects.get(path, {}).values():
                if int(one["metadata"]["resourceVersion"]) > since:
                    lines.put(json.dumps({"type": "MODIFIED", "object": one}))
            self.watches.setdefault(path, []).append(lines)
        self.requests.append((handler.command, handler.path, 200))
        handler.send_response(200)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        try:
            while (line := lines.get()) is not None:
                data = line.encode() + b"\n"
                handler.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                handler.wfile.flush()
            handler.wfile.write(b"0\r\n\r\n")
        except OSError:
            handler.close_connection = True
        with self.lock:
            self.watches[path].remove(lines)
