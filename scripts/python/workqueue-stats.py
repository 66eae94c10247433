"""Work items by function: how often they were queued, how long they waited, how long they ran."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Table import microseconds
from Util import nsecs

queued = {}   # work → time queued
running = {}  # work → function, start time, delay
stats = {}    # function → queued, runs, delay, busy time, longest


def of(function):
    return stats.setdefault(function, [0, 0, 0, 0, 0])


def workqueue__workqueue_queue_work(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                                    common_callchain, work, function, *more):
    of(function)[0] += 1
    queued.setdefault(work, nsecs(common_secs, common_nsecs))


def workqueue__workqueue_execute_start(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
                                       common_comm, common_callchain, work, function):
    now = nsecs(common_secs, common_nsecs)
    running[work] = (function, now, now - queued.pop(work, now))


def workqueue__workqueue_execute_end(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
                                     common_comm, common_callchain, work, *more):
    if work not in running:
        return
    function, since, waited = running.pop(work)
    took = nsecs(common_secs, common_nsecs) - since
    row = of(function)
    row[1] += 1
    row[2] += waited
    row[3] += took
    row[4] = max(row[4], took)


def kernel_names():
    """Addresses of this kernel's functions; a recording of another boot keeps its numbers."""
    try:
        with open("/proc/kallsyms", encoding="ascii") as file:
            return {int(line.split()[0], 16): line.split()[2] for line in file if line[17] in "tT"}
    except (OSError, ValueError):
        return {}


def trace_end():
    names = kernel_names()
    print("%-40s %8s %8s %14s %14s %14s" % ("function", "queued", "ran", "waited us", "busy us", "longest us"))
    for function, (count, ran, waited, busy, longest) in sorted(stats.items(), key=lambda row: -row[1][3]):
        print("%-40s %8d %8d %14s %14s %14s" % (names.get(function, hex(function)), count, ran,
                                               microseconds(waited / max(ran, 1)), microseconds(busy),
                                               microseconds(longest)))
    print("total %d queued, %d ran" % (sum(row[0] for row in stats.values()), sum(row[1] for row in stats.values())))
