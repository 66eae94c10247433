"""Samples by the kind of physical memory that they touched, as this machine's /proc/iomem has it."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import bisect
from collections import Counter

from Table import print_counts

ranges = []
counts = {}


def trace_begin():
    with open("/proc/iomem", encoding="ascii", errors="replace") as file:
        for line in file:
            place, _, name = line.strip().partition(" : ")
            start, _, end = place.partition("-")
            if not line.startswith(" "):  # nested ranges belong to the enclosing one
                ranges.append((int(start, 16), int(end, 16), name))
    ranges.sort()


def kind_of(address):
    at = bisect.bisect_right(ranges, (address, 1 << 64, "")) - 1
    return ranges[at][2] if at >= 0 and ranges[at][0] <= address <= ranges[at][1] else "[unknown]"


def process_event(param_dict):
    counts.setdefault(param_dict["ev_name"], Counter())[kind_of(param_dict["sample"]["phys_addr"])] += 1


def trace_end():
    for event, kinds in counts.items():
        print_counts("Event %s" % event, "memory", kinds)
