"""deploy/ on a real API server, as kubectl and Helm apply it."""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import yaml

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))
from service import wait_for  # noqa: E402

BASE = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "base"
COMPONENTS = BASE.parent / "components"
CHART = BASE.parent / "chart"
CONFIGURATION = "trellis-configuration"
NAMESPACE = "trellis-system"
ACCOUNT = f"system:serviceaccount:{NAMESPACE}:trellis"
# Rights that only some clusters need, and that tests have a use for.
NEEDED = ("kueue", "create-pod-groups")
READER, WRITER, LEADER = "trellis-reader", "trellis-writer", "trellis-leader"
RBAC = "/apis/rbac.authorization.k8s.io/v1"
SHIPPED = ("podgroups.scheduling.run.ai", "queues.scheduling.run.ai", "topologies.kai.scheduler")
HOSTNAME = "kubernetes.io/hostname"
ZONE = "trellis.scheduler/numa-zone"
RACK = "example.com/rack"


@contextlib.contextmanager
def kustomized(*components):
    """A folder of the base and these components of it."""
    with tempfile.TemporaryDirectory(prefix="trellis-kube-") as folder:
        def seen(path):  # kustomize takes no absolute path
            return os.path.relpath(path, os.path.realpath(folder))
        pathlib.Path(folder, "kustomization.yaml").write_text(json.dumps({
            "resources": [seen(BASE)],
            "components": [seen(COMPONENTS / one) for one in components]}), encoding="utf-8")
        yield folder


class Kubectl:
    """As the administrator of a control plane."""

    def __init__(self, plane):
        self.command = [str(plane.bin / "kubectl"), "--kubeconfig", plane.kubeconfig("admin")]

    def __call__(self, *arguments, ok=True, given=None):
        """What it says; where `ok` is false, what it complains of, which it must."""
        done = subprocess.run([*self.command, *map(str, arguments)], check=False, input=given,
                              capture_output=True, text=True, timeout=120)
        if (done.returncode == 0) != ok:
            raise AssertionError(f"kubectl {arguments}: {done.stdout}{done.stderr}")
        return done.stdout if ok else done.stderr

    def json(self, *arguments):
        return json.loads(self(*arguments, "-o", "json"))

    def deploy(self):
        self("apply", "-k", BASE)
        self.apply_writer()
        self("wait", "--for=condition=Established", "--timeout=60s",
             *("crd/" + name for name in SHIPPED))
        # A CRD that is deleted before it is served is only tried again minutes later.
        for name in SHIPPED:
            wait_for(f"{name} are served", lambda name=name: subprocess.run(
                [*self.command, "get", name, "-A"], check=False, capture_output=True,
                timeout=120).returncode == 0)

    def apply_writer(self, *components):
        """The account's right to write, alone, as the base with what tests need has it."""
        with kustomized(*NEEDED, *components) as folder:
            parts = self("kustomize", folder).split("\n---\n")
        self("apply", "-f", "-", given=next(
            one for one in parts if "\nkind: ClusterRole\n" in one and f"\n  name: {WRITER}\n" in one))

    def delete_crds(self):
        self("delete", "crd", "--ignore-not-found", *SHIPPED)


def objects_in(text):
    return [one for one in yaml.safe_load_all(text) if one]


def as_chart(objects):
    """By kind and name, without what Helm and Kustomize do in their own ways: Helm makes the
    namespace, and another configuration has another name with Kustomize, another annotation here."""
    found = {}
    for one in objects:
        metadata = one["metadata"]
        if one["kind"] in ("CustomResourceDefinition", "ServiceMonitor"):
            metadata.pop("labels", None)
        if one["kind"] == "ConfigMap":
            metadata["name"] = CONFIGURATION
            one["data"]["trellis.yaml"] = yaml.safe_load(one["data"]["trellis.yaml"])
        if one["kind"] == "Deployment":
            template = one["spec"]["template"]
            template["metadata"].pop("annotations", None)
            template["spec"]["volumes"][0]["configMap"]["name"] = CONFIGURATION
        if one["kind"] != "Namespace":
            found[one["kind"], metadata["name"]] = one
    return found


def pod_group(**spec):
    return {"apiVersion": "scheduling.run.ai/v2alpha2", "kind": "PodGroup",
            "metadata": {"name": "one", "namespace": "default"}, "spec": spec}


def queue(**spec):
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": "one"},
            "spec": spec}


def topology(*levels):
    return {"apiVersion": "kai.scheduler/v1alpha1", "kind": "Topology", "metadata": {"name": "one"},
            "spec": {"levels": [{"nodeLabel": one} if isinstance(one, str) else one
                                for one in levels]}}


class Deployed(unittest.TestCase):
    """Without a scheduler: what an administrator sees."""

    kubectl = None

    def setUp(self):
        self.kubectl.delete_crds()
        self.kubectl.deploy()

    def tearDown(self):
        self.kubectl.delete_crds()

    def apply(self, one, ok=True):
        """With kubectl's own checks: no field that the CRD does not know."""
        return self.kubectl("apply", "-f", "-", given=json.dumps(one), ok=ok)

    def test_it_can_be_applied_again_and_its_pods_may_run(self):
        self.kubectl("apply", "-k", BASE)
        self.addCleanup(self.kubectl.apply_writer)
        deployment = self.kubectl.json("get", "deployment", "trellis", "-n", NAMESPACE)
        self.assertEqual(deployment["spec"]["replicas"], 2)
        template = deployment["spec"]["template"]
        self.assertTrue(template["spec"]["containers"][0]["securityContext"][
            "readOnlyRootFilesystem"])
        rules = self.kubectl.json("get", "clusterrole", WRITER)["rules"]
        self.assertNotIn("delete", [verb for rule in rules for verb in rule["verbs"]])
        self.assertEqual({group for rule in rules for group in rule["apiGroups"]},
                         {"", "events.k8s.io", "resource.k8s.io", "scheduling.k8s.io",
                          "scheduling.run.ai"}, "more is in components/")
        # Its namespace takes pods of the restricted kind alone.
        one = {"apiVersion": "v1", "kind": "Pod", "spec": template["spec"],
               "metadata": {"name": "one", "namespace": NAMESPACE}}
        self.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(one))
        one["spec"]["containers"][0]["securityContext"]["allowPrivilegeEscalation"] = True
        self.assertIn("violates PodSecurity", self.kubectl(
            "create", "--dry-run=server", "-f", "-", given=json.dumps(one), ok=False))

    def test_every_overlay_can_be_applied(self):
        for overlay in sorted((BASE.parent / "overlays").iterdir()):
            with self.subTest(overlay.name):
                self.kubectl("apply", "--dry-run=server", "-k", overlay)
        for component in sorted(COMPONENTS.iterdir()):
            if component.name == "service-monitor":
                continue  # its CRD is another's
            with self.subTest(component.name), kustomized(component.name) as folder:
                self.kubectl("apply", "--dry-run=server", "-k", folder)

    def chart(self, *arguments):
        """What helm makes of the chart."""
        return self.helm("template", "trellis", CHART, "--namespace", NAMESPACE, *arguments)

    def helm(self, *arguments):
        kubeconfig = self.kubectl.command[-1]
        done = subprocess.run([pathlib.Path(self.kubectl.command[0]).parent / "helm",
                               "--kubeconfig", kubeconfig, *arguments], check=False,
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_the_chart_is_the_base(self):
        for components in ([], ["kueue", "create-pod-groups", "service-monitor"],
                           ["before-1-35", "delete-evicted", "gpu-fraction-binder"]):
            with self.subTest(components), kustomized(*components) as folder:
                wanted = as_chart(objects_in(self.kubectl("kustomize", folder)))
                chosen = f"components={json.dumps(components)}"
                made = as_chart(objects_in(self.chart("--include-crds", "--set-json", chosen)))
                self.assertEqual(wanted.keys(), made.keys())
                for name, one in wanted.items():
                    self.assertEqual(one, made[name], name)
        beside = ["--set", "dryRunBeside=default-scheduler"]
        wanted = as_chart(objects_in(self.kubectl("kustomize", BASE.parent / "overlays/dry-run")))
        self.assertEqual(wanted, as_chart(objects_in(self.chart(*beside))))

    def test_the_chart_is_installed_changed_and_removed(self):
        # Kustomize's objects become those of the release.
        release = ["trellis", CHART, "--namespace", NAMESPACE]
        self.helm("lint", CHART)
        self.helm("install", *release, "--skip-crds", "--take-ownership")
        self.addCleanup(self.kubectl.deploy)
        self.addCleanup(self.helm, "uninstall", "trellis", "--namespace", NAMESPACE)
        self.helm("upgrade", *release, "--set", "image=example.com/trellis:1,replicas=3",
                  "--set", "configuration.period=2s", "--set", "arguments={--log-level=debug}")
        deployment = self.kubectl.json("get", "deployment", "trellis", "-n", NAMESPACE)
        self.assertEqual(deployment["spec"]["replicas"], 3)
        [container] = deployment["spec"]["template"]["spec"]["containers"]
        self.assertEqual(container["image"], "example.com/trellis:1")
        self.assertEqual(container["args"][-1], "--log-level=debug")
        configuration = self.kubectl.json("get", "configmap", "trellis-configuration", "-n",
                                          NAMESPACE)["data"]["trellis.yaml"]
        self.assertEqual(yaml.safe_load(configuration),
                         {"period": "2s", "schedulerNames": ["trellis"]})

    def test_what_is_right_is_taken_whole(self):
        for one in (
                pod_group(minMember=3, minSubGroup=1, queue="research", preemptionDelay="1m30s",
                          preemptibility="non-preemptible", stalenessGracePeriod="-1s",
                          priorityClassName="train",
                          topologyConstraint={"topology": "hall", "requiredTopologyLevel": RACK,
                                              "preferredTopologyLevel": "rack"},
                          subGroups=[{"name": "all"},
                                     {"name": "some", "parent": "all", "minMember": 0,
                                      "topologyConstraint": {"requiredTopologyLevel": RACK}}]),
                queue(displayName="Research", parentQueue="all", priority=3,
                      preemptMinRuntime="1.5h", reclaimMinRuntime="10s", resources={
                          "gpu": {"quota": 2.5, "limit": -1, "overQuotaWeight": 0},
                          "cpu": {"quota": -1}, "memory": {"limit": 0}}),
                topology({"nodeLabel": RACK, "alias": "rack"}, HOSTNAME, ZONE)):
            with self.subTest(one["kind"]):
                self.apply(one)
                # Kubernetes itself has a kind of the name PodGroup.
                group, _, version = one["apiVersion"].partition("/")
                kind = f"{one['kind']}.{version}.{group}"
                self.assertEqual(one["spec"], self.kubectl.json("get", kind, "one")["spec"])

    def test_what_is_wrong_is_refused_with_a_reason(self):
        # Some are reported by kubectl, if it has seen the CRD's schema in time, else by the server.
        for one, complaint in (
                (pod_group(minMember=0), "should be greater than or equal to 1"),
                (pod_group(minMember="three"), 'type integer|expected "integer"'),
                (pod_group(minMembers=2), r'unknown field "(spec\.)?minMembers"'),
                (pod_group(preemptibility="never"), "supported values"),
                (pod_group(preemptionDelay="soon"), "should match"),
                (pod_group(subGroups=[{"name": "a"}, {"name": "a"}]), "Duplicate"),
                (queue(resources={"gpu": {"quota": -2}}), "-1 for no bound"),
                (queue(resources={"gpus": {"quota": 1}}), r'unknown field ".*gpus"'),
                (queue(reclaimMinRuntime="90"), "should match"),
                (topology(), "at least 1 items"),
                (topology(RACK, RACK), "Duplicate"),
                (topology(HOSTNAME, RACK), "stands last"),
                (topology(RACK, ZONE), "right below kubernetes.io/hostname"),
                (topology("a rack"), "should match"),
                (topology(*(f"l{i}" for i in range(17))), "at most 16 items")):
            with self.subTest(complaint):
                self.assertRegex(self.apply(one, ok=False), complaint)
