"""What must hold of a scenario's output, a claim a line; # begins a comment.

    pod NAME key=value...      status, node, action, gang, gpus (index:portion,...)
    gang NAME key=value...     status, queue, topology, level, domain (b1/r3), reason (a code),
                               needed, found (of the first reason)
    node NAME key=value...     idle, releasing
    on GANG NODE:COUNT...      where its placed pods are: all of them, no more, no fewer
    together GANG N            its placed pods are on exactly N nodes
    count STATUS N             how many pods have that status
    because GANG CODE          one of its reasons has the code
    says GANG TEXT             its first reason's message contains TEXT
    takes TOPOLOGY PATH GANG N domain PATH (`.`: the root) takes N pods of GANG's class
    domain PATH key=value...   of an explanation: allocatablePods, needed, fits, level, topology
    judges NODE key=value...   of an explanation: fits, reason (a code, any of them)
    workload NAME key=value... admitted, evicted, reason (the first code), subject (of that one)
    waits NAME CODE            one of the workload's reasons has the code
    message NAME TEXT          one of the workload's messages contains TEXT
    assigned NAME/SET D:N...   the PodSet's domains (b1/r1, or a node) with the pods of each: all
    flavor NAME/SET R=F...     the flavor of each resource
    saved KIND/NAME KEY... = V what `--save next.jsonl` wrote there, as JSON; `-`: nothing

A value `-` means that the key is absent, `a|b` that either will do. Names without a namespace are
in `default`.
"""

import json
import shlex


def full(name):
    return name if "/" in name else f"default/{name}"


def full_name(item):
    return f"{item['namespace']}/{item['name']}"


def text(value):
    if value is None:
        return "-"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


class Output:
    def __init__(self, output, saved=()):
        self.workloads = {full_name(w): w for w in output.get("workloads", [])}
        self.saved = {f"{o['kind']}/{o['metadata'].get('name')}": o for o in saved if 'metadata' in o}
        self.pods = {full_name(p): p for p in output.get("pods", [])}
        self.gangs = {full_name(g): g for g in output.get("gangs", [])}
        self.nodes = {n["name"]: n for n in output.get("nodes", [])}
        self.topologies = {t["name"]: t for t in output.get("topologies", [])}
        self.domains = {"/".join(d["path"]) or ".": d for d in output.get("domains", [])}
        self.gang = output.get("gang")

    def placed(self, gang):
        """Node -> how many of the gang's pods are placed there."""
        counts = {}
        for pod in self.pods.values():
            if pod["gang"] == full(gang) and pod["status"] in ("Bound", "Running", "Pipelined"):
                counts[pod["node"]] = counts.get(pod["node"], 0) + 1
        return counts

    def pod_values(self, name):
        pod = dict(self.pods[full(name)])
        if "gpus" in pod:
            pod["gpus"] = ",".join(f"{g['index']}:{g['portion']}" for g in pod["gpus"])
        return pod

    def gang_values(self, name):
        gang = dict(self.gangs[full(name)])
        placement = gang.get("placement", {})
        gang.update({k: placement.get(k) for k in ("topology", "level")})
        gang["domain"] = "/".join(placement["domain"]) if "domain" in placement else None
        for reason in gang.get("reasons", [])[:1]:
            gang["reason"] = reason["code"]
            gang["needed"] = reason["details"].get("needed")
            gang["found"] = reason["details"].get("found")
        return gang

    def workload_values(self, name):
        workload = dict(self.workloads[full(name)])
        for reason in workload.get("reasons", [])[:1]:
            workload["reason"] = reason["code"]
            workload["subject"] = reason["details"].get("subject")
        return workload

    def pod_set(self, name):
        """Of "WORKLOAD/SET" what it was given."""
        workload, _, wanted = name.rpartition("/")
        sets = self.workloads[full(workload)].get("podSetAssignments", [])
        return {s["name"]: s for s in sets}[wanted]

    def node_values(self, name):
        node = self.nodes[name]
        return {"idle": node["idleGPUs"], "releasing": node["releasingGPUs"]}


def compare(values, wanted):
    for pair in wanted:
        key, _, value = pair.partition("=")
        found = text(values.get(key))
        if found not in value.split("|"):
            yield f"{key} is {found}, not {value}"


def check_judgement(node, wanted):
    codes = [reason["code"] for reason in node.get("reasons", [])] or ["-"]
    for pair in wanted:
        key, _, value = pair.partition("=")
        if key == "reason":
            if value not in codes:
                yield f"reasons are {', '.join(codes)}, not {value}"
        else:
            yield from compare(node, [pair])


def check_assigned(output, name, wanted):
    domains = output.pod_set(name).get("topologyAssignment", {"domains": []})["domains"]
    found = [f"{'/'.join(d['values'])}:{d['count']}" for d in domains]
    if sorted(found) != sorted(wanted):
        yield f"it is assigned {' '.join(found)}"


def check_saved(output, name, words):
    *keys, _, wanted = words
    found = output.saved[name]
    for key in keys:
        if isinstance(found, list):
            found = found[int(key)] if int(key) < len(found) else None
        else:
            found = (found or {}).get(key)
    if wanted == "-" and found is None:
        return
    if wanted == "-" or found != json.loads(wanted):
        yield f"it is {json.dumps(found)}"


def check_takes(output, topology, path, gang, count):
    for domain in output.topologies[topology]["domains"]:
        if "/".join(domain["path"]) == ("" if path == "." else path):
            counts = {c["class"]: c["count"] for c in domain["allocatablePods"]}
            if counts.get(full(gang)) != int(count):
                yield f"takes {counts.get(full(gang))}"
            return
    yield "no such domain"


def check_one(words, output):
    what, rest = words[0], words[1:]
    if what == "pod":
        yield from compare(output.pod_values(rest[0]), rest[1:])
    elif what == "gang":
        yield from compare(output.gang_values(rest[0]), rest[1:])
    elif what == "node":
        yield from compare(output.node_values(rest[0]), rest[1:])
    elif what == "on":
        wanted = {n: int(c) for n, c in (pair.rsplit(":", 1) for pair in rest[1:])}
        if output.placed(rest[0]) != wanted:
            yield f"it is on {dict(sorted(output.placed(rest[0]).items()))}"
    elif what == "together":
        if len(output.placed(rest[0])) != int(rest[1]):
            yield f"it is on {dict(sorted(output.placed(rest[0]).items()))}"
    elif what == "count":
        found = sum(p["status"] == rest[0] for p in output.pods.values())
        if found != int(rest[1]):
            yield f"there are {found}"
    elif what == "because":
        codes = [r["code"] for r in output.gangs[full(rest[0])].get("reasons", [])]
        if rest[1] not in codes:
            yield f"its reasons are {', '.join(codes)}"
    elif what == "says":
        message = output.gangs[full(rest[0])].get("reasons", [{"message": ""}])[0]["message"]
        if rest[1] not in message:
            yield f"it says: {message}"
    elif what == "takes":
        yield from check_takes(output, *rest)
    elif what == "domain":
        yield from compare(output.domains[rest[0]], rest[1:])
    elif what == "judges":
        yield from check_judgement(output.nodes[rest[0]], rest[1:])
    elif what == "workload":
        yield from compare(output.workload_values(rest[0]), rest[1:])
    elif what == "waits":
        codes = [r["code"] for r in output.workloads[full(rest[0])].get("reasons", [])]
        if rest[1] not in codes:
            yield f"its reasons are {', '.join(codes)}"
    elif what == "message":
        texts = [r["message"] for r in output.workloads[full(rest[0])].get("reasons", [])]
        if not any(rest[1] in text for text in texts):
            yield f"it says: {'; '.join(texts)}"
    elif what == "assigned":
        yield from check_assigned(output, rest[0], rest[1:])
    elif what == "flavor":
        yield from compare(output.pod_set(rest[0])["flavors"], rest[1:])
    elif what == "saved":
        yield from check_saved(output, rest[0], rest[1:])
    else:
        yield "no such demand"


def split(line):
    """The words of a claim; JSON behind ` = ` is one."""
    claim, mark, value = line.partition(" = ")
    return shlex.split(claim, comments=True) + (["=", value.strip()] if mark else [])


def check(claims, document, saved=()):
    """What does not hold, a line each."""
    output = Output(document, saved)
    broken = []
    for line in claims.splitlines():
        words = split(line)
        if not words:
            continue
        try:
            broken += [f"{line.strip()}: {why}" for why in check_one(words, output)]
        except KeyError as missing:
            broken.append(f"{line.strip()}: there is no {missing}")
    return broken
