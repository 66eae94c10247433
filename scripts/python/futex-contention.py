"""How long threads waited for each futex."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Table import microseconds
from Util import FUTEX_CMD_MASK, FUTEX_WAIT, nsecs

waiting = {}  # tid → address, start time
waits = {}    # (comm, tid, address) → count, sum, longest


def syscalls__sys_enter_futex(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                              common_callchain, nr, uaddr, op, val, utime, uaddr2, val3):
    if op & FUTEX_CMD_MASK in (FUTEX_WAIT, 9):  # 9: FUTEX_WAIT_BITSET, which libc uses for timeouts
        waiting[common_pid] = (uaddr, nsecs(common_secs, common_nsecs))


def syscalls__sys_exit_futex(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                             common_callchain, nr, ret):
    if common_pid not in waiting:
        return
    address, since = waiting.pop(common_pid)
    took = nsecs(common_secs, common_nsecs) - since
    count, total, longest = waits.get((common_comm, common_pid, address), (0, 0, 0))
    waits[common_comm, common_pid, address] = (count + 1, total + took, max(longest, took))


def trace_end():
    print("%-16s %8s %18s %10s %14s %14s" % ("comm", "tid", "futex", "waits", "average us", "longest us"))
    for (comm, tid, address), (count, total, longest) in sorted(waits.items(), key=lambda pair: -pair[1][1]):
        print("%-16s %8d %18x %10d %14s %14s" % (comm, tid, address, count, microseconds(total / count),
                                                microseconds(longest)))
    print("total %d" % sum(count for count, _, _ in waits.values()))
