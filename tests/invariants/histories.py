"""A random history of a world through `trellis serve`: objects change under way, and each cycle that can be
seen is judged by the rules, from its own snapshot and decisions. The objects stand in files, or in a scripted
API server (watched.py)."""

import copy
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse

import generate
import mutate
import rules
import trial

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "serve"))

import service  # noqa: E402

FILES = 3
STEPS = 8
# What a snapshot at the cycle's begin cannot show, or what serve's files do by themselves.
NOT_HERE = ("every_pod_has_a_row",)


def part_of(item, key):
    """A part of the object, which may have been broken."""
    if not isinstance(item.get(key), dict):
        item[key] = {}
    return item[key]


class History:
    def __init__(self, binary, seed, place):
        self.binary, self.place = binary, pathlib.Path(place)
        self.random = random.Random(seed * 31 + 7)
        self.world = generate.make_world(seed)
        self.items = list(self.world["items"])
        self.gone = []
        self.changes = [self.take_away, self.bring_back, self.close_node, self.finish_pod, self.change_value,
                        self.break_source, self.add_gang]
        config = {**self.world["config"], "period": "100ms"}
        (self.place / "config.yaml").write_text(json.dumps(config))
        self.open()
        self.write()

    def open(self):
        (self.place / "in").mkdir()

    def close(self):
        pass

    def serve(self):
        return service.Service(self.binary, [self.place / "in"], "--config", str(self.place / "config.yaml"))

    def write(self):
        """Files are replaced by renaming; an object stays in the file that its name says."""
        for index in range(FILES):
            mine = [item for item in self.items if len(json.dumps(item.get("metadata"))) % FILES == index]
            self.replace(f"{index}.jsonl", "".join(json.dumps(item) + "\n" for item in mine))

    def replace(self, name, text):
        new = self.place / "in" / ".new"
        new.write_text(text)
        new.rename(self.place / "in" / name)

    def step(self):
        """Something changes."""
        self.random.choice(self.changes)()
        self.write()

    def take_away(self):
        if self.items:
            self.gone.append(self.items.pop(self.random.randrange(len(self.items))))

    def bring_back(self):
        if self.gone:
            self.items.append(self.gone.pop(self.random.randrange(len(self.gone))))

    def of_kind(self, kind):
        found = [index for index, item in enumerate(self.items) if item.get("kind") == kind]
        return self.random.choice(found) if found else None

    def close_node(self):
        index = self.of_kind("Node")
        if index is not None:
            node = copy.deepcopy(self.items[index])
            spec = part_of(node, "spec")
            spec["unschedulable"] = not spec.get("unschedulable")
            self.items[index] = node

    def finish_pod(self):
        index = self.of_kind("Pod")
        if index is not None:
            pod = copy.deepcopy(self.items[index])
            part_of(pod, "status")["phase"] = self.random.choice(["Succeeded", "Failed", "Running", "Pending"])
            self.items[index] = pod

    def change_value(self):
        """Seldom broken for long: the object as it was comes back later."""
        if self.items:
            index = self.random.randrange(len(self.items))
            self.gone.append(self.items[index])
            item = copy.deepcopy(self.items[index])
            mutate.extreme([item], self.random)
            keep_container_names(item, self.items[index])
            self.items[index] = item
            self.items = [item for item in self.items if isinstance(item.get("metadata", {}), (dict, type(None)))]

    def break_source(self):
        """A file is no document for a moment."""
        self.replace("1.jsonl", self.random.choice(["", "{", "]", "{\"kind\": 1}\n", "\x00"]))
        time.sleep(0.03)

    def add_gang(self):
        other = generate.make_world(self.random.randrange(10**6))["items"]
        def key(item):
            return json.dumps([item.get("kind"), (item.get("metadata") or {}).get("name")])

        known = {key(item) for item in self.items}
        for item in other:
            if item["kind"] in ("PodGroup", "Pod", "Job", "Workload"):
                if key(item) not in known:
                    self.items.append(item)


def keep_container_names(item, before):
    """Kubernetes changes no container's name, and what a pod was given of its node is by that name."""
    def containers(of):
        spec = of.get("spec")
        found = spec.get("containers") if isinstance(spec, dict) else None
        return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []

    for one, old in zip(containers(item), containers(before)):
        one["name"] = old.get("name")


def judge(binary, seed, skip=(), kind=History):
    with tempfile.TemporaryDirectory(prefix="history.") as place:
        history = kind(binary, seed, place)
        found = []
        try:
            with history.serve() as served:
                served.wait_for_cycle(1)
                for step in range(STEPS):
                    if step:
                        history.step()
                    time.sleep(history.random.choice([0.02, 0.12, 0.25]))
                    found += [(rule, what, f"step {step}: {figures}")
                              for rule, what, figures in judge_cycle(history, served, skip + NOT_HERE)]
                seconds, code = served.stop()
                if code != 0 or seconds > 5:
                    found.append(("it_ends_well", "serve", f"exit code {code} after {seconds:.1f} s"))
        except (service.Failure, OSError) as fault:
            found.append(("it_ends_well", "serve", str(fault)[-600:]))
        finally:
            history.close()
        return found


def judge_cycle(history, served, skip):
    """The last cycle by the rules, where its input and its decisions are of one cycle; and decided again."""
    for _ in range(5):
        answers = [served.fetch(path) for path in ("/debug/snapshot", "/debug/decisions", "/debug/session?limit=0")]
        if answers[0][0] == 200 and len({headers["Trellis-Cycle"] for _, headers, _ in answers}) == 1:
            break
    else:
        return
    snapshot, decided, session = (text for _, _, text in answers)
    lines = [json.loads(line) for line in snapshot.splitlines()]
    decision = json.loads(decided)
    errors = json.loads(session)["errors"]
    asked = history.random.sample(decision["gangs"], min(2, len(decision["gangs"])))
    for row in asked:
        served.fetch(f"/debug/gangs/{urllib.parse.quote(row['namespace'])}/{urllib.parse.quote(row['name'])}")
    for path in ("/metrics", "/debug/topology", "/debug/queues", "/debug/nodes"):
        if served.fetch(path)[0] >= 500:
            yield "it_ends_well", path, "a fault of the service"
    if not errors:
        yield from rules.breaches(lines[1:], decision, history.world["config"], skip)
    # What is wrong in a pod's status goes where its status is written again.
    if errors:
        return
    again = decide_again(history, snapshot)
    if again is not None and "saved_is_the_next_cycle" not in skip and again != decided:
        yield "snapshot_decides_the_same", "pods", first_difference(again, decided)


def decide_again(history, snapshot):
    (history.place / "snapshot.jsonl").write_text(snapshot)
    done = subprocess.run([history.binary, "schedule", "-f", "snapshot.jsonl", "-o", "json"], cwd=history.place,
                          capture_output=True, timeout=trial.seconds_most, check=False)
    return done.stdout.decode() if done.returncode == 0 else None


def first_difference(one, other):
    for left, right in zip(one.splitlines(), other.splitlines()):
        if left != right:
            return f"decided again: {left.strip()[:300]}; served: {right.strip()[:300]}"
    return "one is longer"
