"""A dry run whose every request goes through a proxy of the test's own."""

import random
import time

from objects import node, pod, pod_group
from proxy import Fault, Proxy
from wall_clock import A_DAY, WallClock

USER = "trellis"
CHURN_SECONDS = 10
SLOW_BYTES_A_SECOND = 20_000


def lists(method, path):
    return method == "GET" and "watch=" not in path and "limit=" in path


class BehindAProxy:
    """For a test case beside a cluster."""

    def setUp(self):
        super().setUp()
        self.proxy = Proxy(self.plane, USER)

    def tearDown(self):
        self.proxy.__exit__()
        super().tearDown()

    def start_behind(self, **options):
        return self.start(kubeconfig=self.proxy.kubeconfig(), **options)

    def test_watches_that_are_cut_while_objects_come_and_go_miss_nothing(self):
        chance = random.Random(1)
        self.put("nodes", node("n1", cpu="500"))
        self.start_behind()
        self.wait_placed({})
        alive, number = [], 0
        end = time.monotonic() + CHURN_SECONDS
        while time.monotonic() < end:
            number += 1
            name = f"p-{number}"
            self.put("podgroups", pod_group(name, 2))
            self.put("pods", pod(f"{name}-0", group=name), pod(f"{name}-1", group=name))
            alive.append(name)
            if len(alive) > 20:
                gone = alive.pop(chance.randrange(len(alive)))
                self.remove("pods", f"{gone}-0")
                self.remove("pods", f"{gone}-1")
                self.remove("podgroups", gone)
            if chance.random() < 0.1:
                self.proxy.cut()
        self.assertGreater(self.figure("failures_total", "pods"), 0)
        self.wait_placed({f"{name}-{i}": "n1" for name in alive for i in (0, 1)}, 120)

    def test_a_slow_api_server_makes_no_other_wait(self):
        self.put("nodes", node("n1", cpu="200"))
        self.put("pods", *(pod(f"p-{i}") for i in range(100)))
        self.proxy.add(Fault(lists, delay=2))
        self.proxy.slow = SLOW_BYTES_A_SECOND
        begun = time.monotonic()
        service = self.start_behind()
        while service.fetch("/readyz")[0] != 200:
            asked = time.monotonic()
            self.assertEqual(service.fetch("/healthz")[0], 200)
            self.assertEqual(service.fetch("/metrics")[0], 200)
            self.assertLess(time.monotonic() - asked, 1)
            self.assertLess(time.monotonic() - begun, 120)
            time.sleep(0.1)
        self.assertGreater(time.monotonic() - begun, 2)
        self.wait_placed({f"p-{i}": "n1" for i in range(100)})
        self.assertEqual(self.figure("failures_total", "pods"), 0)

    def test_a_server_with_too_much_to_do_is_asked_again(self):
        busy = self.proxy.add(Fault(lists, answer=(429, {"Retry-After": "1"}), times=5))
        broken = self.proxy.add(Fault(lambda method, path: "watch=" in path, answer=(500, {}),
                                      times=5))
        self.put("nodes", node("n1"))
        self.put("pods", pod("a"))
        self.start_behind()
        self.wait_placed({"a": "n1"}, 120)
        self.put("pods", pod("b"))
        self.wait_placed({"a": "n1", "b": "n1"}, 120)
        self.assertEqual((busy.count, broken.count), (5, 5))

    def test_a_wall_clock_that_jumps_stops_nothing(self):
        clock = WallClock(self.plane.folder)
        self.put("nodes", node("n1"))
        service = self.start_behind(environment=clock.environment)
        wanted = {}
        before = service.json("/debug/session")["now"] if self.placed() is not None else ""
        for jump in (A_DAY, -A_DAY, 0):
            clock.set(jump)
            name = f"p{jump}"
            self.put("pods", pod(name))
            wanted[name] = "n1"
            self.wait_placed(wanted)
            now = service.json("/debug/session")["now"]
            self.assertNotEqual(before[:10], now[:10], "the clock jumped, for the program too")
            before = now
            self.assertEqual(service.fetch("/healthz")[0], 200)
            self.assertEqual(self.figure("failures_total", "pods"), 0)
