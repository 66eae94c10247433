"""Bytes that each process read and wrote, and what failed."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter, defaultdict

from Util import strerror

asked = {}
sums = {way: defaultdict(lambda: [0, 0, 0]) for way in ("read", "write")}  # task → calls, requested, transferred
errors = Counter()


def leave(way, task, ret):
    row = sums[way][task]
    row[0] += 1
    row[1] += asked.pop((task[1], way), 0)
    row[2] += max(ret, 0)
    if ret < 0:
        errors[way, task, ret] += 1


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                             common_callchain, nr, fd, buf, count):
    asked[common_pid, "read"] = count


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                              common_callchain, nr, fd, buf, count, *more):
    asked[common_pid, "write"] = count


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, nr, ret):
    leave("read", (common_comm, common_pid), ret)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                             common_callchain, nr, ret):
    leave("write", (common_comm, common_pid), ret)


def trace_end():
    for way, rows in sums.items():
        print("%s\n\n%-16s %8s %12s %16s %16s" % (way, "comm", "pid", "calls", "bytes requested", "bytes done"))
        for (comm, pid), row in sorted(rows.items(), key=lambda pair: -pair[1][2]):
            print("%-16s %8d %12d %16d %16d" % (comm, pid, *row))
        print("%-16s %8s %12d %16d %16d\n" % ("total", "", *(sum(row[at] for row in rows.values()) for at in range(3))))
    for (way, (comm, pid), ret), count in sorted(errors.items()):
        print("%s failed: %s [%d] %s: %d" % (way, comm, pid, strerror(ret), count))
