"""Tasks that changed their CPU: from where to where, how often, and how long each CPU had work."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Util import nsecs

moves = {}        # (comm, pid) → Counter of (from, to)
busy = Counter()  # cpu → ns with a task on it
since = {}        # cpu → since when, idle
queue = {}        # cpu → runnable tasks
places = {}       # pid → cpu where it is runnable
longest = Counter()
first = last = None


def at(secs, ns):
    global first, last
    last = nsecs(secs, ns)
    first = last if first is None else first
    return last


def place(pid, cpu):
    """The task may run, and waits on that CPU."""
    if pid in places:
        queue[places[pid]].discard(pid)
    places[pid] = cpu
    queue.setdefault(cpu, set()).add(pid)
    longest[cpu] = max(longest[cpu], len(queue[cpu]))


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio):
    now = at(common_secs, common_nsecs)
    start, idle = since.get(common_cpu, (now, True))
    if not idle:
        busy[common_cpu] += now - start
    since[common_cpu] = (now, next_pid == 0)
    if prev_pid and prev_state & 0xff and prev_pid in places:  # the task sleeps
        queue[places.pop(prev_pid)].discard(prev_pid)
    if next_pid:
        place(next_pid, common_cpu)


def sched__sched_wakeup(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, comm, pid, prio, target_cpu):
    at(common_secs, common_nsecs)
    place(pid, target_cpu)


sched__sched_wakeup_new = sched__sched_wakeup


def sched__sched_migrate_task(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                              common_callchain, comm, pid, prio, orig_cpu, dest_cpu):
    at(common_secs, common_nsecs)
    moves.setdefault((comm, pid), Counter())[orig_cpu, dest_cpu] += 1
    if pid in places:
        place(pid, dest_cpu)


def trace_end():
    span = max((last or 0) - (first or 0), 1)
    print("%4s %10s %14s\n" % ("cpu", "busy", "most waiting"))
    for cpu in sorted(set(busy) | set(longest)):
        print("%4d %9.2f%% %14d" % (cpu, 100 * busy[cpu] / span, longest[cpu]))
    print("\n%-16s %8s %10s  %s" % ("comm", "pid", "moves", "from>to"))
    for (comm, pid), ways in sorted(moves.items(), key=lambda row: -sum(row[1].values())):
        text = ", ".join("%d>%d %d times" % (*way, count) for way, count in ways.most_common(6))
        print("%-16s %8d %10d  %s" % (comm, pid, sum(ways.values()), text))
    print("total %d moves" % sum(sum(ways.values()) for ways in moves.values()))
