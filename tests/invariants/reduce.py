"""Makes a world smaller while the same rule stays broken."""

import copy

import trial


def reduce(binary, world, seed, rule):
    def broken(smaller, only):
        try:
            return any(found == rule for found, _, _ in trial.judge(binary, smaller, seed, only=only))
        except Exception:
            return False

    check = next((one for one in trial.CHECKS if broken(world, one)), None)

    def breaks(items, config):
        return broken({**world, "items": items, "config": config}, check)

    config = world.get("config") or {}
    if config and breaks(world["items"], {}):
        config = {}
    items = without_objects(list(world["items"]), lambda some: breaks(some, config))
    items = without_fields(items, lambda some: breaks(some, config))
    return {**world, "items": items, "config": config}


def without_objects(items, breaks):
    """By halves, then one by one."""
    size = max(1, len(items) // 2)
    while size:
        start = 0
        while start < len(items):
            fewer = items[:start] + items[start + size:]
            if breaks(fewer):
                items = fewer
            else:
                start += size
        size //= 2
    return items


def paths(value, path=()):
    """Every key and index below a value, the outer ones first."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in reversed(list(keys)):
        yield (*path, key)
        yield from paths(value[key], (*path, key))


def without_fields(items, breaks):
    for index in range(len(items)):
        for path in list(paths(items[index])):
            if path[-1] in ("apiVersion", "kind", "name") and len(path) < 3:
                continue
            smaller = copy.deepcopy(items)
            try:
                holder = smaller[index]
                for key in path[:-1]:
                    holder = holder[key]
                del holder[path[-1]]
            except (KeyError, IndexError, TypeError):
                continue  # went with something around it
            if breaks(smaller):
                items = smaller
    return items
