"""Nodes, pods and PodGroups of a few words."""

RACK = "example.com/rack"


def node(name, cpu="4", rack="r1", **more):
    amounts = {"cpu": cpu, "memory": "8Gi", "pods": "1000", **more}
    return {"metadata": {"name": name, "labels": {RACK: rack, "kubernetes.io/hostname": name}},
            "status": {"allocatable": amounts, "capacity": amounts}}


def pod(name, cpu="1", scheduler="trellis", group=None):
    return {"metadata": {"name": name, "annotations": {"pod-group-name": group} if group else {}},
            "spec": {"schedulerName": scheduler, "containers": [
                {"name": "c", "image": "c", "resources": {"requests": {"cpu": cpu}}}]}}


def pod_group(name, least, **spec):
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
            "metadata": {"name": name}, "spec": {"minMember": least, **spec}}


def hall():
    """A topology of racks."""
    return {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "Topology",
            "metadata": {"name": "hall"},
            "spec": {"levels": [{"nodeLabel": RACK}, {"nodeLabel": "kubernetes.io/hostname"}]}}


def condition(one, kind):
    """That of an object's status; {}: none."""
    return next((each for each in one.get("status", {}).get("conditions", [])
                 if each["type"] == kind), {})
