#!/usr/bin/env python3
"""One table of Trellis' figures beside those of other schedulers, as text and as a picture.

compare.py                       table.md and compare.svg, from results.json and peers.json
compare.py --run                 runs what the table needs first, and writes results.json
    --bench B --packing P        the programs, of build/release
    --only NAME                  benchmarks whose names start so; the others stay those of before
    --openb FOLDER               the openb trace; without it the GPUs in use stay those of before
    --bars FILE                  what tests/kube/bars.py printed; without it they stay, too
compare.py --check               1 when table.md, compare.svg or the rows of README.md are not those
                                 of the data

peers.json has the other side of each row, and which figure of ours is beside it. A figure of ours
is always one that a program wrote.
"""

import argparse
import datetime
import json
import math
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
NANOSECONDS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
HEAD = ["what", "Trellis", "other", "", "how alike", "Trellis: measured", "other: source"]
SHORT = 5  # columns that README.md shows
REPETITIONS = 3
OTHER_PROGRAMS = ("openb/", "bars/")
LESS_IS_BETTER = ("time", "bytes")
BARS = {"trellis": "trellis: from its start to the last bind",
        "kube-scheduler": "default-scheduler: from its start to the last bind"}


# Our figures.

def machine():
    cpus = pathlib.Path("/proc/cpuinfo").read_text(encoding="ascii")
    model = re.search(r"model name\s*:\s*(.*)", cpus)
    count = cpus.count("processor\t")
    name = model[1].strip() if model else "unknown"
    return f"{count} cores of {name}, load {os.getloadavg()[0]:.1f}"


def run_benchmark(program, name, counters):
    """Its counters and processor time, of the fastest repetition."""
    done = subprocess.run(
        [program, f"--benchmark_filter=^{re.escape(name)}$", "--benchmark_format=json",
         "--benchmark_min_time=0.02", f"--benchmark_repetitions={REPETITIONS}"],
        check=True, capture_output=True, text=True)
    rows = json.loads(done.stdout)["benchmarks"] if done.stdout else []
    rows = [row for row in rows if row["run_type"] == "iteration"]
    if not rows or any(row.get("error_occurred") for row in rows):
        raise SystemExit(f"{name}: {rows[0].get('error_message') if rows else 'no such benchmark'}")
    best = min(rows, key=lambda row: row["cpu_time"])
    kept = {"cpu_ns": round(best["cpu_time"] * NANOSECONDS[best["time_unit"]], 1)}
    return kept | {counter: round(best[counter], 1) for counter in counters if counter in best}


def run_packing(program, folder):
    text = subprocess.run([program, folder, "--list", "default", "--strategy", "fragmentation"],
                          check=True, capture_output=True, text=True).stdout
    names, values = (line.split(",") for line in text.splitlines()[:2])
    return {f"openb/default/{name}": {"percent": float(value)}
            for name, value in zip(names, values) if name.isdigit()}


def read_bars(path):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    found = {}
    for name, words in BARS.items():
        if match := re.search(re.escape(words) + r"\s+([\d.]+) pods/s", text):
            found[f"bars/{name}"] = {"pods_per_second": float(match[1])}
    if len(found) != len(BARS):
        raise SystemExit(f"{path} is not what `bars.py pods` prints")
    return found


def measure(arguments, rows):
    path = HERE / "results.json"
    results = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    shown_names = {row[key] for row in rows for key in ("ours", "value_of") if key in row}

    def keep(figures):
        stamp = {"machine": machine(), "date": datetime.date.today().isoformat()}
        results.update({name: {**values, **stamp} for name, values in figures.items()
                        if name in shown_names})
        text = ",\n".join(f"  {json.dumps(name)}: {json.dumps(results[name])}"
                          for name in sorted(results))
        path.write_text("{\n" + text + "\n}\n", encoding="utf-8")

    if arguments.openb:
        keep(run_packing(arguments.packing, arguments.openb))
    if arguments.bars:
        keep(read_bars(arguments.bars))
    for row in rows:
        wanted = row["ours"].startswith(arguments.only)
        if wanted and not row["ours"].startswith(OTHER_PROGRAMS):
            keep({row["ours"]: run_benchmark(arguments.bench, row["ours"], counters_of(row))})


# The table.

def time_text(nanoseconds):
    unit = next(unit for unit, size in reversed(NANOSECONDS.items())
                if nanoseconds >= size or size == 1)
    return f"{three_digits(nanoseconds / NANOSECONDS[unit])} {unit}"


def three_digits(value):
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def thousands(value):
    digits = 10 ** max(len(str(int(value))) - 3, 0)
    return f"{round(value / digits) * digits:,.0f}"


def shown(row, value):
    """A figure in the row's unit."""
    if row["unit"] == "time":
        return time_text(value)
    return f"{value:.2f} %" if row["unit"] == "%" else f"{thousands(value)} {row['unit']}"


def times_better(row, ours, other):
    return other / ours if row["unit"] in LESS_IS_BETTER else ours / other


def factor(row, ours, other):
    if row["unit"] == "%":
        return f"{ours - other:+.2f}"
    times = times_better(row, ours, other)
    return f"{thousands(times) if times >= 100 else three_digits(times)} times"


def counters_of(row):
    return row["counter"] if isinstance(row["counter"], list) else [row["counter"]]


def figure(row, name, results):
    return sum(results[name][counter] for counter in counters_of(row))


def peer_value(row, results):
    if "value_of" in row:
        return figure(row, row["value_of"], results)
    return row["value"] * NANOSECONDS[row["in"]] if row["unit"] == "time" else row["value"]


def filled(rows, results):
    """Rows with both figures."""
    for row in rows:
        if row["ours"] in results:
            own = results[row["ours"]]
            yield row, own, figure(row, row["ours"], results), peer_value(row, results)


def cells(row, own, ours, other):
    source = f"{row['how']}, {row['version']}"
    source += f", {row['machine']}" if row.get("machine") else ""
    source += f", {row['date']}" + (f": {row['source']}" if row.get("source") else "")
    return [row["what"], shown(row, ours), f"{row['peer']}: {shown(row, other)}",
            factor(row, ours, other), row["scope"],
            f"`{row['ours']}`, {own['machine']}, {own['date']}", source]


def lines_of(table):
    return ["| " + " | ".join(line) + " |" for line in table]


def markdown(entries):
    table = [cells(*entry) for entry in entries]
    return "\n".join([
        "# Trellis beside other schedulers", "",
        "`bench/compare/compare.py` writes this file; [README.md](README.md) says how.",
        "The fourth column is how many times better Trellis' figure is, or the percent that it uses "
        "more.",
        "Where the machines differ, it contains their difference, too.", "",
        *lines_of([HEAD]), "|" + "---|" * len(HEAD), *lines_of(table), ""])


def readme_rows(entries):
    chosen = [cells(*entry)[:SHORT] for entry in entries if entry[0].get("in_readme")]
    return [*lines_of([HEAD[:SHORT]]), "|" + "---|" * SHORT, *lines_of(chosen)]


# The picture: how many times faster, on a logarithmic scale.

def svg(entries):
    entries = [entry for entry in entries if entry[0]["unit"] != "%"]
    width, left, right, step, top = 860, 420, 90, 24, 30
    height = top + step * len(entries) + 40
    decades = 6
    colours = {"like": "#0057b0", "unlike": "#b8c9dc"}

    def x_of(decade):
        return left + min(max(decade, 0), decades) / decades * (width - left - right)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{width}" height="{height}" fill="white"/>']
    for decade in range(decades + 1):
        out.append(f'<line x1="{x_of(decade):.1f}" x2="{x_of(decade):.1f}" y1="{top - 6}" '
                   f'y2="{height - 34}" stroke="#dddddd"/>')
        out.append(f'<text x="{x_of(decade):.1f}" y="{top - 12}" text-anchor="middle">'
                   f'{10 ** decade:,}</text>')
    for at, (row, _, ours, other) in enumerate(entries):
        y = top + at * step
        times = times_better(row, ours, other)
        end = x_of(math.log10(max(times, 1)))
        name = re.sub(r"[&<>]", "", f"{row['peer']}: {row['brief']}")
        out.append(f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
        out.append(f'<rect x="{left}" y="{y + 3}" width="{max(end - left, 1):.1f}" '
                   f'height="{step - 8}" fill="{colours["like" if row["alike"] else "unlike"]}"/>')
        out.append(f'<text x="{end + 5:.1f}" y="{y + 14}">{factor(row, ours, other)}</text>')
    out.append(f'<text x="{left - 200}" y="{height - 12}">how many times faster Trellis is; pale: '
               "the figures do not contain the same (table.md)</text>")
    return "\n".join(out + ["</svg>", ""])


def check(files, readme):
    wrong = [str(path.relative_to(ROOT)) for path, text in files.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text]
    page = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    missing = [line for line in readme if line not in page]
    known = page.index(readme[0]) if not missing else -1
    shown_rows = page[known:known + len(readme) + 1] if known >= 0 else []
    more = bool(shown_rows) and shown_rows[-1].startswith("|")
    for name in wrong:
        print(f"{name} is not what bench/compare/compare.py writes")
    for line in missing:
        print(f"README.md lacks this row of the table: {line}")
    if more or (known >= 0 and page[known:known + len(readme)] != readme):
        print("README.md has other rows, or in another order")
    return 1 if wrong or missing or more or page[known:known + len(readme)] != readme else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--run", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--bench", default="build/release/trellis_bench")
    parser.add_argument("--packing", default="build/release/trellis_packing")
    parser.add_argument("--only", default="")
    parser.add_argument("--openb", default="")
    parser.add_argument("--bars", default="")
    arguments = parser.parse_args()
    rows = json.loads((HERE / "peers.json").read_text(encoding="utf-8"))
    if arguments.run:
        measure(arguments, rows)
    results = json.loads((HERE / "results.json").read_text(encoding="utf-8"))
    entries = list(filled(rows, results))
    files = {HERE / "table.md": markdown(entries), HERE / "compare.svg": svg(entries)}
    readme = readme_rows(entries)
    if arguments.check:
        sys.exit(check(files, readme))
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    print((HERE / "table.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
