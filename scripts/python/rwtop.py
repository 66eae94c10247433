"""Readers and writers as they happen: the bytes of each interval. rwtop [seconds]"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Table import by_count
from Util import clear_term, nsecs

interval = float(sys.argv[1] if len(sys.argv) > 1 else 3) * 1e9
done = {"read": Counter(), "write": Counter()}
shown_at = None


def show():
    if sys.stdout.isatty():
        clear_term()
    for way, counts in done.items():
        print("\n%s: %d bytes in %g s\n" % (way, sum(counts.values()), interval / 1e9))
        for (comm, pid), count in by_count(counts):
            print("%-16s %8d %16d" % (comm, pid, count))
        counts.clear()
    sys.stdout.flush()


def add(way, secs, ns, task, ret):
    global shown_at
    now = nsecs(secs, ns)
    shown_at = now if shown_at is None else shown_at
    while now - shown_at >= interval:
        show()
        shown_at += interval
    if ret > 0:
        done[way][task] += ret


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, nr, ret):
    add("read", common_secs, common_nsecs, (common_comm, common_pid), ret)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                             common_callchain, nr, ret):
    add("write", common_secs, common_nsecs, (common_comm, common_pid), ret)


def trace_end():
    show()
