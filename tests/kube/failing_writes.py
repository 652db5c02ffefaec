"""Binds and evictions whose answers are refusals, or lost, while gangs are bound."""

import random

from objects import node, pod, pod_group
from proxy import Fault, Proxy

SLOWLY = 120
CLASSES = "/apis/scheduling.k8s.io/v1/priorityclasses"


def writes(what):
    return lambda method, path: method == "POST" and path.endswith("/" + what)


def reads_a_pod(method, path):
    return method == "GET" and "/namespaces/default/pods/" in path


def some(hits, seed):
    """One in three of them."""
    chance = random.Random(seed)
    return lambda method, path: hits(method, path) and chance.randrange(3) == 0


class FailingWrites:
    """For a test case in a cluster: all requests go through a proxy."""

    WRITER = None

    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.plane, self.WRITER)

    def tearDown(self):
        self.proxy.__exit__()
        super().tearDown()

    def start_behind(self, *arguments):
        return self.start(*arguments, kubeconfig=self.proxy.kubeconfig())

    def put_gangs(self, count, size):
        for gang in range(count):
            self.put("podgroups", pod_group(f"g-{gang}", size))
            self.put("pods", *(pod(f"g-{gang}-{i:02}", group=f"g-{gang}") for i in range(size)))

    def whole_gangs(self, size):
        """How many are bound whole; none may be bound in part."""
        bound = {}
        for name in self.bound():
            gang = name.rsplit("-", 1)[0]
            bound[gang] = bound.get(gang, 0) + 1
        return len(bound) if set(bound.values()) <= {size} else None

    def assert_nothing_twice(self, what):
        done = self.done(what)
        self.assertEqual(len(done), len(set(done)))
        return done

    def check_gangs(self, *faults, cuts=0):
        """Of twelve gangs of ten, nine find room; before that watches are cut `cuts` times."""
        for fault in faults:
            self.proxy.add(fault)
        self.put("nodes", node("n1", cpu="50"), node("n2", cpu="45"))
        self.put_gangs(12, 10)
        self.start_behind()
        for _ in range(cuts):
            bound = len(self.done("binding"))
            self.until("binds go on", lambda bound=bound: len(self.done("binding")) > bound)
            self.proxy.cut()
        self.until("nine gangs are bound", lambda: self.whole_gangs(10) == 9, SLOWLY)
        self.until("nothing is open", self.nothing_open, SLOWLY)
        for fault in faults:
            self.assertEqual(fault.count, fault.times, "it came to nothing")
        self.assertEqual(self.whole_gangs(10), 9)
        self.assertEqual(self.assert_nothing_twice("binding"), sorted(self.bound()))
        self.assertEqual(self.done("eviction"), [])

    def test_conflicts_that_are_none(self):
        self.check_gangs(Fault(some(writes("binding"), 1), answer=(409, {}), times=20))

    def test_a_server_with_too_much_to_do_takes_binds_later(self):
        self.check_gangs(Fault(some(writes("binding"), 2), answer=(429, {"Retry-After": "1"}),
                               times=20))

    def test_answers_that_are_lost(self):
        self.check_gangs(Fault(some(writes("binding"), 3), lost=True, times=20))

    def test_all_of_it_at_once_with_watches_cut(self):
        self.check_gangs(Fault(some(writes("binding"), 4), answer=(409, {}), times=15),
                         Fault(some(writes("binding"), 5), answer=(503, {}), times=15),
                         Fault(some(writes("binding"), 6), lost=True, times=15),
                         Fault(reads_a_pod, answer=(429, {"Retry-After": "1"}), times=5),
                         Fault(reads_a_pod, lost=True, times=5), cuts=2)

    def test_evictions_whose_answers_are_lost_are_not_made_again(self):
        for name, value in (("low", 10), ("high", 50)):
            self.ask("POST", CLASSES, {"metadata": {"name": name}, "value": value}, (201, 409))
        self.put("nodes", node("n1", cpu="8"))
        low = [pod(f"low-{i}", cpu="2") for i in range(4)]
        for one in low:
            one["spec"]["priorityClassName"] = "low"
        self.put("pods", *low)
        self.start_behind()
        self.until("they run", lambda: [
            one["status"]["phase"] for one in self.items("pods")] == ["Running"] * 4)
        lost = self.proxy.add(Fault(writes("eviction"), lost=True, times=1))
        busy = self.proxy.add(Fault(writes("eviction"), answer=(429, {}), times=1))
        self.put("podgroups", pod_group("train", 2, priorityClassName="high"))
        high = [pod(f"t-{i}", cpu="2", group="train") for i in range(2)]
        for one in high:
            one["spec"]["priorityClassName"] = "high"
        self.put("pods", *high)
        self.until("the gang is bound", lambda: {"t-0", "t-1"} <= set(self.bound()))
        self.assertEqual((lost.count, busy.count), (1, 1))
        self.assertEqual(len(self.bound()), 4)
        self.assertEqual(len(self.assert_nothing_twice("eviction")), 2)
