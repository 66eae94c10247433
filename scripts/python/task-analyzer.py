"""When each task ran, for how long, and how long it was away. task-analyzer [--summary] [--tid N]"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import argparse

from Util import nsecs

parser = argparse.ArgumentParser(prog="task-analyzer", description=__doc__)
parser.add_argument("--summary", action="store_true", help="sums only")
parser.add_argument("--tid", type=int, action="append", help="only this thread; may be given again")
options = parser.parse_args()
on_cpu = {}     # cpu → tid, comm, since when
left_at = {}    # tid → when it was last switched out
sums = {}       # (comm, tid) → runs, time, longest, away
printed = False


def run_ended(cpu, now):
    tid, comm, since = on_cpu.pop(cpu)
    took, away = now - since, since - left_at.get(tid, since)
    left_at[tid] = now
    if tid == 0 or (options.tid and tid not in options.tid):
        return
    row = sums.setdefault((comm, tid), [0, 0, 0, 0])
    row[0] += 1
    row[1] += took
    row[2] = max(row[2], took)
    row[3] += away
    if not options.summary:
        global printed
        if not printed:
            print("%18s %18s %4s %8s %-16s %12s %12s" % ("in", "out", "cpu", "tid", "comm", "ran us", "away us"))
            printed = True
        print("%18.6f %18.6f %4d %8d %-16s %12.3f %12.3f" % (since / 1e9, now / 1e9, cpu, tid, comm, took / 1e3, away / 1e3))


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio):
    now = nsecs(common_secs, common_nsecs)
    if common_cpu in on_cpu:
        run_ended(common_cpu, now)
    on_cpu[common_cpu] = (next_pid, next_comm, now)


def trace_end():
    print("\n%-16s %8s %8s %16s %14s %16s" % ("comm", "tid", "runs", "ran us", "longest us", "away us"))
    for (comm, tid), (runs, took, longest, away) in sorted(sums.items(), key=lambda row: -row[1][1]):
        print("%-16s %8d %8d %16.3f %14.3f %16.3f" % (comm, tid, runs, took / 1e3, longest / 1e3, away / 1e3))
    print("total %d runs" % sum(row[0] for row in sums.values()))
