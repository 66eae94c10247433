"""Where the kernel dropped packets, and why."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import bisect
from collections import Counter

from Table import print_counts

drops = Counter()


def skb__kfree_skb(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                   common_callchain, skbaddr, location, *more):
    drops[location, more[-1] if more else 0] += 1


def places():
    """Sorted starts and names of this kernel's functions."""
    try:
        with open("/proc/kallsyms", encoding="ascii") as file:
            found = sorted((int(line.split()[0], 16), line.split()[2]) for line in file if line[17] in "tTwW")
    except (OSError, ValueError):
        found = []
    return [start for start, _ in found], [name for _, name in found]


def trace_end():
    starts, names = places()
    shown = Counter()
    for (location, reason), count in drops.items():
        at = bisect.bisect_right(starts, location) - 1
        place = "%s+0x%x" % (names[at], location - starts[at]) if at >= 0 and starts[at] else hex(location)
        shown["%s reason %s" % (place, symbol_str("skb__kfree_skb", "reason", reason) or reason)] += count
    print_counts("Dropped packets", "place", shown)


from Core import *  # symbol_str, and the event that defines the names of reasons
