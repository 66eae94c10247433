"""How long woken tasks waited for a CPU."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Table import microseconds
from Util import nsecs

woken = {}
waits = {}  # (comm, pid) → count, sum, longest, when
wakeups = 0


def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, comm, pid, *more):
    global wakeups
    wakeups += 1
    woken.setdefault(pid, nsecs(common_secs, common_nsecs))


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio):
    since = woken.pop(next_pid, None)
    if since is None:
        return
    now = nsecs(common_secs, common_nsecs)
    count, total, longest, when = waits.get((next_comm, next_pid), (0, 0, -1, 0))
    if now - since > longest:
        longest, when = now - since, now
    waits[next_comm, next_pid] = (count + 1, total + now - since, longest, when)


def trace_end():
    print("%-16s %8s %10s %14s %14s %18s" % ("comm", "pid", "waits", "average us", "longest us", "at"))
    for (comm, pid), (count, total, longest, when) in sorted(waits.items(), key=lambda pair: -pair[1][2]):
        print("%-16s %8d %10d %14s %14s %18.6f" % (comm, pid, count, microseconds(total / count),
                                                  microseconds(longest), when / 1e9))
    print("total %d waits, %d wakeups" % (sum(wait[0] for wait in waits.values()), wakeups))
