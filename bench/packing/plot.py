#!/usr/bin/env python3
"""Draws the GPUs in use while pods arrive: Trellis' strategies beside the published policies.

usage: trellis_packing FOLDER --list default > out.csv; plot.py out.csv > packing.svg
"""
import csv
import pathlib
import sys

WIDTH, HEIGHT = 640, 360
LEFT, RIGHT, TOP, BOTTOM = 50, 150, 20, 40
ARRIVED = ["80", "95", "100", "110", "120", "130"]
LOW, HIGH = 78, 98  # percent in use
GREY, COLOURS = "#999999", ["#b04a00", "#0057b0", "#007a3d"]


def x_of(arrived):
    return LEFT + (float(arrived) - 80) / 50 * (WIDTH - LEFT - RIGHT)


def y_of(used):
    return TOP + (HIGH - float(used)) / (HIGH - LOW) * (HEIGHT - TOP - BOTTOM)


def text(x, y, words, more=""):
    return f'<text x="{x:.0f}" y="{y:.0f}" {more}>{words}</text>'


def line(points, colour, width):
    path = " ".join(f"{x_of(at):.1f},{y_of(used):.1f}" for at, used in points)
    return f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{width}"/>'


def apart(labels):
    """Moves labels down until none covers another."""
    last = -100.0
    for y, words, colour in sorted(labels):
        last = max(y, last + 13)
        yield last, words, colour


def draw(trellis, published):
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
           'font-family="sans-serif" font-size="12">',
           f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>']
    for used in range(80, HIGH + 1, 5):
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y_of(used):.1f}" '
                   f'y2="{y_of(used):.1f}" stroke="#dddddd"/>')
        out.append(text(LEFT - 8, y_of(used) + 4, f"{used} %", 'text-anchor="end"'))
    for at in ARRIVED:
        out.append(text(x_of(at), HEIGHT - BOTTOM + 16, at, 'text-anchor="middle"'))
    out.append(text(LEFT, HEIGHT - 6, "GPUs requested so far, in percent of all; "
                                      "the lines: GPUs in use"))
    labels = []
    for row in published:
        out.append(line([(at, row[at]) for at in ARRIVED], GREY, 1))
        labels.append((y_of(row["130"]), row["policy"], GREY))
    for row, colour in zip(trellis, COLOURS):
        out.append(line([(at, row[at]) for at in ARRIVED], colour, 2.5))
        labels.append((y_of(row["130"]), f"Trellis, {row['strategy']}", colour))
    for y, words, colour in apart(labels):
        out.append(text(WIDTH - RIGHT + 6, y + 4, words, f'fill="{colour}"'))
    return "\n".join(out + ["</svg>", ""])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        trellis = [row for row in csv.DictReader(file) if row["list"] == "default"]
    beside = pathlib.Path(__file__).parent / "published.csv"
    with open(beside, encoding="utf-8") as file:
        published = list(csv.DictReader(file))
    sys.stdout.write(draw(trellis, published))


if __name__ == "__main__":
    main()
