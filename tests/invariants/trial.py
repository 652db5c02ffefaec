"""One world through the real binary: decisions by the rules, and what must be equal."""

import datetime
import json
import pathlib
import random
import subprocess
import sys
import tempfile

import objects
import rules

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scenarios"))

import recount  # noqa: E402

seconds_most = 10  # of one command
CYCLES = 3  # judged one by one
RESTS_AFTER = 20
LATER = (45, 46)  # of a world that moves then; before anything is stale


class Broken(Exception):
    """A run that did not end as it should."""


class Trial:
    """A world in a folder of its own, and the binary on it."""

    def __init__(self, binary, world, place):
        self.binary, self.world, self.place = binary, world, pathlib.Path(place)
        self.commands = []
        self.write("in.jsonl", world["items"])
        (self.place / "config.yaml").write_text(json.dumps(world.get("config") or {}))
        for name, text in (world.get("files") or {}).items():
            (self.place / name).write_text(text)
        self.now = ["--now", world["now"]] if world.get("now") else []

    def actions(self):
        return (self.world.get("config") or {}).get("actions", ["allocate"])

    def write(self, name, items):
        (self.place / name).write_text("".join(json.dumps(item) + "\n" for item in items))

    def run(self, *words, codes=(0, 2)):
        if words[0] not in ("validate",):
            words = [*words, "--config", "config.yaml"]
        command = f"trellis {' '.join(words)}"
        self.commands.append(command)
        try:
            done = subprocess.run([self.binary, *words], cwd=self.place, capture_output=True,
                                  timeout=seconds_most, check=False, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            raise Broken(f"{command}: no end after {seconds_most} s") from None
        if done.returncode not in codes:
            last = done.stderr.decode(errors="replace").strip().splitlines()[-3:]
            raise Broken(f"{command}: exit code {done.returncode}: {' | '.join(last)}")
        self.errors = done.stderr.decode(errors="replace")
        return done.stdout.decode()

    def json(self, *words, **more):
        text = self.run(*words, "-o", "json", **more)
        try:
            return json.loads(text)
        except ValueError as fault:
            raise Broken(f"{self.commands[-1]}: no JSON: {fault}") from None

    def read(self, name):
        return [json.loads(line) for line in (self.place / name).read_text().splitlines()]


def judge(binary, world, seed=0, skip=(), only=None):
    """(rule, object, figures) of every breach; of `only` one check where that is given."""
    with tempfile.TemporaryDirectory(prefix="invariants.") as place:
        trial = Trial(binary, world, place)
        random_ = random.Random(seed)
        found = []
        for check in [decided, only] if only else CHECKS:
            if check.__name__ in skip:
                continue
            try:
                found += [(rule, what, figures) for rule, what, figures in check(trial, random_, skip)
                          if rule not in skip]
            except (AttributeError, TypeError, KeyError, ValueError):
                if not world.get("mutated"):
                    raise  # the checker need not understand what is broken
            except Broken as fault:
                found.append(("it_ends_well", check.__name__, str(fault)))
                if check in (cycles_hold, decided):
                    break
        return found


def decided(trial, random_, skip):
    """What the other checks begin with."""
    trial.first = trial.json("schedule", "-f", "in.jsonl", *trial.now)
    return []


def cycles_hold(trial, random_, skip):
    """Each of some cycles, one after another by --save, keeps the rules; two at once decide the same."""
    found, now, source = [], trial.now, "in.jsonl"
    for cycle in range(1, CYCLES + 1):
        decision = trial.json("schedule", "-f", source, *now, "--save", f"{cycle}.jsonl")
        if cycle == 1:
            trial.first = decision
        elif not trial.world.get("mutated") and "allocate" in trial.actions():
            found += moved_have_a_place(before, decision, cycle)
        before = decision
        items = trial.read(source)
        if not trial.world.get("mutated"):
            found += [(rule, what, f"cycle {cycle}: {figures}")
                      for rule, what, figures in rules.breaches(items, decision, trial.world.get("config"), skip)]
        if cycle == 2:
            at_once = trial.json("schedule", "-f", "in.jsonl", *trial.now, "--cycles", "2")
            if not trial.world.get("timed") and not trial.world.get("mutated"):
                found += same("saved_is_the_next_cycle", {**at_once, "cycles": 1}, decision)
        now, source = later(trial.now, cycle), f"{cycle}.jsonl"
    return found


def moved_have_a_place(before, decision, cycle):
    """What consolidation and defragmentation moved in the cycle before stands where they said, or elsewhere."""
    statuses = {(row["namespace"], row["name"]): row["status"] for row in decision["pods"]}
    for row in before["pods"]:
        if row["status"] == "Pipelined" and row.get("evicted"):
            status = statuses.get((row["namespace"], row["name"]))
            if status == "Pending":
                yield "moved_have_a_place", f"{row['namespace']}/{row['name']}", f"cycle {cycle}: moved to {row['node']}, and is {status}"


def later(now, cycles):
    """So many periods later, as --cycles counts: what is saved does not say when it was."""
    if not now:
        return []
    time = datetime.datetime.fromisoformat(now[1].replace("Z", "+00:00")) + datetime.timedelta(seconds=cycles)
    return ["--now", time.strftime("%Y-%m-%dT%H:%M:%SZ")]


def same(rule, one, other):
    """The first difference of two decisions."""
    for key in one:
        if one[key] == other.get(key):
            continue
        if not isinstance(one[key], list):
            return [(rule, key, f"{one[key]} and {other.get(key)}")]
        left = [row for row in one[key] if row not in other[key]]
        right = [row for row in other[key] if row not in one[key]]
        return [(rule, key, f"{json.dumps(left[:2])} and {json.dumps(right[:2])}")]
    return []


def shuffled_is_equal(trial, random_, skip):
    items = list(trial.world["items"])
    random_.shuffle(items)
    trial.write("shuffled.jsonl", items)
    if trial.world.get("ordered") or trial.world.get("mutated"):
        trial.json("schedule", "-f", "shuffled.jsonl", *trial.now)
        return []
    return same("shuffled_is_equal", trial.first, trial.json("schedule", "-f", "shuffled.jsonl", *trial.now))


def it_rests(trial, random_, skip):
    """After many cycles none evicts and binds any more."""
    if not moves(trial.json("schedule", "-f", "in.jsonl", *trial.now, "--cycles", str(RESTS_AFTER))):
        return []
    if trial.world.get("mutated"):
        return []
    found = []
    for cycle in LATER:
        last = trial.json("schedule", "-f", "in.jsonl", *trial.now, "--cycles", str(cycle))
        found += [("it_rests", what, f"{figures} in cycle {cycle}") for what, figures in moves(last)]
    return found


def moves(decision):
    found = [(f"{row['namespace']}/{row['pod']}", f"evicted by {row['action']}") for row in decision["evictions"]]
    found += [(f"{row['namespace']}/{row['name']}", f"{row['status']} by {row['action']}") for row in decision["pods"]
              if row.get("action") and row["status"] == "Bound"]
    return found


def table_adds_up(trial, random_, skip):
    """The table's sums and statuses are those of its rows and of the document."""
    if trial.world.get("mutated"):
        return []
    text = trial.run("schedule", "--all", "-f", "in.jsonl", *trial.now)
    return [("table_adds_up", "sums", line) for line in recount.check(text, trial.first)]


def explained(trial, random_, skip):
    """Any question has an answer."""
    for question in random_.sample(questions(trial), min(2, len(questions(trial)))):
        trial.json("explain", question, "-f", "in.jsonl", *trial.now)
    if random_.random() < 0.2:
        trial.json("queues", "-f", "in.jsonl")
        trial.run("topology", "-f", "in.jsonl")
        trial.run("validate", "-f", "in.jsonl")
    return []


def questions(trial):
    """Of everything that can be explained."""
    decision, found = trial.first, []
    for kind, rows in (("pod", decision["pods"]), ("gang", decision["gangs"]), ("workload", decision["workloads"])):
        found += [f"{kind}/{row['namespace']}/{row['name']}" for row in rows]
    found += [f"node/{row['name']}" for row in decision["nodes"]]
    for item in trial.world["items"]:
        if not isinstance(item, dict) or not isinstance(item.get("metadata"), dict):
            continue
        name = item["metadata"].get("name")
        shared = ((trial.world.get("config") or {}).get("queues") or {}).get("fullHierarchy", True)
        if item.get("kind") in (("Queue", "ClusterQueue") if shared else ("ClusterQueue",)) and f"queue/{name}" not in found and not trial.world.get("mutated"):
            found.append(f"queue/{name}")
        if item.get("kind") == "Topology" and not trial.world.get("mutated"):
            found.append(f"domain/{name}")
    # Of the others no API server takes the name.
    return [question for question in found if "\0" not in question and question.count("/") < 3]


def whatif_is_doing_it(trial, random_, skip):
    """`whatif` says of each gang what two runs of `schedule` say."""
    items = trial.world["items"]
    base, added, words = items, [], []
    groups = [item for item in items if isinstance(item, dict) and item.get("kind") in ("PodGroup", "Job", "Workload")]
    kind = random_.random()
    if groups and kind < 0.5:
        group = random_.choice(groups)
        added = [item for item in items if item is group or belongs(item, group)]
        base = [item for item in items if not any(item is one for one in added)]
        words = ["--add", "added.jsonl"]
    elif whole_gangs(trial) and kind < 0.75:
        row = random_.choice(whole_gangs(trial))
        words = ["--remove", f"gang/{row['namespace']}/{row['name']}"]
    elif trial.first["nodes"]:
        words = ["--cordon", random_.choice(trial.first["nodes"])["name"]]
    else:
        return []
    if any("\0" in word for word in words) or "/" in words[-1].removeprefix("gang/").partition("/")[2]:
        return []  # no API server takes such names
    now = trial.now or ["--now", "2026-01-01T12:00:00Z"]
    trial.write("base.jsonl", base)
    trial.write("added.jsonl", added)
    answer = trial.json("whatif", "-f", "base.jsonl", *words, *now)
    if trial.world.get("mutated"):
        return []
    before = trial.json("schedule", "-f", "base.jsonl", *now)
    if words[0] == "--cordon":
        trial.write("after.jsonl", [cordoned(item, words[1]) for item in base])
    elif words[0] == "--remove":
        trial.write("after.jsonl", without_gang(base, trial.first, words[1].removeprefix("gang/")))
    else:
        trial.write("after.jsonl", base + added)
    after = trial.json("schedule", "-f", "after.jsonl", *now)
    return compare_answer(answer, before, after, words)


def whole_gangs(trial):
    """Those that can be taken away by taking objects away: the workload of a pod group is made of all its pods,
    and stays when a gang of some of them goes. A ReplicaSet or a Deployment makes a pod that goes again."""
    pods = {objects.name_of(item): item for item in trial.world["items"]
            if isinstance(item, dict) and item.get("kind") == "Pod" and isinstance(item.get("metadata"), dict)}
    parts = set()
    for row in trial.first["pods"]:
        pod = pods.get((row["namespace"], row["name"]))
        made_alone = pod is None and row["gang"] == f"{row['namespace']}/{row['name']}"
        grouped = pod is not None and objects.key_of(pod, "kueue.x-k8s.io/pod-group-name")
        if made_alone or grouped or pod is not None and is_replaced(pod):
            parts.add(row["gang"])
    return [row for row in trial.first["gangs"] if f"{row['namespace']}/{row['name']}" not in parts]


def is_replaced(pod):
    return any(owner.get("kind") in ("ReplicaSet", "Deployment") for owner in pod["metadata"].get("ownerReferences") or [])


def belongs(item, group):
    """A pod of the gang that the object makes."""
    name = group["metadata"]["name"]
    return (isinstance(item, dict) and item.get("kind") == "Pod" and
            objects.name_of(item)[0] == objects.name_of(group)[0] and
            (name in (objects.key_of(item, "pod-group-name"), objects.core_group_name(item)) or
             any(owner.get("name") == name for owner in item["metadata"].get("ownerReferences") or [])))


def cordoned(item, node):
    if item.get("kind") != "Node" or item["metadata"].get("name") != node:
        return item
    return {**item, "spec": {**(item.get("spec") or {}), "unschedulable": True}}


def without_gang(items, decision, gang):
    """The objects without those that make the gang: its pods, and its PodGroup or owner. One whose name
    another gang bears makes a gang that is called kind.name. A Job that waits for its workload has no pods yet: a
    gang of its name is of a PodGroup."""
    pods = {(row["namespace"], row["name"]) for row in decision["pods"] if row["gang"] == gang}
    made = tuple(gang.split("/", 1))
    gangs = {(row["namespace"], row["name"]) for row in decision["gangs"]}
    elsewhere = {kind for kind in ("PodGroup", "Job", "StatefulSet") if (made[0], f"{kind.lower()}.{made[1]}") in gangs}
    workloads = workloads_of(items, pods)
    if pods and pods <= {objects.name_of(item) for item in items if is_unowned_pod(item)}:
        elsewhere |= {"Job", "StatefulSet"}
    return [without_users(item, pods) for item in items
            if not (item.get("kind") == "Pod" and objects.name_of(item) in pods or of_pods(item, pods) or
                    item.get("kind") == "Workload" and objects.name_of(item) in workloads or
                    item.get("kind") in {"PodGroup", "Job", "StatefulSet"} - elsewhere and objects.name_of(item) == made and
                    not is_part(item))]


def is_unowned_pod(item):
    return item.get("kind") == "Pod" and not item["metadata"].get("ownerReferences")


def workloads_of(items, pods):
    """The Workloads that pods of these name, and no other pod does."""
    names = {True: set(), False: set()}
    for item in items:
        workload = objects.key_of(item, "kueue.x-k8s.io/workload") if item.get("kind") == "Pod" else None
        if workload:
            names[objects.name_of(item) in pods].add((objects.name_of(item)[0], workload))
    return names[True] - names[False]


def of_pods(item, pods):
    """A claim that goes with its pod."""
    return item.get("kind") == "ResourceClaim" and any(
        (objects.name_of(item)[0], owner["name"]) in pods for owner in item["metadata"].get("ownerReferences") or [])


def without_users(item, pods):
    """A claim loses its devices with the last of the pods that it is reserved for."""
    users = (item.get("status") or {}).get("reservedFor") if item.get("kind") == "ResourceClaim" else None
    if not users:
        return item
    left = [one for one in users if (objects.name_of(item)[0], one["name"]) not in pods]
    return {**item, "status": {**item["status"], "reservedFor": left} if left else {}}


def is_part(group):
    """A group below another makes no gang of its name."""
    return bool((group.get("spec") or {}).get("parentCompositePodGroupName"))


def nodes_of(decision):
    """Gang -> the nodes of its placed pods, by name."""
    found = {f"{row['namespace']}/{row['name']}": [] for row in decision["gangs"]}
    for row in decision["pods"]:
        if row["status"] in ("Running", "Bound", "Pipelined"):
            found.setdefault(row["gang"], []).append(row["node"])
    return {gang: sorted(nodes) for gang, nodes in found.items()}


def compare_answer(answer, before, after, words):
    found, what = [], " ".join(words)
    sides = {"before": nodes_of(before), "after": nodes_of(after)}
    listed = {}
    for key in ("added", "lost", "moved", "resized", "waiting", "removed"):
        for row in answer.get(key) or []:
            listed[f"{row['namespace']}/{row['name']}"] = row
    for gang, row in sorted(listed.items()):
        for side, nodes in sides.items():
            if side in row and row[side].get("nodes") is not None and sorted(row[side]["nodes"]) != nodes.get(gang, []):
                found.append(("whatif_is_doing_it", gang, f"{what}: {side}: {row[side]['nodes']}, and {nodes.get(gang)} when done"))
    for gang in sorted({*sides["before"], *sides["after"]} - set(listed)):
        one, other = sides["before"].get(gang, []), sides["after"].get(gang, [])
        if one != other:
            found.append(("whatif_lists_all", gang, f"{what}: from {one} to {other}, in no list"))
    return found + compare_workloads(answer.get("workloads") or {}, before, after, what)


def compare_workloads(answer, before, after, what):
    """The same of Kueue's workloads."""
    def slots_of(decision):
        return {f"{row['namespace']}/{row['name']}": row.get("podSetAssignments") if row["admitted"] else None
                for row in decision["workloads"]}

    sides, found = (slots_of(before), slots_of(after)), []
    listed = {key: {f"{row['namespace']}/{row['name']}" for row in answer.get(key) or []}
              for key in ("added", "lost", "moved", "waiting", "removed")}
    for name in sorted({*sides[0], *sides[1]}):
        one, other = (side.get(name) for side in sides)
        if one != other and not any(name in names for names in listed.values()):
            found.append(("whatif_lists_all", name, f"{what}: workload from {one} to {other}, in no list"))
        if name in listed["added"] and (one or not other) or name in listed["lost"] and (other or not one):
            found.append(("whatif_is_doing_it", name, f"{what}: workload from {one} to {other}, listed otherwise"))
    return found


CHECKS = [cycles_hold, shuffled_is_equal, it_rests, table_adds_up, explained, whatif_is_doing_it]
