"""What handlers of a few events are given: a look at everything that scripts can use."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Core import *
from perf_trace_context import *

unhandled = Counter()


def header(name, cpu, secs, nsecs, pid, comm, context):
    print("%-20s %5u %05u.%09u %8u %-16s preempt_count=%d, flags=%s, lock_depth=%d" %
          (name, cpu, secs, nsecs, pid, comm, common_pc(context), trace_flag_str(common_flags(context)),
           common_lock_depth(context)))


def irq__softirq_entry(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                       common_callchain, vec):
    header(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm, context)
    print("vec=%s" % symbol_str("irq__softirq_entry", "vec", vec))


def kmem__kmalloc(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                  common_callchain, call_site, ptr, bytes_req, bytes_alloc, gfp_flags, *more):
    header(event_name, common_cpu, common_secs, common_nsecs, common_pid, common_comm, context)
    print("call_site=%x, ptr=%x, bytes_req=%u, bytes_alloc=%u, gfp_flags=%s" %
          (call_site, ptr, bytes_req, bytes_alloc, flag_str("kmem__kmalloc", "gfp_flags", gfp_flags)))


def trace_unhandled(event_name, context, fields):
    unhandled[event_name] += 1


def trace_end():
    print("\nEvents without a handler:")
    for name, count in sorted(unhandled.items()):
        print("%-40s %12d" % (name, count))
