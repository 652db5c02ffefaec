"""Objects of many kinds whose templates hold what a snapshot must not contain: s3cret."""

GIVEN = {"containers": [{"name": "c", "image": "i", "command": ["s3cret"],
                         "env": [{"name": "TOKEN", "value": "s3cret"}],
                         "resources": {"requests": {"cpu": "1"}}}],
         "imagePullSecrets": [{"name": "s3cret"}]}
TEMPLATE = {"metadata": {"labels": {"env": "prod"}, "annotations": {
    "kubectl.kubernetes.io/last-applied-configuration": "s3cret"}}, "spec": GIVEN}


def owner(api_version, kind, spec):
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": kind.lower()},
            "spec": spec}


OWNERS = (
    owner("batch/v1", "Job", {"parallelism": 2, "completions": 2, "template": TEMPLATE}),
    owner("apps/v1", "Deployment", {"replicas": 1, "template": TEMPLATE}),
    owner("jobset.x-k8s.io/v1alpha2", "JobSet", {"replicatedJobs": [{
        "name": "a", "replicas": 1, "template": {"spec": {"template": TEMPLATE}}}]}),
    owner("example.com/v1", "Unknown", {"deep": [[{"template": TEMPLATE}]]}))


def pod_of(one):
    reference = {"apiVersion": one["apiVersion"], "kind": one["kind"], "controller": True,
                 "name": one["metadata"]["name"], "uid": "u"}
    return {"apiVersion": "v1", "kind": "Pod", "spec": GIVEN, "metadata": {
        "name": "of-" + reference["name"], "namespace": "default", "ownerReferences": [reference]}}


def objects_with_secrets():
    """Owners, and pods of them: an owner without any is not kept."""
    return [*OWNERS, *(pod_of(one) for one in OWNERS if one["kind"] != "Job")]
