#!/usr/bin/env python3
"""Drives the page of a real `trellis serve` in a real headless Chromium.

The demo hall is served from a copy, which the steps change. Each step stands alone in what it
expects; a step that fails leaves a picture. Pictures go to --artifacts.

  run.py --binary build/release/trellis [--artifacts DIR] [--picture FILE] [--large] [STEP]...

  --picture FILE   write the README's picture there
  --large          measure loading and zooming 100,008 nodes instead; figures only
"""

import argparse
import json
import pathlib
import shutil
import sys
import tempfile
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from browser import Browser, Failure, Server, wait_for  # noqa: E402
from views import ViewSteps, check  # noqa: E402

from selenium.webdriver.common.action_chains import ActionChains  # noqa: E402
from selenium.webdriver.common.by import By  # noqa: E402
from selenium.webdriver.common.keys import Keys  # noqa: E402

RACKS = [f"b{block}/r{rack}" for block in (1, 2) for rack in (1, 2, 3, 4)]
NEW_GANG = """\
apiVersion: batch/v1
kind: Job
metadata: {namespace: research, name: late, uid: 5d3c7c1e-0000-4000-8000-00000000ffff}
spec:
  template:
    spec:
      schedulerName: trellis
      restartPolicy: Never
      containers: [{name: main, resources: {requests: {cpu: "1"}}}]
"""
BROKEN = """\
apiVersion: v1
kind: Pod
metadata: {namespace: research, name: "<img src=x onerror=alert(1)>"}
spec: {containers: [{name: main, resources: {requests: {cpu: much}}}]}
"""
# Racks, a zone's nodes outside racks, and a node without any label.
PLACES = [("z1", "r1"), ("z1", "r1"), ("z1", "r2"), ("z1", None), ("z2", "r1"), (None, None)]
ODD_TOPOLOGIES = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: zones}
spec: {levels: [{nodeLabel: example.com/zone}, {nodeLabel: example.com/rack}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: hosts}
spec: {levels: [{nodeLabel: kubernetes.io/hostname}]}
"""


def odd_nodes():
    documents = []
    for index, (zone, rack) in enumerate(PLACES):
        labels = {"kubernetes.io/hostname": f"m{index}"}
        labels |= {"example.com/zone": zone} if zone else {}
        labels |= {"example.com/rack": rack} if rack else {}
        documents.append({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": f"m{index}", "labels": labels},
            "status": {"allocatable": {"cpu": "8", "memory": "32Gi", "pods": "20", "amd.com/gpu": "2"},
                       "conditions": [{"type": "Ready", "status": "True"}]}})
    return "".join(json.dumps(document) + "\n" for document in documents)


class Steps(ViewSteps):
    """Methods step_* run in the order in which they stand in views.py and here."""

    def __init__(self, browser, server, inputs):
        self.browser = browser
        self.server = server
        self.inputs = inputs

    def open(self, place=""):
        self.browser.open(self.server.url + place)

    def row(self, gang):
        return f'[data-gang="{gang}"]'

    def keys(self, *keys):
        ActionChains(self.browser.driver).send_keys(*keys).perform()

    def hash_holds(self, text):
        return wait_for(f"{text} in the address", lambda: text in self.browser.driver.current_url)

    # What the canvas says about the point at (x, y) of it, in parts of its size.
    def point(self, x, y):
        canvas = self.browser.driver.find_element(By.ID, "map")
        size = canvas.size
        ActionChains(self.browser.driver).move_to_element_with_offset(
            canvas, int((x - 0.5) * size["width"]), int((y - 0.5) * size["height"])).perform()
        return self.browser.text("#tooltip").replace("\n", " ")

    def step_shows_the_hall(self):
        self.open()
        self.browser.expect("#summary", "544 GPUs", "4 idle on closed nodes", "gangs placed", "pods placed")
        self.browser.expect("#status", "Cycle")
        counts = wait_for("a picture of many colours", lambda: (
            lambda found: found if len(found) > 12 else None)(self.browser.colors()))
        most = max(counts.values()) / sum(counts.values())
        check(most < 0.9, f"one colour covers {most:.0%} of the map")
        wait_for("all gangs", lambda: len(self.browser.driver.find_elements(By.CSS_SELECTOR, ".row")) >= 8)

    def step_table_has_the_racks(self):
        self.open()
        self.browser.click("#view-table")
        self.browser.expect("#table", *RACKS)
        names = self.browser.js("return [...document.querySelectorAll('#table tbody th')].map(e => e.innerText)")
        check(names == RACKS, f"rows {names}, expected {RACKS}")
        self.hash_holds("view=table")
        check(self.browser.js("return document.getElementById('stage').hidden"), "the map is still there")
        self.browser.click('[data-key="sort-nodes"]')
        wait_for("rows by nodes", lambda: self.browser.js(
            "const n = [...document.querySelectorAll('#table tbody td:nth-child(2)')].map(e => +e.innerText);"
            "return n.length === 8 && n.every((x, i) => i === 0 || n[i - 1] >= x)"))
        self.browser.click('[data-key="row-b1/r1"]')
        self.browser.expect("#inspector", "b1/r1", "research/vision")

    def step_table_of_a_part(self):
        self.open("#at=b2&view=table")
        self.browser.expect("#table", "4 racks in b2")
        self.browser.click('[data-key="crumb-0"]')
        self.browser.expect("#table", "8 racks in nvl72")
        self.browser.click('[data-key="level-example.com/block"]')
        self.browser.expect("#table", "2 blocks in nvl72")
        self.open("#at=b2/r3&view=table")
        self.browser.expect("#table", "18 nodes in r3", "b2-r3-n05 (closed)")
        self.browser.click('[data-key="row-b2-r3-n06"]')
        self.browser.expect("#inspector", "b2-r3-n06", "research/language")

    def step_pending_gang_says_why(self):
        self.open()
        self.browser.expect("#gangs-list", "research/oversized")
        before = self.browser.colors()
        self.browser.click(self.row("research/oversized"))
        self.browser.expect("#inspector", "Topology no fit", "no rack of topology nvl72 takes 20 pods",
                            "Where it nearly fits", "b1/r3", "18/20 pods", "8 GPUs")
        self.hash_holds("gang=research/oversized")
        wait_for("marks in the picture", lambda: self.browser.colors() != before)
        self.browser.expect("#legend", "nearly fits")
        self.browser.click('[data-key="close"]')
        self.browser.expect("#inspector", "Why work waits")
        check("gang=" not in self.browser.driver.current_url, "the address still names the gang")

    def step_click_on_a_domain_shows_its_gangs(self):
        self.open()
        self.find_rack_b1_r1()
        ActionChains(self.browser.driver).click().perform()
        self.browser.expect("#inspector", "b1/r1", "18 nodes", "research/vision", "What it could still take")
        self.hash_holds("domain=b1/r1")
        self.browser.click('[data-key="gang-research/vision"]')
        self.browser.expect("#inspector", "research/vision", "16 of 16 pods placed", "rack b1/r1")
        self.browser.driver.back()
        self.browser.expect("#inspector", "18 nodes")

    # The name of the first rack stands below that of the first block.
    def find_rack_b1_r1(self):
        def settle():
            for y in range(4, 14):
                text = self.point(0.13, y / 100)
                if "rack in b1" in text and "r1" in text:
                    return True
            return False
        wait_for("rack r1 in b1 under the pointer", settle)

    def step_click_on_a_node_shows_its_pods(self):
        self.open()
        # Node rows are fetched once the rack is drawn.
        self.find_rack_b1_r1()

        def node():
            text = self.point(0.12, 0.3)
            return text if text.startswith("node in b1/r1") else None
        text = wait_for("a node under the pointer", node)
        ActionChains(self.browser.driver).click().perform()
        self.browser.expect("#inspector", "b1-r1-n", "research/vision-", "GPUs")
        check(self.browser.text("#inspector h2") in text, "another node than the one pointed at")

    def step_double_click_and_wheel_zoom(self):
        self.open()
        self.find_rack_b1_r1()
        ActionChains(self.browser.driver).double_click().perform()
        self.browser.expect("#crumbs", "b1")
        self.find_rack_b1_r1()
        ActionChains(self.browser.driver).double_click().perform()
        self.browser.expect("#crumbs", "b1", "r1")
        self.hash_holds("at=b1")
        self.browser.click('[data-key="crumb-0"]')
        wait_for("the whole hall", lambda: self.browser.text("#crumbs").strip() == "nvl72")
        before = self.browser.colors()
        canvas = self.browser.driver.find_element(By.ID, "map")
        self.browser.js("arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -600, clientX: 500,"
                        "clientY: 400, bubbles: true, cancelable: true}))", canvas)
        wait_for("a closer picture", lambda: self.browser.colors() != before)

    def step_drag_and_pinch(self):
        self.open("#at=b1/r2")
        self.browser.expect("#crumbs", "r2")
        canvas = self.browser.driver.find_element(By.ID, "map")
        before = self.browser.colors()
        ActionChains(self.browser.driver).move_to_element(canvas).click_and_hold().move_by_offset(-160, -90).release().perform()
        wait_for("another part", lambda: self.browser.colors() != before)
        check(not self.browser.js("return document.documentElement.dataset.selected"), "a drag selected something")
        self.open()
        self.browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
        try:
            before = self.browser.colors()
            self.pinch(60, 260)
            wait_for("a closer picture", lambda: self.browser.colors() != before)
            check(not self.browser.js("return document.documentElement.dataset.selected"), "a pinch selected something")
        finally:
            self.browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})

    # Two fingers, so far apart at first and at last.
    def pinch(self, before, after):
        middle = self.browser.js("const box = document.getElementById('map').getBoundingClientRect();"
                                 "return [box.left + box.width / 2, box.top + box.height / 3]")

        def touch(kind, apart):
            points = [{"x": middle[0] + sign * apart / 2, "y": middle[1], "id": number}
                      for number, sign in enumerate((-1, 1))] if kind != "touchEnd" else []
            self.browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        touch("touchStart", before)
        for step in range(1, 9):
            touch("touchMove", before + (after - before) * step / 8)
        touch("touchEnd", after)

    def step_keyboard(self):
        self.open()
        self.browser.js("document.getElementById('map').focus()")
        self.keys(Keys.ARROW_RIGHT)
        self.browser.expect("#map-says", "block b1:", "GPUs used", "69 nodes")
        self.keys(Keys.ARROW_RIGHT)
        self.browser.expect("#map-says", "block b2:")
        self.keys(Keys.ENTER)
        self.browser.expect("#inspector", "b2", "68 nodes")
        self.browser.expect("#crumbs", "b2")
        self.keys(Keys.ENTER)
        self.browser.expect("#map-says", "rack r1:")
        self.keys("-", Keys.ESCAPE, Keys.ESCAPE, Keys.ESCAPE)
        wait_for("the whole hall", lambda: self.browser.text("#crumbs").strip() == "nvl72")
        self.keys("/")
        wait_for("the filter in focus", lambda: self.browser.js("return document.activeElement.id === 'gangs-filter'"))
        self.keys("oversized")
        wait_for("one gang", lambda: len(self.browser.driver.find_elements(By.CSS_SELECTOR, ".row")) == 1)
        self.keys(Keys.ARROW_DOWN)
        self.browser.expect("#inspector", "research/oversized", "b1/r3")
        self.keys(Keys.ESCAPE)
        self.browser.expect("#inspector", "Cycle")

    def step_filters_by_status(self):
        self.open()
        self.browser.click(".chip.pending")
        wait_for("the one that waits", lambda: self.browser.js(
            "return [...document.querySelectorAll('.row')].map(e => e.dataset.gang).join() === 'research/oversized'"))
        self.hash_holds("status=Pending")
        self.browser.click(".chip.all")
        wait_for("all again", lambda: len(self.browser.driver.find_elements(By.CSS_SELECTOR, ".row")) > 5)

    def step_queues(self):
        self.open()
        self.browser.click("#tab-queues")
        self.browser.expect("#panel-queues", "queue")
        check(self.browser.js("return document.getElementById('panel-gangs').hidden"), "two lists at once")

    def step_address_keeps_the_view(self):
        self.open("#topology=nvl72&at=b1/r2&gang=research/oversized&color=cpu")
        self.browser.expect("#inspector", "research/oversized", "b1/r3")
        self.browser.expect("#crumbs", "b1", "r2")
        self.browser.expect("#legend", "CPUs in use")

    def step_light_and_dark(self):
        self.open()
        lightness = """
            const [r, g, b] = getComputedStyle(document.querySelector('.center')).backgroundColor
              .match(/[0-9.]+/g).map(Number);
            return (r + g + b) / 3"""
        corner = """
            const map = document.getElementById('map');
            const context = new OffscreenCanvas(1, 1).getContext('2d', {willReadFrequently: true});
            context.drawImage(map, 0, 0);
            const {data} = context.getImageData(0, 0, 1, 1);
            return (data[0] + data[1] + data[2]) / 3"""
        for scheme, dark in (("dark", True), ("light", False)):
            self.browser.media(prefers_color_scheme=scheme)
            for script in (lightness, corner):
                wait_for(f"{scheme} as the system", lambda: (self.browser.js(script) < 80) == dark)
        self.browser.click("#theme")
        for script in (lightness, corner):
            wait_for("dark by choice", lambda: self.browser.js(script) < 80)
        self.open()
        wait_for("dark, remembered", lambda: self.browser.js(lightness) < 80)
        self.browser.click("#theme")
        self.browser.click("#theme")
        wait_for("light again", lambda: self.browser.js(lightness) > 200)

    def step_narrow_screen(self):
        self.browser.size(390, 844)
        self.open()
        wide = self.browser.js("return document.scrollingElement.scrollWidth")
        check(wide <= 390, f"{wide} pixels wide on a screen of 390")
        self.browser.click(self.row("research/oversized"))
        self.browser.expect("#inspector", "b1/r3")
        wait_for("the details in sight", lambda: self.browser.js(
            "return document.querySelector('#inspector h2').getBoundingClientRect().top < innerHeight"))

    def step_reduced_motion(self):
        self.browser.media(prefers_reduced_motion="reduce")
        self.open()
        self.browser.js("document.getElementById('map').focus()")
        self.keys(Keys.ARROW_RIGHT, Keys.ENTER)
        self.browser.expect("#crumbs", "b1")

    def step_updates_each_cycle(self):
        self.open("#gang=research/oversized")
        self.browser.expect("#inspector", "b1/r3")
        (self.inputs / "late.yaml").write_text(NEW_GANG, encoding="utf-8")
        self.browser.expect("#gangs-list", "research/late")
        # The sums are of all the hall, not of what the last cycle touched.
        self.browser.expect("#summary", "/ 17 gangs placed", "/ 544 GPUs used")
        check("research/oversized" in self.browser.text("#inspector"), "the selection is lost")
        (self.inputs / "broken.yaml").write_text(BROKEN, encoding="utf-8")
        self.browser.expect("#inspector", "error", "broken.yaml")
        check(not self.browser.js("return document.querySelector('img')"), "input became markup")
        (self.inputs / "broken.yaml").unlink()
        wait_for("no error any more", lambda: "broken.yaml" not in self.browser.text("#inspector"))

    def step_what_if_a_rack_were_cordoned(self):
        self.open("#domain=b1/r1")
        self.browser.expect("#inspector", "b1/r1")
        self.browser.click('[data-key="cordon"]')
        self.browser.expect("#whatif", "nvl72/b1/r1 were cordoned", "GPUs used")
        self.keys(Keys.ESCAPE)
        wait_for("the answer closed", lambda: self.browser.js("return !document.getElementById('whatif').open"))
        self.browser.expect("#inspector", "b1/r1")
        self.open("#node=b1-r1-n01")
        self.browser.click('[data-key="cordon"]')
        self.browser.expect("#whatif", "b1-r1-n01 were cordoned", "GPUs used")

    def drop(self, name, text):
        self.browser.js("const data = new DataTransfer(); data.items.add(new File([arguments[1]], arguments[0]));"
                        "document.body.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}))",
                        name, text)

    def step_what_if_objects_came(self):
        self.open()
        self.browser.expect("#summary", "gangs placed")
        self.drop("more.yaml", NEW_GANG.replace("name: late", "name: more").replace("ffff", "fffe"))
        self.browser.expect("#whatif", "more.yaml came", "1 gang gets in", "research/more", "1 of 1 pod")
        self.drop("odd.yaml", "kind: [")
        self.browser.expect("#whatif", "odd.yaml came", "request:")
        check(len(self.browser.faults()) == 1, "the refusal is not in the console alone")

    def step_odd_clusters(self):
        folder = self.inputs.parent / "odd"
        folder.mkdir()
        (folder / "nodes.jsonl").write_text(odd_nodes(), encoding="utf-8")
        server = Server(self.server.binary, [folder]).start()
        try:
            self.browser.open(server.url + "#view=table")
            self.browser.expect("#table", "6 nodes in all nodes", *(f"m{index}" for index in range(6)))
            (folder / "topologies.yaml").write_text(ODD_TOPOLOGIES, encoding="utf-8")
            self.browser.expect("#topology", "hosts", "zones")
            self.browser.js("const box = document.getElementById('topology'); box.value = 'zones';"
                            "box.dispatchEvent(new Event('change'))")
            self.browser.expect("#table", "3 racks in zones", "z1/r1", "z1/r2", "z2/r1", "0 / 4")
            self.browser.click("#view-map")
            self.browser.expect("#legend", "GPUs in use")
            wait_for("a picture", lambda: len(self.browser.colors()) > 4)
            self.browser.js("const box = document.getElementById('topology'); box.value = 'hosts';"
                            "box.dispatchEvent(new Event('change'))")
            self.hash_holds("topology=hosts")
            self.browser.click("#view-table")
            self.browser.expect("#table", "6 nodes in hosts", "m5")
        finally:
            self.browser.close_page()
            server.stop()

    def step_workloads(self):
        folder = self.inputs.parent / "kueue"
        folder.mkdir()
        for name in ("queues", "job", "nodes-12"):
            shutil.copy(ROOT / "examples" / "kueue" / f"{name}.yaml", folder)
        server = Server(self.server.binary, [folder]).start()
        try:
            self.browser.open(server.url)
            self.browser.expect("#summary", "1 / 1 workloads admitted")
            self.browser.click("#tab-workloads")
            self.browser.expect("#workloads-list", "default/job-tas-sample", "40 pods", "node-1: 12", "Admitted")
            self.browser.click("#workloads-list [data-index='0']")
            self.browser.expect("#inspector", "ClusterQueue tas-cluster-queue", "main: 40 pods", "node-4: 4",
                                "main in flavor tas-flavor: fit")
            self.hash_holds("workload=default/job-tas-sample")
            self.browser.click("#tab-queues")
            self.browser.expect("#panel-queues", "ClusterQueues", "tas-cluster-queue", "40 of 100 CPUs", "1 holding, 0 waiting")
            job = (folder / "job.yaml").read_text(encoding="utf-8")
            (folder / "wide.yaml").write_text(job.replace("generateName: tas-sample-preferred", "name: wide")
                                              .replace(": 40", ": 80"), encoding="utf-8")
            self.browser.expect("#panel-queues", "1 holding, 1 waiting")
            self.browser.open(server.url)
            self.browser.expect("#history [data-chart='Workloads waiting']", "Workloads waiting", "1")
            label = self.browser.js("return document.querySelector(\"#history [data-chart='Workloads waiting'] svg\").ariaLabel")
            check("least 0, most 1, now 1" in label, f"the chart says: {label}")
        finally:
            self.browser.close_page()
            server.stop()

    # The last one: it leaves network errors in the console.
    def step_zz_server_goes_and_comes_back(self):
        self.open("#gang=research/oversized")
        self.browser.expect("#inspector", "b1/r3")
        self.server.stop()
        self.browser.expect("#banner", "does not answer")
        check("b1/r3" in self.browser.text("#inspector"), "what was shown is gone")
        self.server.start()
        wait_for("connected again", lambda: self.browser.js(
            "return document.documentElement.dataset.live === 'yes' && document.getElementById('banner').hidden"))
        self.browser.expect("#inspector", "b1/r3")
        self.browser.faults()


def run(browser, server, inputs, artifacts, names):
    steps = Steps(browser, server, inputs)
    every = [name for name in [*vars(ViewSteps), *vars(Steps)] if name.startswith("step_")]
    chosen = [name for name in every if not names or name.removeprefix("step_") in names]
    failed = 0
    for name in chosen:
        browser.size(1440, 1000)
        browser.media()
        try:
            getattr(steps, name)()
            faults = browser.faults()
            check(not faults, "the console holds:\n" + "\n".join(faults))
        except Exception as error:  # a step that fails must not hide the others
            failed += 1
            text = str(error) if isinstance(error, Failure) else traceback.format_exc()
            print("\n".join([f"{name}: {text}", *browser.faults()]))
        browser.picture(artifacts / f"{name.removeprefix('step_')}.png")
    print(f"{len(chosen)} steps, {failed} failed; pictures in {artifacts}")
    return failed or not chosen


def readme_picture(browser, server, file):
    browser.size(1360, 850)
    browser.media(prefers_color_scheme="light")
    browser.open(server.url + "#gang=research/oversized")
    browser.expect("#inspector", "b1/r3")
    browser.expect("#legend", "nearly fits")
    wait_for("nodes in the picture", lambda: len(browser.colors()) > 12)
    browser.picture(file)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--artifacts", type=pathlib.Path)
    parser.add_argument("--picture", type=pathlib.Path)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("names", nargs="*", metavar="STEP")
    arguments = parser.parse_args()
    binary = pathlib.Path(arguments.binary).resolve()
    artifacts = arguments.artifacts or binary.parent / "artifacts" / "page"

    with tempfile.TemporaryDirectory(prefix="trellis-page-") as folder:
        inputs = pathlib.Path(folder) / "hall"
        if arguments.large:
            from large import write_hall
            write_hall(inputs)
        else:
            shutil.copytree(ROOT / "examples" / "nvl72", inputs)
        server = Server(str(binary), [inputs])
        browser = Browser()
        try:
            server.start(seconds=300)
            if arguments.large:
                from large import measure
                measure(browser, server, artifacts)
                return 0
            if arguments.picture:
                readme_picture(browser, server, arguments.picture)
                return 0
            return 1 if run(browser, server, inputs, artifacts, arguments.names) else 0
        finally:
            browser.close()
            server.stop()


if __name__ == "__main__":
    sys.exit(main())
