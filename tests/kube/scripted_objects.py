"""Objects for a scripted API server."""


def node(name, cpu="4"):
    return {"metadata": {"name": name},
            "status": {"allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "10"}}}


def pod(name, cpu="1", scheduler="trellis", on=None, group=None, phase=None):
    spec = {"schedulerName": scheduler,
            "containers": [{"name": "c", "resources": {"requests": {"cpu": cpu}}}]}
    if on:
        spec["nodeName"] = on
    metadata = {"namespace": "default", "name": name}
    if group:
        metadata["annotations"] = {"pod-group-name": group}
    return {"metadata": metadata, "spec": spec,
            "status": {"phase": phase or ("Running" if on else "Pending")}}


def pod_group(name, least):
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
            "metadata": {"namespace": "default", "name": name}, "spec": {"minMember": least}}
