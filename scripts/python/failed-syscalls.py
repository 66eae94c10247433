"""Programs by number of failed system calls."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Table import Chosen, print_counts

chosen = Chosen()
counts = Counter()


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                           common_callchain, id, ret):
    if -4096 < ret < 0 and chosen.has(common_comm, common_pid):
        counts[common_comm] += 1


def trace_end():
    print_counts("Failed system calls%s" % chosen.text(), "program", counts)
