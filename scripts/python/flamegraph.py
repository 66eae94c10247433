"""Call chains as a flame graph: one HTML file that needs nothing else. flamegraph [-o FILE]"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import html

from Table import options

where = options(valued=["-o"]).get("-o", "flamegraph.html")
root = {"name": "all", "value": 0, "children": {}}
HEIGHT, WIDTH = 17, 1200


def add(names):
    node = root
    node["value"] += 1
    for name in names:
        node = node["children"].setdefault(name, {"name": name, "value": 0, "children": {}})
        node["value"] += 1


def process_event(param_dict):
    chain = param_dict["callchain"]
    names = [frame["sym"]["name"] if "sym" in frame else "[unknown]" for frame in reversed(chain)]
    add([param_dict["comm"], *(names or [param_dict.get("symbol", "[unknown]")])])


def trace_unhandled(event_name, context, fields, perf_sample_dict):
    process_event(perf_sample_dict)


def boxes(node, x, depth, out):
    """Appends the node's box and those above it; returns the depth of the highest."""
    width = node["value"] / max(root["value"], 1) * WIDTH
    if width < 0.3:
        return depth
    share = 100 * node["value"] / root["value"]
    text = html.escape("%s: %s, %.2f%%" % (node["name"], counted(node["value"]), share))
    label = html.escape(node["name"][:max(int(width / 7), 0)])
    colour = "hsl(%d,70%%,65%%)" % (hash_of(node["name"]) % 50 + 5)
    out.append((x, depth, width, colour, text, label))
    highest = depth
    for child in sorted(node["children"].values(), key=lambda each: each["name"]):
        highest = max(highest, boxes(child, x, depth + 1, out))
        x += child["value"] / root["value"] * WIDTH
    return highest


def counted(samples):
    return "{:,} sample{}".format(samples, "" if samples == 1 else "s")


def hash_of(name):
    total = 0
    for char in name:
        total = (total * 31 + ord(char)) & 0xffff
    return total


def trace_end():
    out = []
    rows = boxes(root, 0, 0, out) + 1
    parts = ['<!DOCTYPE html><meta charset="utf-8"><title>Flame graph</title>',
             # Reversed, so that the page opens at its end, where the graph starts.
             '<style>html, body { height: 100%; margin: 0 } svg { flex: none }'
             'body { display: flex; flex-direction: column-reverse; overflow: auto }</style>',
             '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="monospace" font-size="11">'
             % (WIDTH, rows * HEIGHT)]
    for x, depth, width, colour, text, label in out:
        y = (rows - depth - 1) * HEIGHT
        parts.append('<g><title>%s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s" stroke="white"/>'
                     '<text x="%.1f" y="%d">%s</text></g>' % (text, x, y, width, HEIGHT - 1, colour, x + 2, y + 12, label))
    parts.append("</svg>\n")
    with (sys.stdout if where == "-" else open(where, "w", encoding="utf-8")) as file:
        file.write("\n".join(parts))
    if where != "-":
        print("%s: %s (with zoom and search: report --html FILE)" % (where, counted(root["value"])))
