"""System calls by number of times: of all, of a program, or of a process."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Table import Chosen, print_counts
from Util import syscall_name

chosen = Chosen()
counts = Counter()


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, id, args):
    if chosen.has(common_comm, common_pid):
        counts[id] += 1


def trace_end():
    print_counts("System calls%s" % chosen.text(), "call", Counter({syscall_name(id): n for id, n in counts.items()}))
