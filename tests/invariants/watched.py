"""A history through `trellis serve --kubeconfig`: the objects stand in a scripted API server, which binds and
evicts what is decided, and whose watches break under way. Half of the histories are dry runs."""

import copy
import json
import pathlib
import sys

import histories

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "kube"))

import api_server  # noqa: E402
import service  # noqa: E402

PAGE = 500
# Kinds whose plural is not the kind and an "s".
PLURALS = {"PriorityClass": "priorityclasses", "WorkloadPriorityClass": "workloadpriorityclasses",
           "Topology": "topologies", "NodeResourceTopology": "noderesourcetopologies"}
CLUSTER_WIDE = {"Node", "Namespace", "PersistentVolume", "PriorityClass", "Topology", "Queue", "ResourceFlavor",
                "ClusterQueue", "Cohort", "AdmissionCheck", "WorkloadPriorityClass", "StorageClass",
                "NodeResourceTopology", "DeviceClass", "ResourceSlice"}


def plural(kind):
    return PLURALS.get(kind, kind.lower() + "s")


def is_core_group(item):
    return item.get("kind") == "PodGroup" and str(item.get("apiVersion")).startswith("scheduling.k8s.io/")


class WatchedHistory(histories.History):
    def open(self):
        self.held = {}  # (resource, namespace, name): the object as it was put
        # The scripted API server finds a kind by its plural alone: the pods of these PodGroups wait.
        self.items = [item for item in self.items if not is_core_group(item)]
        self.api = api_server.ApiServer(groups=self.groups(), page=PAGE)
        self.dry = self.random.random() < 0.5
        server = f"http://127.0.0.1:{self.api.port}"
        (self.place / "kubeconfig").write_text(json.dumps({
            "current-context": "x", "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "clusters": [{"name": "c", "cluster": {"server": server}}], "users": [{"name": "u", "user": {}}]}))
        self.changes += [self.start_bound_pods, self.start_bound_pods]

    def close(self):
        self.api.close()

    def serve(self):
        mode = ["--dry-run"] if self.dry else ["--leader-elect=false"]
        return service.Service(self.binary, [], "--kubeconfig", str(self.place / "kubeconfig"), *mode,
                               "--config", str(self.place / "config.yaml"))

    def groups(self):
        """What is served: each kind of the world in the version that the world has."""
        found = {}
        for item in self.items:
            group, _, version = item["apiVersion"].rpartition("/")
            if group:
                found.setdefault((group, item["kind"]), (group, version, plural(item["kind"]), item["kind"]))
        found.setdefault(("scheduling.run.ai", "PodGroup"), api_server.POD_GROUPS)
        return list(found.values())

    def resource_of(self, item):
        """The resource that holds the object; None where no API server would take it."""
        metadata, version, kind = item.get("metadata"), item.get("apiVersion"), item.get("kind")
        if not isinstance(metadata, dict) or not isinstance(kind, str) or not isinstance(version, str):
            return None
        name, namespace = metadata.get("name"), metadata.get("namespace", "default")
        if not all(isinstance(metadata.get(key) or {}, dict) for key in ("labels", "annotations")):
            return None
        if not isinstance(name, str) or not isinstance(namespace, str) or not name or not namespace:
            return None
        if version == "v1":
            return plural(kind) if plural(kind) in api_server.CORE else None
        served = [f"{group}/{at}/{what}" for group, at, _, what in self.api.groups]
        return plural(kind) if f"{version}/{kind}" in served else None

    def write(self):
        """Puts what changed, and removes what is gone."""
        wanted = {}
        for item in self.items:
            resource = self.resource_of(item)
            if resource:
                namespace = "" if item["kind"] in CLUSTER_WIDE else item["metadata"].get("namespace", "default")
                wanted.setdefault((resource, namespace, item["metadata"]["name"]), item)
        with self.api.lock:
            self.forget_evicted(wanted)
            for key, item in wanted.items():
                if self.held.get(key) != item:
                    self.held[key] = copy.deepcopy(item)
                    self.api.put(key[0], self.as_served(key, item))
            for key in set(self.held) - set(wanted):
                del self.held[key]
                self.api.remove(key[0], key[2], key[1])

    def standing(self, key):
        resource, namespace, name = key
        return self.api.objects.get(self.api.path_of(resource), {}).get(f"{namespace}/{name}")

    def forget_evicted(self, wanted):
        """An evicted pod is gone; at times its controller makes another of its name, which waits."""
        for key in [key for key in self.held if key[0] == "pods" and self.standing(key) is None]:
            item = self.held.pop(key)
            self.items = [other for other in self.items if other is not wanted.get(key)]
            wanted.pop(key, None)
            if self.random.random() < 0.5:
                item = copy.deepcopy(item)
                if isinstance(item.get("spec"), dict):
                    item["spec"].pop("nodeName", None)
                item["status"] = {"phase": "Pending"}
                for mark in ("deletionTimestamp", "deletionGracePeriodSeconds", "uid"):
                    item["metadata"].pop(mark, None)
                self.items.append(item)
                wanted[key] = item

    def as_served(self, key, item):
        item = copy.deepcopy(item)
        item["metadata"].pop("namespace", None)
        if key[1]:
            item["metadata"]["namespace"] = key[1]
        if item["kind"] == "Pod":
            item.setdefault("status", {"phase": "Pending"})
        if item["kind"] == "Pod" and isinstance(item.get("spec"), dict):
            item["spec"].setdefault("schedulerName", "trellis")
            standing = self.standing(key)
            if standing and isinstance(standing.get("spec"), dict) and standing["spec"].get("nodeName"):
                item["spec"]["nodeName"] = standing["spec"]["nodeName"]
        return item

    def start_bound_pods(self):
        """What the kubelets do."""
        with self.api.lock:
            for pod in list(self.api.objects.get(self.api.path_of("pods"), {}).values()):
                spec, status = pod.get("spec"), pod.get("status")
                if isinstance(spec, dict) and isinstance(status, dict) and spec.get("nodeName") and status.get("phase") == "Pending":
                    self.api.put("pods", {**pod, "status": {**status, "phase": "Running"}})

    def break_source(self):
        """Watches end, one with the word that its place in the history is too old."""
        self.api.cut("pods")
        with self.api.lock:
            self.api.send_event(self.api.path_of("nodes"), {"type": "ERROR", "object": {"code": 410, "reason": "Expired"}})
            self.api.cut("nodes")
