"""How long memory compaction took, by process; -v: each run."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Table import microseconds, options
from Util import nsecs

verbose = "-v" in options(flags=["-v"])
began = {}
tasks = {}     # (comm, pid) → runs, time, pages moved, pages that could not be moved
pages = {}     # pid → pages moved, pages failed in the current run


def compaction__mm_compaction_begin(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                                    common_callchain, *zone):
    began[common_pid] = nsecs(common_secs, common_nsecs)
    pages[common_pid] = (0, 0)


def compaction__mm_compaction_migratepages(event_name, context, common_cpu, common_secs, common_nsecs, common_pid,
                                           common_comm, common_callchain, nr_migrated, nr_failed):
    moved, failed = pages.get(common_pid, (0, 0))
    pages[common_pid] = (moved + nr_migrated, failed + nr_failed)


def compaction__mm_compaction_end(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                                  common_callchain, *zone):
    if common_pid not in began:
        return
    took = nsecs(common_secs, common_nsecs) - began.pop(common_pid)
    moved, failed = pages.pop(common_pid, (0, 0))
    row = tasks.setdefault((common_comm, common_pid), [0, 0, 0, 0])
    for at, value in enumerate((1, took, moved, failed)):
        row[at] += value
    if verbose:
        print("%s [%d]: %s us, %d pages moved, %d failed" % (common_comm, common_pid, microseconds(took), moved, failed))


def trace_end():
    print("%-16s %8s %8s %16s %10s %10s" % ("comm", "pid", "runs", "us", "moved", "failed"))
    for (comm, pid), (runs, took, moved, failed) in sorted(tasks.items(), key=lambda pair: -pair[1][1]):
        print("%-16s %8d %8d %16s %10d %10d" % (comm, pid, runs, microseconds(took), moved, failed))
    print("total %d" % sum(row[0] for row in tasks.values()))
