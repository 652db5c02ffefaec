"""Whether the rules see anything: true decisions are falsified, and each rule must find some of that."""

import collections
import copy
import json
import random
import tempfile

import generate
import objects
import rules
import trial

WORLDS = 240


def falsified(decision, maker):
    """A decision with something else in it."""
    other = copy.deepcopy(decision)
    maker.choice([move, move, move_workload, place, place, place_many, withdraw, evict, evict, evict_many, finish, admit, admit, admit, promise, lose_row, idle,
                  share])(other, maker)
    return other


def row_with(decision, maker, *statuses):
    rows = [row for row in decision["pods"] if row["status"] in statuses]
    return maker.choice(rows) if rows else {}


def node(decision, maker):
    return maker.choice(decision["nodes"])["name"] if decision["nodes"] else "n00"


def move(decision, maker):
    row_with(decision, maker, "Bound", "Pipelined")["node"] = node(decision, maker)


def place(decision, maker):
    row_with(decision, maker, "Pending").update(status="Bound", action="allocate", node=node(decision, maker))


def place_many(decision, maker):
    for row in decision["pods"]:
        if row["status"] == "Pending":
            row.update(status="Bound", action="allocate", node=node(decision, maker))


def withdraw(decision, maker):
    row = row_with(decision, maker, "Bound", "Running")
    row.update(status="Pending")
    row.pop("node", None)


def evict(decision, maker):
    row = row_with(decision, maker, "Running", "Bound")
    if row and decision["gangs"]:
        action = maker.choice(["preempt", "reclaim", "consolidation"])
        row.update(status="Evicted", action=action)
        by = maker.choice(decision["gangs"])
        decision["evictions"].append({"namespace": row["namespace"], "pod": row["name"], "gang": row["gang"], "action": action,
                                      "by": f"{by['namespace']}/{by['name']}"})
        if maker.random() < 0.5:  # for something that gets a place
            other = row_with(decision, maker, "Pending")
            other.update(status="Pipelined", action=action, node=node(decision, maker))
            decision["evictions"][-1]["by"] = other.get("gang", "")


def finish(decision, maker):
    row_with(decision, maker, "Running", "Pending", "Bound")["status"] = "Succeeded"


def promise(decision, maker):
    row_with(decision, maker, "Pending").update(status="Pipelined", action="preempt", node=maker.choice(["nowhere", node(decision, maker)]))


def admit(decision, maker):
    if decision["workloads"]:
        row = maker.choice(decision["workloads"])
        if row["admitted"] and row.get("podSetAssignments"):
            assigned = maker.choice(row["podSetAssignments"])
            if maker.random() < 0.5:
                assigned["count"] += maker.choice([-1, 1, 20])
            domains = (assigned.get("topologyAssignment") or {}).get("domains") or []
            if domains and maker.random() < 0.5:  # one pod elsewhere
                domains[0]["count"] -= 1
                domains.append({"values": elsewhere(assigned, domains[0]["values"], decision, maker), "count": 1})
                return
            for one in (assigned.get("topologyAssignment") or {}).get("domains") or []:
                one["values"] = elsewhere(assigned, one["values"], decision, maker)
                one["count"] += maker.choice([0, 0, 1, 30])
        elif row["admitted"]:
            row["admitted"] = False


def move_workload(decision, maker):
    if decision["workloads"] and decision["gangs"]:
        row, by = maker.choice(decision["workloads"]), maker.choice(decision["gangs"])
        row.update(status="Evicted", admitted=False, evicted=True, movedFor={"kind": "gang", "name": f"{by['namespace']}/{by['name']}"})


def elsewhere(assigned, values, decision, maker):
    """Another domain of that level, by the names that generate.py gives."""
    labels = assigned["topologyAssignment"]["levels"]
    if labels[-1] == objects.HOSTNAME:
        return [*values[:-1], node(decision, maker)]
    return [f"{label[-4]}{maker.randrange(3)}" for label in labels]


def evict_many(decision, maker):
    if not decision["gangs"]:
        return
    by = maker.choice(decision["gangs"])
    for row in decision["pods"]:
        if row["status"] == "Running":
            row.update(status="Evicted", action="preempt")
            decision["evictions"].append({"namespace": row["namespace"], "pod": row["name"], "gang": row["gang"], "action": "preempt",
                                          "by": f"{by['namespace']}/{by['name']}"})


def lose_row(decision, maker):
    if decision["pods"]:
        decision["pods"].pop(maker.randrange(len(decision["pods"])))


def idle(decision, maker):
    if decision["nodes"]:
        maker.choice(decision["nodes"])["idleGPUs"] += 3


def share(decision, maker):
    rows = [row for row in decision["pods"] if row.get("gpus")]
    if rows:
        part = maker.choice(maker.choice(rows)["gpus"])
        part.update(maker.choice([{"portion": "0.9"}, {"index": 0}, {"index": 99}]))


def run(binary, seed):
    """Prints how often each rule found a falsification; 1 where one never did."""
    found, tried = collections.Counter(), 0
    for number in range(seed, seed + WORLDS):
        world = generate.make_world(number)
        if number % 3 and not any(item["kind"] == "ClusterQueue" for item in world["items"]):
            continue  # most with workloads, which few worlds have
        with tempfile.TemporaryDirectory(prefix="invariants.") as place_:
            one = trial.Trial(binary, world, place_)
            decision, items = one.json("schedule", "-f", "in.jsonl", *one.now, "--save", "1.jsonl"), world["items"]
            if number % 2:
                decision, items = one.json("schedule", "-f", "1.jsonl"), one.read("1.jsonl")
        kept = {rule for rule, _, _ in rules.breaches(items, decision, world["config"])}
        maker = random.Random(number)
        for _ in range(30):
            tried += 1
            broken = {rule for rule, _, _ in rules.breaches(items, falsified(decision, maker), world["config"])}
            found.update(broken - kept)
    for rule in rules.RULES:
        print(f"{found[rule.__name__]:6} {rule.__name__}")
    blind = [rule.__name__ for rule in rules.RULES if not found[rule.__name__]]
    print(f"{tried} falsified decisions; rules that found none: {json.dumps(blind)}")
    return 1 if blind else 0
