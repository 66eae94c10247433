"""Failed system calls of each process, by call and error."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter, defaultdict

from Table import Chosen, by_count
from Util import strerror, syscall_name

chosen = Chosen()
tasks = defaultdict(Counter)


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                           common_callchain, id, ret):
    if -4096 < ret < 0 and chosen.has(common_comm, common_pid):
        tasks[common_comm, common_pid][id, ret] += 1


def trace_end():
    print("Failed system calls%s by process\n" % chosen.text())
    for (comm, pid), calls in sorted(tasks.items()):
        print("%s [%d]" % (comm, pid))
        for (id, ret), count in by_count(calls):
            print("    %-28s %-16s %12d" % (syscall_name(id), strerror(ret), count))
    print("total %d" % sum(sum(calls.values()) for calls in tasks.values()))
