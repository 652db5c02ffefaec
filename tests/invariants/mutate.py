"""Breaks a world: values dropped, renamed, retyped, doubled, made extreme; names that dangle or go in circles."""

import copy
import json
import random

EXTREMES = [0, -1, 1, 2**31, 2**31 - 1, 2**63 - 1, -2**63, 1e308, "", " ", "9E", "1e30", "-1", "0.0000001", "999999999999999999999",
            None, True, [], {}, [[]], {"": ""}, "a" * 300, "\u202e\u0007\n", "x/y/z", "2026-01-01T00:00:00Z", "9999-12-31T23:59:59Z",
            "0001-01-01T00:00:00Z", "100%", "default", "n00", "g0", "q0"]
SELF_KEYS = ("parentQueue", "parent", "parentName", "cohortName", "queue", "clusterQueue", "pod-group-name", "topology", "topologyName",
             "requiredTopologyLevel", "nodeName", "queueName", "nodeLabel")


def mutate(world, seed):
    maker = random.Random(seed * 7919 + 1)
    items = copy.deepcopy(world["items"])
    for _ in range(maker.choice([1, 1, 2, 3, 5])):
        maker.choice([drop_object, drop, drop, retype, retype, rename, extreme, extreme, extreme, swap, double, circle, copy_from,
                      rename_object])(items, maker)
    config = world.get("config") or {}
    return {**world, "items": items, "config": config, "mutated": True}


def places(items):
    """(holder, key) of every value in every object."""
    found, open_ = [], [item for item in items if isinstance(item, dict)]
    while open_:
        holder = open_.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                open_.append(holder[key])
    return found


def place(items, maker):
    item = maker.choice(items) if items else {}
    found = places([item]) or places(items)
    return maker.choice(found) if found else ({"": 0}, "")


def drop_object(items, maker):
    if items:
        items.pop(maker.randrange(len(items)))


def drop(items, maker):
    holder, key = place(items, maker)
    del holder[key]


def retype(items, maker):
    holder, key = place(items, maker)
    value = holder[key]
    holder[key] = maker.choice([None, [value], {"value": value}, str(value), json.dumps(value), 7, 1.5, False, [], {}])


def rename(items, maker):
    holder, key = place(items, maker)
    if isinstance(holder, dict):
        holder[maker.choice([str(key) + "s", str(key).upper(), str(key)[:-1], ""])] = holder.pop(key)


def extreme(items, maker):
    holder, key = place(items, maker)
    holder[key] = maker.choice(EXTREMES)


def swap(items, maker):
    one, other = place(items, maker), place(items, maker)
    first, second = copy.deepcopy(one[0][one[1]]), copy.deepcopy(other[0][other[1]])
    other[0][other[1]] = first
    if one[1] in one[0] if isinstance(one[0], dict) else one[1] < len(one[0]):
        one[0][one[1]] = second


def double(items, maker):
    """A list entry twice, or an object twice, once with something else in it."""
    lists = [holder for holder, _ in places(items) if isinstance(holder, list)]
    if lists and maker.random() < 0.6:
        chosen = maker.choice(lists)
        chosen.append(copy.deepcopy(maker.choice(chosen)))
    elif items:
        items.append(copy.deepcopy(maker.choice(items)))
        extreme(items[-1:], maker)


def circle(items, maker):
    """A name of another object is its own, or of one that is not there."""
    found = [(holder, key) for holder, key in places(items) if key in SELF_KEYS]
    if found:
        holder, key = maker.choice(found)
        holder[key] = maker.choice(["absent", *(item["metadata"]["name"] for item in items if isinstance(item, dict) and
                                                isinstance(item.get("metadata"), dict) and item["metadata"].get("name"))])


def copy_from(items, maker):
    """A value of one object stands in another of its kind."""
    holder, key = place(items, maker)
    found = [(other, name) for other, name in places(items) if name == key and other is not holder]
    if found:
        other, name = maker.choice(found)
        holder[key] = copy.deepcopy(other[name])


def rename_object(items, maker):
    named = [item for item in items if isinstance(item, dict) and isinstance(item.get("metadata"), dict)]
    if named:
        maker.choice(named)["metadata"]["name"] = maker.choice(["renamed", "g0", "n00", "q0", "", "A b", "hall"])
