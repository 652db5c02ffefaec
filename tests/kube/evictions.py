"""Pods that have to leave for others: who, in which way, and that nobody else does."""

from objects import node, pod, pod_group

CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"
BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"


def queue(name, cpu):
    open_ended = {"quota": -1, "limit": -1}
    return {"apiVersion": "scheduling.run.ai/v2", "kind": "Queue", "metadata": {"name": name},
            "spec": {"resources": {"cpu": {"quota": cpu, "limit": -1, "overQuotaWeight": 1},
                                   "memory": open_ended, "gpu": open_ended}}}


class Evictions:
    """For a test case in a cluster."""

    def setUp(self):
        super().setUp()
        for name, value in (("low", 10), ("high", 50)):
            self.ask("POST", CLASSES, {"metadata": {"name": name}, "value": value}, (201, 409))
        self.ask("DELETE", BUDGETS)

    def prioritised(self, name, priority, cpu="2", group=None):
        one = pod(name, cpu=cpu, group=group)
        one["spec"]["priorityClassName"] = priority
        one["metadata"]["labels"] = {"priority": priority}
        return one

    def why(self, gang):
        """The codes of all reasons of a gang."""
        gangs = self.service.json("/debug/decisions")["gangs"]
        found = next((one for one in gangs if one["name"] == gang), {})
        return [code for reason in found.get("reasons", [])
                for code in (reason["code"], *(each["code"] for each in reason["details"].get(
                    "verdicts", [])))]

    def put_train(self):
        """A gang of two for whom others must leave."""
        self.put("podgroups", pod_group("train", 2, priorityClassName="high"))
        self.put("pods", *(self.prioritised(f"t-{i}", "high", group="train") for i in range(2)))

    def test_pods_that_make_room_are_evicted_and_the_gang_is_bound_once_they_are_gone(self):
        self.put("nodes", node("n1"), node("n2", cpu="1"))
        self.put("pods", *(self.prioritised(f"low-{i}", "low") for i in range(2)),
                 self.prioritised("apart", "low", cpu="1"))
        self.start()
        self.until("they run", lambda: len(self.bound()) == 3)
        self.put_train()
        self.until("the gang is bound", lambda: self.bound() == {
            "t-0": "n1", "t-1": "n1", "apart": "n2"})
        self.assertEqual(self.done("eviction"), ["low-0", "low-1"])

    def test_a_queue_gives_back_what_it_holds_above_its_share(self):
        self.install("queues")
        self.put("queues", queue("left", 2), queue("right", 2))
        self.put("nodes", node("n1"))
        for i in range(4):
            self.put("podgroups", pod_group(f"l-{i}", 1, queue="left"))
            self.put("pods", pod(f"l-{i}", group=f"l-{i}"))
        self.start()
        self.until("one queue holds all", lambda: len(self.bound()) == 4)
        self.put("podgroups", pod_group("r", 2, queue="right"), pod_group("more", 1, queue="right"))
        self.put("pods", *(pod(f"r-{i}", group="r") for i in range(2)))
        self.until("the other has its share", lambda: {"r-0", "r-1"} <= set(self.bound()))
        self.put("pods", pod("more", group="more"))
        self.until("it is known why it has no more", lambda: "QueueOverFairShare"
                   in self.why("more"))
        self.assertEqual(len(self.bound()), 4)
        gone = {f"l-{i}" for i in range(4)} - set(self.bound())
        self.assertEqual(self.done("eviction"), sorted(gone))
        self.until("both say what they hold", lambda: [
            one.get("status", {}).get("allocated", {}).get("cpu") for one in self.items("queues")
        ] == ["2", "2"])

    def test_a_budget_holds_them_until_it_goes(self):
        self.put("nodes", node("n1"))
        self.put("pods", *(self.prioritised(f"low-{i}", "low") for i in range(2)))
        self.start()
        self.until("they run", lambda: [
            one["status"]["phase"] for one in self.items("pods")] == ["Running"] * 2)
        self.ask("POST", BUDGETS, {"metadata": {"name": "all"}, "spec": {
            "maxUnavailable": 0, "selector": {"matchLabels": {"priority": "low"}}}})
        self.put_train()
        self.until("it is known why it waits", lambda: "DisruptionBudgetBlocks"
                   in self.why("train"))
        self.assertEqual(set(self.bound()), {"low-0", "low-1"})
        self.assertEqual(self.done("eviction"), [])
        self.ask("DELETE", BUDGETS)
        self.until("the gang is bound", lambda: set(self.bound()) == {"t-0", "t-1"})
        self.assertEqual(self.done("eviction"), ["low-0", "low-1"])

    def test_they_are_deleted_where_that_is_asked_for(self):
        self.put("nodes", node("n1"))
        self.put("pods", *(self.prioritised(f"low-{i}", "low") for i in range(2)))
        self.kubectl.apply_writer("delete-evicted")
        self.addCleanup(self.kubectl.apply_writer)
        self.start("--delete-evicted")
        self.until("they run", lambda: len(self.bound()) == 2)
        self.put_train()
        self.until("the gang is bound", lambda: set(self.bound()) == {"t-0", "t-1"})
        self.assertEqual(sorted(one["objectRef"]["name"] for one in self.requests()
                                if one["verb"] == "delete"
                                and one["responseStatus"]["code"] == 200), ["low-0", "low-1"])
        self.assertEqual(self.done("eviction"), [])
