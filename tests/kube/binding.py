"""Gangs that are bound, in peace and in the middle of what goes wrong."""

from objects import node, pod, pod_group

PODS = "/api/v1/namespaces/default/pods"
SLOWLY = 120


class Binding:
    """For a test case in a cluster."""

    def test_a_gang_is_bound_together_with_what_is_noted_of_its_pods(self):
        self.put("nodes", node("n1", cpu="2"))
        self.put("podgroups", pod_group("train", 3))
        self.put("pods", pod("theirs", scheduler="default-scheduler"),
                 *(pod(f"t-{i}", group="train") for i in range(3)))
        self.start()
        self.wait_placed({"t-0": None, "t-1": None, "t-2": None, "theirs": None})
        self.assertEqual(self.bound(), {})
        self.put("nodes", node("n2", cpu="1"))
        self.until("all of it is bound", lambda: len(self.bound()) == 3)
        self.assertEqual(sorted(self.bound().values()), ["n1", "n1", "n2"])
        self.assertEqual(sorted(self.rank(f"t-{i}") for i in range(3)), ["0", "1", "2"])
        self.until("kwok runs them", lambda: [
            one["status"]["phase"] for one in self.items("pods")].count("Running") == 3)
        self.assertEqual(self.done("binding"), ["t-0", "t-1", "t-2"])

    def test_others_that_bind_and_delete_meanwhile(self):
        count = 120
        self.put("nodes", node("n1", cpu="100"), node("n2", cpu="100"))
        self.start()
        self.wait_placed({})
        wanted = set()
        for i in range(count):
            name = f"p-{i:03}"
            self.put("pods", pod(name))
            if i % 4 == 1:
                self.ask("POST", f"{PODS}/{name}/binding", {
                    "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
                    "target": {"kind": "Node", "name": "n2"}}, good=(201, 409))
            if i % 4 == 3:
                self.remove("pods", name)
            else:
                wanted.add(name)
        self.until("the others are bound", lambda: set(self.bound()) == wanted)
        self.until("nothing is open", self.nothing_open)
        done = self.done("binding")
        self.assertEqual(len(done), len(set(done)), "nothing is bound twice")

    def test_killed_in_the_middle_of_a_gang_it_goes_on_where_it_was(self):
        count = 300
        self.put("nodes", node("n1", cpu=str(count // 2)), node("n2", cpu=str(count // 2)))
        self.put("podgroups", pod_group("train", count))
        self.put("pods", *(pod(f"t-{i:03}", group="train") for i in range(count)))
        service = self.start()
        self.until("the first bind", lambda: self.done("binding"))
        service.process.kill()
        service.process.wait()
        self.assertLess(len(self.bound()), count, "it was killed too late")
        self.start()
        self.until("all of it is bound", lambda: len(self.bound()) == count)
        done = self.done("binding")
        # What was under way when it was killed may be missing in the log.
        self.assertEqual(len(done), len(set(done)), "nothing is bound twice")

    def test_an_api_server_that_crashes_while_pods_are_bound(self):
        count = 300
        self.put("nodes", node("n1", cpu=str(count)))
        self.put("podgroups", pod_group("train", count))
        self.put("pods", *(pod(f"t-{i:03}", group="train") for i in range(count)))
        self.start()
        self.until("the first bind", lambda: self.done("binding"))
        self.plane.kill_api()
        self.admin.close()
        self.assertLess(len(self.done("binding")), count, "it crashed too late")
        self.plane.restart_api()
        self.until("all of it is bound", lambda: len(self.bound()) == count, SLOWLY)
        self.until("the watch reports", self.nothing_open, SLOWLY)
        done = self.done("binding")
        self.assertEqual(len(done), len(set(done)), "nothing is bound twice")
