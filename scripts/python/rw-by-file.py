"""Bytes that a program read and wrote, by descriptor. rw-by-file <comm>"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import defaultdict

from Table import Chosen

chosen = Chosen()
pending = {}  # (tid, direction) → descriptor, bytes requested
files = defaultdict(lambda: [0, 0, 0])  # (direction, descriptor) → calls, requested, transferred


def enter(way, tid, comm, fd, count):
    if chosen.has(comm, tid):
        pending[tid, way] = (fd, count)


def leave(way, tid, ret):
    if (tid, way) in pending:
        fd, count = pending.pop((tid, way))
        sums = files[way, fd]
        sums[0] += 1
        sums[1] += count
        sums[2] += max(ret, 0)


def syscalls__sys_enter_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                             common_callchain, nr, fd, buf, count):
    enter("read", common_pid, common_comm, fd, count)


def syscalls__sys_enter_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                              common_callchain, nr, fd, buf, count, *more):
    enter("write", common_pid, common_comm, fd, count)


def syscalls__sys_exit_read(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, nr, ret):
    leave("read", common_pid, ret)


def syscalls__sys_exit_write(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                             common_callchain, nr, ret):
    leave("write", common_pid, ret)


def trace_end():
    for way in ("read", "write"):
        print("%s%s\n" % (way, chosen.text()))
        print("%6s %12s %16s %16s" % ("fd", "calls", "bytes requested", "bytes done"))
        rows = sorted(((sums, fd) for (which, fd), sums in files.items() if which == way), reverse=True,
                      key=lambda row: row[0][2])
        for (calls, asked, done), fd in rows:
            print("%6d %12d %16d %16d" % (fd, calls, asked, done))
        print("%6s %12d %16d %16d\n" % ("total", *(sum(sums[at] for sums, _ in rows) for at in range(3))))
