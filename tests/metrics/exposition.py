"""Reads Prometheus' text format with Prometheus' own parser, and says what is wrong with it.

`exposition.py FILE`: exit 1 and one line a fault. Also used as a module.
"""

import math
import re
import sys

from prometheus_client.parser import text_string_to_metric_families

UNITS = ("_seconds", "_bytes", "_ratio", "_total", "_cores", "_gpus", "_amount", "_info", "_fds", "_threads")
PLAIN_COUNTS = {"trellis_gangs", "trellis_pods", "trellis_nodes", "trellis_pending_gangs",
                "trellis_input_errors", "trellis_topology_largest_gang_nodes", "trellis_leader",
                "trellis_binds_open", "trellis_gang_nodes_wanted"}
FORBIDDEN_LABELS = {"pod", "gang", "name", "namespace", "uid"}


def parse(text):
    """{family name: family}; a counter's name has no `_total` here."""
    return {family.name: family for family in text_string_to_metric_families(text)}


def value(families, name, **labels):
    """The one sample of this name with exactly these labels, or None."""
    for family in families.values():
        for sample in family.samples:
            if sample.name == name and sample.labels == labels:
                return sample.value
    return None


def histogram_faults(family):
    series = {}
    for sample in family.samples:
        labels = tuple(sorted((k, v) for k, v in sample.labels.items() if k != "le"))
        found = series.setdefault(labels, {"buckets": []})
        if sample.name.endswith("_bucket"):
            found["buckets"].append((float(sample.labels["le"]), sample.value))
        else:
            found[sample.name[len(family.name):]] = sample.value
    for labels, found in series.items():
        where = f"{family.name}{dict(labels)}"
        bounds = [bound for bound, _ in found["buckets"]]
        counts = [count for _, count in found["buckets"]]
        if bounds != sorted(bounds) or not bounds or bounds[-1] != math.inf:
            yield f"{where}: bounds do not rise to +Inf: {bounds}"
        elif (bounds[0], bounds[-2], len(bounds)) != (1e-06, 10.0, 23):
            yield f"{where}: bounds are not 1 us .. 10 s: {bounds}"
        if counts != sorted(counts):
            yield f"{where}: counts are not cumulative: {counts}"
        if counts and counts[-1] != found.get("_count"):
            yield f"{where}: +Inf is {counts[-1]}, count is {found.get('_count')}"
        if "_sum" not in found or (found["_sum"] > 0) != (found["_count"] > 0):
            yield f"{where}: sum {found.get('_sum')} of {found.get('_count')}"


def faults(text):
    if not text.endswith("\n"):
        yield "the last line does not end"
    helps = re.findall(r"^# HELP (\S+) \S.*$", text, re.MULTILINE)
    types = re.findall(r"^# TYPE (\S+) \S+$", text, re.MULTILINE)
    if helps != types or len(set(helps)) != len(helps) or not helps:
        yield f"HELP and TYPE do not pair, once a family: {helps} {types}"
    if helps != sorted(helps):
        yield "families are not in order"
    for family in parse(text).values():
        name = family.name + ("_total" if family.type == "counter" else "")
        if name not in helps:
            yield f"{name}: no HELP and TYPE"
        if not name.startswith(("trellis_", "process_")):
            yield f"{name}: no prefix"
        if not name.endswith(UNITS) and name not in PLAIN_COUNTS:
            yield f"{name}: no unit in the name"
        keys = [(s.name, tuple(sorted(s.labels.items()))) for s in family.samples]
        if len(set(keys)) != len(keys):
            yield f"{name}: a series stands twice"
        for sample in family.samples:
            if FORBIDDEN_LABELS & sample.labels.keys():
                yield f"{name}: a label names an object: {sample.labels}"
        if family.type == "histogram":
            yield from histogram_faults(family)
        elif family.type not in ("counter", "gauge"):
            yield f"{name}: type {family.type}"


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = list(faults(file.read()))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
