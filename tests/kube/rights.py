"""What the account of deploy/ may do, and what was asked of the API server in its name."""

from deployed import NAMESPACE

FORBIDDEN = 403
FAILED = 400
# Since which minor version: an older API server takes no stand-in for its own group.
SINCE = {("scheduling.k8s.io", "compositepodgroups"): 37,
         ("resource.k8s.io", "devicetaintrules"): 37}
# No request asks for it: the API server checks it beside the request that it belongs to.
BESIDE = {("resource.k8s.io", "resourceclaims/binding", "patch")}
# Kinds of others that are read, and that no API server has of itself.
FOREIGN = (
    ("kueue.x-k8s.io", "v1beta2", "ResourceFlavor", "resourceflavors", "Cluster"),
    ("kueue.x-k8s.io", "v1beta2", "ClusterQueue", "clusterqueues", "Cluster"),
    ("kueue.x-k8s.io", "v1beta2", "LocalQueue", "localqueues", "Namespaced"),
    ("kueue.x-k8s.io", "v1beta2", "Cohort", "cohorts", "Cluster"),
    ("kueue.x-k8s.io", "v1beta2", "WorkloadPriorityClass", "workloadpriorityclasses", "Cluster"),
    ("kueue.x-k8s.io", "v1beta2", "AdmissionCheck", "admissionchecks", "Cluster"),
    ("kueue.x-k8s.io", "v1beta2", "Workload", "workloads", "Namespaced"),
    ("autoscaling.x-k8s.io", "v1", "ProvisioningRequest", "provisioningrequests", "Namespaced"),
    ("jobset.x-k8s.io", "v1alpha2", "JobSet", "jobsets", "Namespaced"),
    ("leaderworkerset.x-k8s.io", "v1", "LeaderWorkerSet", "leaderworkersets", "Namespaced"),
    ("kubeflow.org", "v1", "PyTorchJob", "pytorchjobs", "Namespaced"),
    ("kubeflow.org", "v1", "TFJob", "tfjobs", "Namespaced"),
    ("kubeflow.org", "v1", "XGBoostJob", "xgboostjobs", "Namespaced"),
    ("kubeflow.org", "v1", "PaddleJob", "paddlejobs", "Namespaced"),
    ("kubeflow.org", "v1", "JAXJob", "jaxjobs", "Namespaced"),
    ("kubeflow.org", "v2beta1", "MPIJob", "mpijobs", "Namespaced"),
    ("trainer.kubeflow.org", "v1alpha1", "TrainJob", "trainjobs", "Namespaced"),
    ("trainer.kubeflow.org", "v1alpha1", "TrainingRuntime", "trainingruntimes", "Namespaced"),
    ("trainer.kubeflow.org", "v1alpha1", "ClusterTrainingRuntime", "clustertrainingruntimes",
     "Cluster"),
    ("ray.io", "v1", "RayCluster", "rayclusters", "Namespaced"),
    ("ray.io", "v1", "RayJob", "rayjobs", "Namespaced"),
    ("ray.io", "v1", "RayService", "rayservices", "Namespaced"),
    ("topology.node.k8s.io", "v1alpha2", "NodeResourceTopology", "noderesourcetopologies",
     "Cluster"))


def stand_in(group, version, kind, plural, scope):
    """A CRD that checks nothing, of a kind that others ship."""
    anything = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": {"name": f"{plural}.{group}", "annotations": {
                "api-approved.kubernetes.io": "unapproved, a stand-in for tests"}},
            "spec": {"group": group, "scope": scope,
                     "names": {"kind": kind, "listKind": kind + "List", "plural": plural,
                               "singular": kind.lower()},
                     "versions": [{"name": version, "served": True, "storage": True,
                                   "subresources": {"status": {}},
                                   "schema": {"openAPIV3Schema": anything}}]}}


def grants(kubectl):
    """(namespace, group, resource, verb); "": in every namespace."""
    found = set()
    for binding in kubectl.json("get", "clusterrolebindings,rolebindings", "-A")["items"]:
        if not any(one["kind"] == "ServiceAccount" and one["name"] == "trellis"
                   and one["namespace"] == NAMESPACE for one in binding.get("subjects", [])):
            continue
        namespace = binding["metadata"].get("namespace", "")
        role = binding["roleRef"]
        where = ["-n", namespace] if namespace else []
        for rule in kubectl.json("get", role["kind"], role["name"], *where)["rules"]:
            found |= {(namespace, group, resource, verb) for group in rule["apiGroups"]
                      for resource in rule["resources"] for verb in rule["verbs"]}
    return found


def asked(requests):
    """The codes of the answers, by (namespace, group, resource, verb)."""
    codes = {}
    for one in requests:
        about = one.get("objectRef", {})
        if "resource" not in about:
            continue  # what the server has: everybody who is known may ask
        resource = about["resource"]
        if "subresource" in about:
            resource += "/" + about["subresource"]
        key = (about.get("namespace", ""), about.get("apiGroup", ""), resource, one["verb"])
        codes.setdefault(key, set()).add(one["responseStatus"]["code"])
    return codes


def unused(granted, codes, minor):
    """What is granted and was never asked for with success, of what Kubernetes 1.`minor` has."""
    done = {key for key, answers in codes.items() if min(answers) < FAILED}
    done |= {("", *key[1:]) for key in done}
    return [describe(key) for key in sorted(granted - done)
            if SINCE.get(key[1:3], 0) <= minor and key[1:] not in BESIDE]


def refused(codes):
    """What was never allowed; an API server that has just begun may refuse what it allows later."""
    return [describe(key) for key, answers in sorted(codes.items())
            if FORBIDDEN in answers and min(answers) >= FAILED]


def describe(key):
    namespace, group, resource, verb = key
    name = f"{resource}.{group}" if group else resource
    return f"{verb} {name}" + (f" in {namespace}" if namespace else "")
