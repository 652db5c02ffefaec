"""Several services on one cluster: a leader and who stands by, and shards."""

import datetime
import json
import pathlib
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "serve"))
import deployed  # noqa: E402
from objects import node, pod, pod_group  # noqa: E402
from service import wait_for  # noqa: E402
from wall_clock import A_DAY, WallClock  # noqa: E402

ELECTOR = "elector"  # of dry runs that stand for election
POOL = "kai.scheduler/node-pool"
LEASES = f"/apis/coordination.k8s.io/v1/namespaces/{deployed.NAMESPACE}/leases"


def seconds_between(one, other):
    first, second = (datetime.datetime.fromisoformat(each) for each in (one, other))
    return (second - first).total_seconds()


def placed_by(service):
    """Where each pod is, or would be, as the last cycle says; None: nowhere."""
    status, _, text = service.fetch("/debug/decisions")
    if status != 200:
        return None
    return {one["name"]: one.get("node") for one in json.loads(text)["pods"]}


class Sharing:
    """For a test case in a cluster: several services on one."""

    def setUp(self):
        super().setUp()
        self.services = []
        self.grant(ELECTOR)
        self.ask("POST", f"{deployed.RBAC}/namespaces/{deployed.NAMESPACE}/rolebindings", {
            "metadata": {"name": ELECTOR}, "subjects": [{"kind": "User", "name": ELECTOR}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role",
                        "name": deployed.LEADER}}, good=(201, 409))
        self.ask("DELETE", LEASES)

    def tearDown(self):
        for service in self.services:
            service.__exit__()
        written = {(one["verb"], one["objectRef"]["resource"])
                   for one in self.plane.requests(ELECTOR)
                   if one["verb"] not in ("get", "list", "watch")}
        self.assertLessEqual(written, {("create", "leases"), ("update", "leases")})
        super().tearDown()

    def start_one(self, *arguments, user=ELECTOR, environment=None):
        mode = ("--dry-run", "--leader-elect") if user == ELECTOR else ("--leader-elect",)
        self.services.append(self.spawn(*mode, "--lease-namespace", deployed.NAMESPACE,
                                        "--kubeconfig", self.plane.kubeconfig(user), *arguments,
                                        environment=environment))
        return self.services[-1]

    @staticmethod
    def readiness(service):
        return service.fetch("/readyz", port=service.health_port)[::2]

    def let_lead(self, lease):
        """The right that deploy/overlays/shard has in place of the base's."""
        roles = f"{deployed.RBAC}/namespaces/{deployed.NAMESPACE}"
        self.ask("POST", f"{roles}/roles", {
            "metadata": {"name": lease}, "rules": [{
                "apiGroups": ["coordination.k8s.io"], "resources": ["leases"],
                "resourceNames": [lease], "verbs": ["get", "update"]}]}, good=(201, 409))
        self.ask("POST", f"{roles}/rolebindings", {
            "metadata": {"name": lease}, "subjects": [{"kind": "User", "name": ELECTOR}],
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": lease}},
            good=(201, 409))

    def leads(self, service):
        return self.readiness(service) == (200, "ok, leading\n")

    def holder(self, name="trellis"):
        return self.ask("GET", f"{LEASES}/{name}")["spec"]["holderIdentity"]

    def pair(self):
        """One that leads, and one that stands by."""
        self.put("nodes", node("n1"))
        leader = self.start_one()
        wait_for("it leads", lambda: self.leads(leader))
        standby = self.start_one()
        wanted = (200, f"ok, standing by, {self.holder()} leads\n")
        wait_for("the other stands by", lambda: self.readiness(standby) == wanted)
        self.assertIn("\ntrellis_leader 1\n", leader.fetch("/metrics")[2])
        self.assertIn("\ntrellis_leader 0\n", standby.fetch("/metrics")[2])
        return leader, standby

    def test_another_takes_over_from_a_leader_that_is_killed(self):
        leader, standby = self.pair()
        before = self.holder()
        begun = time.monotonic()
        leader.process.kill()
        wait_for("the other leads", lambda: self.leads(standby))
        seconds = time.monotonic() - begun
        self.assertLess(seconds, 17)
        # Not before the first one had to stop, had it lived.
        self.assertGreater(seconds, 10)
        self.assertNotEqual(self.holder(), before)
        self.assertEqual(self.ask("GET", f"{LEASES}/trellis")["spec"]["leaseTransitions"], 1)

    def test_another_takes_over_at_once_from_a_leader_that_is_asked_to_end(self):
        leader, standby = self.pair()
        begun = time.monotonic()
        leader.process.terminate()
        wait_for("the other leads", lambda: self.leads(standby))
        self.assertLess(time.monotonic() - begun, 3)
        self.assertEqual(leader.process.wait(10), 0)

    def test_a_leader_that_cannot_renew_leads_no_more_and_then_again(self):
        self.put("nodes", node("n1"))
        leader = self.start_one()
        wait_for("it leads", lambda: self.leads(leader))
        begun = time.monotonic()
        self.plane.freeze_api()
        try:
            wait_for("it leads no more", lambda: not self.leads(leader))
            self.assertLess(time.monotonic() - begun, 11)
        finally:
            self.plane.thaw_api()
        wait_for("it leads again", lambda: self.leads(leader))

    def test_a_gang_whose_leader_is_killed_in_its_middle_is_bound_by_the_other(self):
        count = 200
        self.put("nodes", node("n1", cpu=str(count // 2)), node("n2", cpu=str(count // 2)))
        leader = self.start_one(user=deployed.ACCOUNT)
        wait_for("it leads", lambda: self.leads(leader))
        standby = self.start_one(user=deployed.ACCOUNT)
        wait_for("the other stands by", lambda: self.readiness(standby)[1].startswith(
            "ok, standing by"))
        self.put("podgroups", pod_group("train", count))
        self.put("pods", *(pod(f"t-{i:03}", group="train") for i in range(count)))
        while not self.done("binding"):
            pass
        leader.process.kill()
        leader.process.wait()
        self.assertLess(len(self.bound()), count, "it was killed too late")
        wait_for("all of it is bound", lambda: len(self.bound()) == count)
        self.assertTrue(self.leads(standby))
        done = self.done("binding")
        self.assertEqual(len(done), len(set(done)), "nothing is bound twice")
        # What was under way when it was killed may be missing in the log.
        self.assertLessEqual(set(done), set(self.bound()))

    def test_a_leader_whose_wall_clock_jumps_in_the_middle_of_a_gang_binds_on(self):
        count = 150
        clock = WallClock(self.plane.folder)
        self.put("nodes", node("n1", cpu=str(3 * count)))
        leader = self.start_one(user=deployed.ACCOUNT, environment=clock.environment)
        wait_for("it leads", lambda: self.leads(leader))
        standby = self.start_one(user=deployed.ACCOUNT)
        wait_for("the other stands by", lambda: self.readiness(standby)[1].startswith(
            "ok, standing by"))

        def renewed():
            return self.ask("GET", f"{LEASES}/trellis")["spec"]["renewTime"]
        for number, jump in enumerate((A_DAY, -A_DAY, 0), 1):
            gang, bound, before = f"g-{number}", len(self.done("binding")), renewed()
            self.put("podgroups", pod_group(gang, count))
            self.put("pods", *(pod(f"{gang}-{i:03}", group=gang) for i in range(count)))
            while len(self.done("binding")) == bound:
                pass
            clock.set(jump)
            self.assertLess(len(self.bound()), number * count, "it jumped too late")
            wait_for("all of it is bound", lambda number=number: len(self.bound())
                     == number * count)
            wait_for("the lease is renewed by the new time", lambda before=before:
                     abs(seconds_between(before, renewed())) > A_DAY / 2)
            self.assertTrue(self.leads(leader))
        self.assertEqual(leader.events("no longer leading"), [])
        self.assertFalse(self.ask("GET", f"{LEASES}/trellis")["spec"].get("leaseTransitions"))
        done = self.done("binding")
        self.assertEqual(len(done), len(set(done)), "nothing is bound twice")

    def test_shards_side_by_side(self):
        for pool, name in (("east", "n1"), ("west", "n2"), (None, "n3")):
            one = node(name, cpu="2")
            if pool:
                one["metadata"]["labels"][POOL] = pool
            self.put("nodes", one)
        for pool, name in (("east", "e"), ("west", "w"), (None, "d")):
            one = pod(name, cpu="2")
            one["metadata"]["labels"] = {POOL: pool} if pool else {}
            self.put("pods", one)
        for pool in ("east", "west"):
            self.let_lead(f"trellis-{pool}")
        shards = {pool: self.start_one("--node-pool-label", f"{POOL}={pool}")
                  for pool in ("east", "west", "")}
        wanted = {"east": {"e": "n1"}, "west": {"w": "n2"}, "": {"d": "n3"}}
        for pool, service in shards.items():
            wait_for(f"{wanted[pool]}", lambda service=service, pool=pool:
                     placed_by(service) == wanted[pool])
            wait_for("it leads its shard", lambda service=service: self.leads(service))
        holders = {self.holder(name) for name in ("trellis", "trellis-east", "trellis-west")}
        self.assertEqual(len(holders), 3)
