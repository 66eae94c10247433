"""System calls of each process by number of times."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter, defaultdict

from Table import Chosen, by_count
from Util import syscall_name

chosen = Chosen()
tasks = defaultdict(Counter)


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, id, args):
    if chosen.has(common_comm, common_pid):
        tasks[common_comm, common_pid][id] += 1


def trace_end():
    print("System calls%s by process\n" % chosen.text())
    for (comm, pid), calls in sorted(tasks.items()):
        print("%s [%d]: %d" % (comm, pid, sum(calls.values())))
        for id, count in by_count(calls):
            print("    %-36s %12d" % (syscall_name(id), count))
    print("total %d" % sum(sum(calls.values()) for calls in tasks.values()))
