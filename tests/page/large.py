"""A hall of 100,008 nodes in the page: how long it takes to load, and frames while zooming."""

import json
import random

from browser import wait_for

RACKS = 5556
NODES = 18          # a rack
RACKS_PER_BLOCK = 16
BLOCKS_PER_SPINE = 16
GANG_PODS = 16
LOADS = 5
LEVELS = ["example.com/spine", "example.com/block", "example.com/rack", "kubernetes.io/hostname"]

# Zooms in at a rack, pans, zooms out again, a step a frame; gives the times between frames.
ZOOM = """
const done = arguments[arguments.length - 1];
const map = document.getElementById('map');
const box = map.getBoundingClientRect();
const at = {clientX: box.left + box.width * 0.37, clientY: box.top + box.height * 0.41};
const wheel = (options) => map.dispatchEvent(
  new WheelEvent('wheel', {...at, ...options, bubbles: true, cancelable: true}));
const gaps = [];
let last = performance.now();
const frame = () => {
  const now = performance.now();
  gaps.push(now - last);
  last = now;
  if (gaps.length <= 100) wheel({deltaY: -36});
  else if (gaps.length <= 200) wheel({deltaY: 14, shiftKey: true});
  else if (gaps.length <= 300) wheel({deltaY: 36});
  else { done(gaps.slice(1)); return; }
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);
"""


def place(rack):
    block, spine = rack // RACKS_PER_BLOCK, rack // RACKS_PER_BLOCK // BLOCKS_PER_SPINE
    return [f"s{spine + 1:02}", f"b{block % BLOCKS_PER_SPINE + 1:02}", f"r{rack % RACKS_PER_BLOCK + 1:02}"]


def write_hall(folder):
    """Nodes, gangs that run in a part of the racks, and some that no rack can take."""
    draw = random.Random(4)
    folder.mkdir()
    with open(folder / "hall.jsonl", "w", encoding="utf-8") as out:
        def put(**thing):
            out.write(json.dumps(thing, separators=(",", ":")) + "\n")

        put(apiVersion="kueue.x-k8s.io/v1beta2", kind="Topology", metadata={"name": "hall"},
            spec={"levels": [{"nodeLabel": level} for level in LEVELS]})
        for rack in range(RACKS):
            path = place(rack)
            names = ["-".join([*path, f"n{slot + 1:02}"]) for slot in range(NODES)]
            for name in names:
                put(apiVersion="v1", kind="Node",
                    metadata={"name": name, "labels": dict(zip(LEVELS, [*path, name]))},
                    status={"allocatable": {"cpu": "144", "memory": "960Gi", "pods": "110", "nvidia.com/gpu": "4"},
                            "conditions": [{"type": "Ready", "status": "True"}]})
            if draw.random() < 0.4:
                put_gang(put, f"run-{rack:04}", names)
        for gang in range(50):
            put_gang(put, f"waits-{gang:02}", [None] * 20)


def put_gang(put, name, nodes):
    pods = nodes[:GANG_PODS] if nodes[0] else nodes
    put(apiVersion="scheduling.run.ai/v2alpha2", kind="PodGroup", metadata={"namespace": "team", "name": name},
        spec={"minMember": len(pods), "topologyConstraint": {"topology": "hall", "requiredTopologyLevel": "example.com/rack"}})
    for index, node in enumerate(pods):
        put(apiVersion="v1", kind="Pod",
            metadata={"namespace": "team", "name": f"{name}-{index}", "annotations": {"pod-group-name": name}},
            spec={"schedulerName": "trellis", **({"nodeName": node} if node else {}),
                  "containers": [{"name": "main", "resources": {"requests": {"cpu": "64", "nvidia.com/gpu": "4"}}}]},
            status={"phase": "Running" if node else "Pending"})


def shares(values):
    values = sorted(values)
    at = {name: values[min(len(values) - 1, int(len(values) * part))] for name, part in
          (("p50", 0.5), ("p95", 0.95), ("p99", 0.99))}
    return ", ".join(f"{name} {value:.1f} ms" for name, value in at.items()) + f", longest {values[-1]:.1f} ms"


def measure(browser, server, artifacts):
    loads = []
    for _ in range(LOADS):
        browser.open(server.url)
        loads.append(wait_for("a picture", lambda: browser.js(
            "return performance.getEntriesByName('trellis-picture')[0]?.startTime")))
    print(f"load, {LOADS} times, to the first whole picture: {', '.join(f'{load:.0f}' for load in loads)} ms")
    asked = browser.js("""return performance.getEntriesByType('resource').filter(e => e.name.includes('/debug/'))
        .map(e => [e.name.replace(location.origin, ''), e.responseEnd - e.startTime, e.decodedBodySize])""")
    for name, took, size in asked:
        print(f"  {took:7.1f} ms {size / 1000:9.1f} kB  {name}")
    browser.picture(artifacts / "large.png")
    gaps = browser.driver.execute_async_script(ZOOM)
    print(f"zooming and panning, {len(gaps)} frames: {shares(gaps)}; {sum(gap > 50 for gap in gaps)} above 50 ms")
    browser.js("const map = document.getElementById('map'); const box = map.getBoundingClientRect();"
               "map.dispatchEvent(new WheelEvent('wheel', {deltaY: -2300, clientX: box.left + box.width * 0.37,"
               "clientY: box.top + box.height * 0.41, cancelable: true}))")
    wait_for("nodes in the picture", lambda: browser.js(
        "return performance.getEntriesByType('resource').some(e => e.name.includes('level=node'))"))
    browser.picture(artifacts / "large_nodes.png")
    for fault in browser.faults():
        print(fault)
