"""Counts the rows of a cycle's answers again: the sums that it prints must be theirs, and the table
must say of each gang and workload what -o json says."""

import re

# What the tables do not print as it is.
UNPRINTABLE = re.compile("[\x00-\x1f\x7f]|[\x80-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
NUMBER = r"([\d,]+)"
PLACED_GANGS = ("Running", "Scheduled", "Pipelined")
PLACED_PODS = ("Running", "Bound", "Pipelined")
FINISHED_PODS = ("Succeeded", "Failed")


def full_name(item):
    return f"{item['namespace']}/{item['name']}"


def printable(text):
    return UNPRINTABLE.sub(lambda match: "\\" + (f"x{ord(match[0]):02x}" if ord(match[0]) < 0x80
                                                else f"u{ord(match[0]):04x}"), text)


def cells_of(header, row):
    """Title -> cell. PODS stands at the right of its column, behind what ends before it."""
    titles = re.findall(r"\S+(?: \S+)*", header)
    starts = [header.index(title) for title in titles] + [None]
    cells = {title: row[start:end].strip()
             for title, start, end in zip(titles, starts, starts[1:])}
    if "PODS" in cells:
        at = titles.index("PODS")
        both = row[starts[at - 1]:starts[at + 1]].split()
        cells[titles[at - 1]], cells["PODS"] = both[0], both[-1]
    return cells


def parts_of(table):
    """Rows as cells, by the first title of the header above them, and the last line. Rows of
    subgroups, which are indented, are left out."""
    parts, header = {}, None
    lines = table.split("\n")
    for line in lines[:-2]:
        if not line:
            header = None
        elif header is None:
            header = line
            parts.setdefault(header.split("  ")[0], [])
        elif not line.startswith(" "):
            parts[header.split("  ")[0]].append(cells_of(header, line))
    return parts, lines[-2] if len(lines) > 1 else ""


def placed_and_all(pods):
    alive = [pod for pod in pods if pod["status"] not in FINISHED_PODS]
    return sum(pod["status"] in PLACED_PODS for pod in alive), len(alive)


def assigned_pods(workload):
    return sum(part["count"] for part in workload.get("podSetAssignments", []))


def check_gangs(rows, decisions, broken):
    pods_of = {}
    for pod in decisions["pods"]:
        pods_of.setdefault(pod["gang"], []).append(pod)
    wanted = []
    for gang in decisions["gangs"]:
        placed, count = placed_and_all(pods_of.get(full_name(gang), []))
        wanted.append((printable(full_name(gang)), printable(gang.get("queue", "-")),
                       gang["status"], f"{placed}/{count}"))
    found = [(row["GANG"], row["QUEUE"], row["STATUS"], row["PODS"]) for row in rows]
    if found != wanted:
        broken.append(f"gangs of the table {found}\nand of the document {wanted}")


def check_workloads(rows, decisions, broken):
    found = [(row["WORKLOAD"], row["STATUS"], int(row["PODS"])) for row in rows]
    wanted = [(printable(full_name(item)), item["status"]) for item in decisions["workloads"]]
    if [row[:2] for row in found] != wanted:
        broken.append(f"workloads of the table {found}\nand of the document {wanted}")
        return found
    for row, item in zip(found, decisions["workloads"]):
        if "podSetAssignments" in item and row[2] != assigned_pods(item):
            broken.append(f"{row[0]} has {row[2]} pods, and is admitted with {assigned_pods(item)}")
    return found


def check_evictions(rows, decisions, broken):
    count = 0
    for row in rows:
        names = row["EVICTED PODS"].split(" ")
        more = int(names[-1][1:]) - 1 if names[-1].startswith("+") else 0
        count += len(names) + more
    if count != len(decisions["evictions"]):
        broken.append(f"{count} pods are evicted in the table, "
                      f"{len(decisions['evictions'])} in the document")


def numbers(pattern, text):
    match = re.search(pattern, text)
    return tuple(int(number.replace(",", "")) for number in match.groups()) if match else None


def check_sums(line, decisions, workloads, broken):
    def expect(pattern, wanted):
        found = numbers(pattern, line)
        if found != wanted:
            broken.append(f"{pattern}: {found} in the sums, {wanted} by the rows: {line}")

    gangs = [gang for gang in decisions["gangs"] if gang["status"] != "Finished"]
    open_workloads = [row for row in workloads if row[1] != "Finished"]
    if open_workloads:
        admitted = [row for row in open_workloads if row[1] == "Admitted"]
        expect(rf"^{NUMBER} of {NUMBER} workloads? admitted with {NUMBER} of {NUMBER} pods?\b",
               (len(admitted), len(open_workloads),
                sum(row[2] for row in admitted), sum(row[2] for row in open_workloads)))
    if gangs or not open_workloads:
        placed = sum(gang["status"] in PLACED_GANGS for gang in gangs)
        expect(rf"\b{NUMBER} of {NUMBER} gangs? placed, {NUMBER} of {NUMBER} pods?\b",
               (placed, len(gangs), *placed_and_all(decisions["pods"])))
        domains = {(gang["placement"]["topology"], *gang["placement"]["domain"])
                   for gang in gangs if "placement" in gang}
        expect(rf", {NUMBER} domains? spanned", (len(domains),))
    gpus = sum(node["gpus"] for node in decisions["nodes"])
    idle = {node["name"]: min(node["gpus"], node["idleGPUs"]) for node in decisions["nodes"]}
    closed = sum(idle[node["name"]] for node in decisions["nodes"] if node.get("closed"))
    used = gpus - sum(idle.values())
    expect(rf", {NUMBER} of {NUMBER} GPUs? used", (used, gpus - closed) if gpus else None)
    expect(rf", {NUMBER} idle on closed nodes", (closed,) if closed else None)
    evicted = len(decisions["evictions"])
    expect(rf", {NUMBER} pods? evicted$", (evicted,) if evicted else None)


def check(table, decisions):
    """What does not agree, as lines."""
    broken = []
    parts, line = parts_of(table)
    check_gangs(parts.get("GANG", []), decisions, broken)
    workloads = check_workloads(parts.get("WORKLOAD", []), decisions, broken)
    check_evictions(parts.get("EVICTED PODS", []), decisions, broken)
    check_sums(line, decisions, workloads, broken)
    return broken
