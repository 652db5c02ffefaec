"""Steps about what operators look at: who waits, what fits, searches, colours, a gang's nodes, history."""

import json

from selenium.webdriver.common.keys import Keys

from browser import Failure, Server, wait_for

MANY = 700  # gangs: more than the page shows
LONG = "eu-west-1.compute.internal"


def check(condition, text):
    if not condition:
        raise Failure(text)


def node(name, labels=None, gpus=0):
    allocatable = {"cpu": "8000", "memory": "64Gi", "pods": "10000"} | ({"nvidia.com/gpu": str(gpus)} if gpus else {})
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels or {}},
            "status": {"allocatable": allocatable, "conditions": [{"type": "Ready", "status": "True"}]}}


def pod(name, cpu="1", **status):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"namespace": "team", "name": name},
            "spec": {"containers": [{"name": "main", "resources": {"requests": {"cpu": cpu}}}]}, "status": status}


class ViewSteps:
    """Steps of run.py's Steps."""

    # A server over other objects, with the page at `place`.
    def with_objects(self, name, objects, place, look):
        folder = self.inputs.parent / name
        folder.mkdir()
        (folder / "objects.jsonl").write_text("".join(json.dumps(one) + "\n" for one in objects), encoding="utf-8")
        server = Server(self.server.binary, [folder]).start()
        try:
            self.browser.open(server.url + place)
            look(folder)
        finally:
            self.browser.close_page()
            server.stop()

    def step_first_what_an_operator_needs(self):
        self.open()
        self.browser.expect("#largest", "Largest gang that fits now", "in one rack", "72 GPUs", "18 pods")
        self.browser.expect("#longest", "Waits longest", "research/oversized", "takes 20 pods")
        waits = self.browser.text("#longest .waits")
        check(waits.endswith(" d") or " h" in waits, f"it waits for {waits!r}")
        self.browser.expect("#gpus", "of 233 free GPUs are stranded", "allocation rate")
        tops = self.browser.js("""
            const titles = [...document.querySelectorAll('#inspector h3')].map(e => e.innerText);
            return ['Largest gang that fits now', 'Waits longest', 'Stranded GPUs', 'Time by plugin'].map(t => titles.indexOf(t))""")
        check(tops == sorted(tops) and tops[0] == 0, f"the order of the panel: {tops}")
        self.browser.click('[data-key="longest-gang-research/oversized"]')
        self.browser.expect("#inspector", "Topology no fit", "waits for")
        self.browser.expect(self.row("research/oversized"), waits)

    def step_search_finds_what_is_not_listed(self):
        objects = [node("n1", {"zone": "north"}), node("n2", {"zone": "south"})]
        objects += [pod(f"p{at:04}") for at in range(MANY)]

        def look(_):
            self.browser.expect("#gangs-note", "The first 500 of 700")
            self.browser.expect("#gangs-status", "All700")
            self.browser.js("document.getElementById('gangs-filter').focus()")
            self.keys("P0699")
            wait_for("the last one", lambda: self.browser.js(
                "return [...document.querySelectorAll('.row')].map(e => e.dataset.gang).join() === 'team/p0699'"))
            self.browser.expect("#gangs-status", "All1")
            self.keys("x")
            self.browser.expect("#gangs-note", "No gang matches.")
            self.browser.click("#tab-nodes")
            self.browser.expect("#nodes-list", "n1", "n2", "CPUs")
            self.browser.js("document.getElementById('nodes-filter').focus()")
            self.keys("zone=south")
            wait_for("one node", lambda: self.browser.js(
                "return [...document.querySelectorAll('#nodes-list .row')].map(e => e.dataset.node).join() === 'n2'"))
            self.keys(Keys.ARROW_DOWN)
            self.browser.expect("#inspector", "Node", "n2")
            self.hash_holds("node=n2")
        self.with_objects("many", objects, "", look)

    def step_colours_by_gang_queue_state_and_age(self):
        self.open()
        wait_for("nodes in the picture", lambda: len(self.browser.colors()) > 12)
        seen = [self.browser.colors()]
        for by, words in (("gang", ("research/vision", "research/speech")), ("queue", ("closed",)),
                          ("state", ("free", "in part", "full", "leaving")), ("age", ("age of the oldest pod", "30 d"))):
            self.browser.js("const box = document.getElementById('color'); box.value = arguments[0];"
                            "box.dispatchEvent(new Event('change'))", by)
            self.browser.expect("#legend", *words)
            self.hash_holds(f"color={by}")
            wait_for(f"another picture by {by}", lambda: all(self.browser.colors() != other for other in seen))
            if by == "gang":
                wait_for("a colour for each large gang", lambda: len(
                    [pixels for pixels in self.browser.colors().values() if pixels > 2000]) >= 5)
                self.find_rack_b1_r1()
                self.browser.expect("#tooltip", "gang research/vision")
            seen.append(self.browser.colors())

    def step_nodes_of_a_gang(self):
        self.open()
        before = self.browser.colors()
        self.browser.click(self.row("research/language"))
        self.browser.expect("#its-pods", "40 pods on 40 nodes", "b2-r2-n01", "language-")
        self.browser.expect("#legend", "its nodes")
        wait_for("its nodes in the picture", lambda: self.browser.colors() != before)
        wait_for("40 marked nodes", lambda: self.browser.js("return document.getElementById('map').dataset.pins") == "40")
        self.browser.click('[data-key="node-b2-r2-n01"]')
        self.browser.expect("#inspector", "Node", "b2-r2-n01", "research/language")

    def step_nodes_of_a_workload(self):
        zones = [node(f"n{at}", {"pool": "p", "zone": "north" if at < 3 else "south", "kubernetes.io/hostname": f"n{at}"}) for at in range(6)]
        kueue = {"apiVersion": "kueue.x-k8s.io/v1beta2"}
        objects = [*zones,
            {**kueue, "kind": "Topology", "metadata": {"name": "hall"}, "spec": {"levels": [{"nodeLabel": "zone"}, {"nodeLabel": "kubernetes.io/hostname"}]}},
            {**kueue, "kind": "ResourceFlavor", "metadata": {"name": "plain"}, "spec": {"topologyName": "hall", "nodeLabels": {"pool": "p"}}},
            {**kueue, "kind": "ClusterQueue", "metadata": {"name": "cq"}, "spec": {"namespaceSelector": {}, "resourceGroups": [
                {"coveredResources": ["cpu"], "flavors": [{"name": "plain", "resources": [{"name": "cpu", "nominalQuota": "100000"}]}]}]}},
            {**kueue, "kind": "LocalQueue", "metadata": {"name": "lq", "namespace": "team"}, "spec": {"clusterQueue": "cq"}},
        ]
        for at in range(3):
            one = pod(f"train-{at}", "5000")
            one["metadata"] |= {"labels": {"kueue.x-k8s.io/queue-name": "lq", "kueue.x-k8s.io/pod-group-name": "train"},
                                "annotations": {"kueue.x-k8s.io/pod-group-total-count": "3"}}
            objects.append(one)

        def look(_):
            self.browser.click("#tab-workloads")
            self.browser.expect("#workloads-list", "train")
            self.browser.click("#workloads-list .row")
            self.browser.expect("#inspector", "Workload", "Admitted with")
            self.browser.expect("#its-pods", "3 pods on 3 nodes", "train-0")
            wait_for("3 marked nodes", lambda: self.browser.js("return document.getElementById('map').dataset.pins") == "3")
            self.browser.click('#its-pods [data-key^="node-n"]')
            self.browser.expect("#inspector", "Node", "team/train-")
        self.with_objects("workload", objects, "", look)

    def step_devices_of_a_node(self):
        api = {"apiVersion": "resource.k8s.io/v1"}
        request = {"name": "gpu", "exactly": {"deviceClassName": "gpu"}}
        one = pod("train")
        one["spec"]["resourceClaims"] = [{"name": "gpu", "resourceClaimName": "mine"}]
        objects = [node("n1"), one,
            {**api, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}},
            {**api, "kind": "ResourceClaim", "metadata": {"name": "mine", "namespace": "team"}, "spec": {"devices": {"requests": [request]}}},
            {**api, "kind": "ResourceSlice", "metadata": {"name": "n1"}, "spec": {
                "driver": "gpu.example.com", "nodeName": "n1", "pool": {"name": "n1", "generation": 1, "resourceSliceCount": 1},
                "devices": [{"name": "gpu-0"}, {"name": "gpu-1", "taints": [{"key": "sick", "effect": "NoSchedule"}]}]}},
        ]

        def look(_):
            self.browser.click("#tab-nodes")
            self.browser.expect("#nodes-list", "n1")
            self.browser.click("#nodes-list .row")
            self.browser.expect("#devices", "1 of 2 devices held", "gpu.example.com/gpu-0", "team/train", "gpu.example.com/gpu-1", "tainted")
        self.with_objects("devices", objects, "", look)

    def step_starts_by_appointment(self):
        run = {"trellis.scheduler/expected-duration": "1h"}
        runs, waits = pod("runs", "8000", phase="Running"), pod("waits", "8000")
        runs["spec"]["nodeName"] = "n1"
        for one in (runs, waits):
            one["metadata"]["annotations"] = run

        def look(_):
            self.browser.expect("#starts", "Starts by appointment", "team/waits", "after gang team/runs ends")
            first = self.browser.js("const bar = document.querySelector('#starts .meter span').style; return [bar.marginLeft, bar.width]")
            check(40 < float(first[0][:-1]) < 60 and 40 < float(first[1][:-1]) < 60, f"half of the time is past at the start: {first}")
            self.browser.click('[data-key="start-team/waits"]')
            self.browser.expect("#inspector", "Gang", "team/waits")
        self.with_objects("starts", [node("n1"), runs, waits], "", look)

    def step_history_and_pause(self):
        def look(folder):
            self.browser.expect("#status", "Cycle")
            (folder / "more.jsonl").write_text(json.dumps(pod("b", "9000")) + "\n", encoding="utf-8")
            self.browser.expect("#history", "Gangs waiting", "Pods evicted", "Pods placed")
            self.browser.expect("#events", "team/a", "placed: 1 pod")
            figure = lambda: self.browser.text('[data-chart="Gangs waiting"] .count')
            wait_for("one that waits", lambda: figure() == "1")
            self.browser.click("#pause")
            self.browser.expect("#status", "Paused at cycle")
            cycle = self.browser.text("#status")
            (folder / "more.jsonl").unlink()
            (folder / "other.jsonl").write_text(json.dumps(pod("c", "2")) + "\n", encoding="utf-8")
            wait_for("the server to go on", lambda: self.browser.js(
                "return fetch('/debug/gangs?q=team/c').then(a => a.json()).then(a => a.gangs[0]?.status === 'Running')"))
            check(self.browser.text("#status") == cycle and figure() == "1", "the page went on")
            check("team/c" not in self.browser.text("#gangs-list"), "the list went on")
            self.browser.click("#pause")
            self.browser.expect("#gangs-list", "team/c")
            wait_for("nothing that waits", lambda: figure() == "0")
            wide = self.browser.js("return document.querySelector('#history path').getBBox().width")
            check(wide > 100, f"the chart is {wide} wide")
        self.with_objects("history", [node("n1"), pod("a")], "", look)

    def step_names_keep_what_distinguishes_them(self):
        shorter = lambda names: self.browser.driver.execute_async_script("""
            const [names, done] = arguments;
            import('/page/names.js').then(({affixesOf, shorterNames}) => done(shorterNames(names[0], affixesOf(names))))""", names)
        self.open()
        names = shorter([f"ip-10-0-1-5.{LONG}", f"ip-10-0-2-17.{LONG}"])
        check(names == [f"ip-10-0-1-5.{LONG}", "ip-10-0-1-5…", "…1-5…", "1-5"], f"{names}")
        check(shorter(["b1-r1-n01", "b1-r1-n02"])[-1] == "n01", "a word was cut")
        check(shorter(["alone"]) == ["alone"], "a name alone has nothing in common")

        def look(_):
            self.browser.click("#tab-nodes")
            self.browser.expect("#nodes-list", "ip-10-0-17…")
            check(LONG not in self.browser.text("#nodes-list"), "the zone hides the name")
        self.with_objects("names", [node(f"ip-10-0-{at}-1.{LONG}", gpus=4) for at in range(1, 30)], "", look)

    def step_finished_is_not_pending(self):
        def look(_):
            self.browser.expect("#gangs-status", "All2", "Running1", "Finished1")
            check("Pending" not in self.browser.text("#gangs-status"), "finished is pending")
            self.browser.expect("#summary", "1 / 1 gangs placed", "1 / 1 pods placed")
            self.browser.expect("#longest", "Nothing waits.")
            check("waiting" not in self.browser.driver.title, "the title counts what has finished")
        self.with_objects("finished", [node("n1"), pod("a"), pod("done", phase="Succeeded")], "", look)
