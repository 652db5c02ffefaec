"""The queries of the dashboards in deploy/grafana, against docs/metrics.md."""

import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
OF_PROMETHEUS = {"job", "instance", "le"}
SUFFIXES = ("_bucket", "_count", "_sum")


def documented():
    """{name: (type, labels)} of each metric."""
    metrics = {}
    for line in (ROOT / "docs" / "metrics.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| `"):
            name, kind, labels = (cell.strip() for cell in line.split("|")[1:4])
            metrics[name.strip("`")] = (kind, set(re.findall(r"`(\w+)`", labels)))
    return metrics


def faults_of(query, legend, metrics):
    found = re.findall(r"\b((?:trellis|process)_\w+)", query)
    if not found:
        yield "names no metric"
    known = set(OF_PROMETHEUS)
    for name in found:
        base = next((name.removesuffix(end) for end in SUFFIXES if name.endswith(end)), name)
        name = base if metrics.get(base, ("", ()))[0] == "histogram" else name
        if name not in metrics:
            yield f"there is no metric {name}"
            continue
        kind, labels = metrics[name]
        known |= labels
        counted = re.search(rf"(?:rate|increase)\({name}", query) is not None
        if counted != (kind in ("counter", "histogram")):
            yield f"{name} is a {kind}"
    used = set(re.findall(r"(\w+)\s*(?:=~|!~|!=|=)\s*\"", query))
    for names in re.findall(r"\bby \(([^)]*)\)", query):
        used |= {name.strip() for name in names.split(",")}
    used |= set(re.findall(r"{{(\w+)}}", legend))
    for label in sorted(used - known):
        yield f"there is no label {label}"


def faults():
    metrics = documented()
    files = sorted((ROOT / "deploy" / "grafana").glob("*.json"))
    queries = 0
    for file in files:
        for panel in json.loads(file.read_text(encoding="utf-8"))["panels"]:
            for target in panel.get("targets", []):
                queries += 1
                for fault in faults_of(target["expr"], target["legendFormat"], metrics):
                    yield f"{file.name}: {panel['title']}: {target['expr']}: {fault}"
    if queries == 0:
        yield "deploy/grafana: no queries"
