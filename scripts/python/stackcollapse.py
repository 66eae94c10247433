"""Call chains as folded lines with their number: what flame graph programs read."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Table import options

given = options(flags=["--pid", "--tid"])
with_pid, with_tid = "--pid" in given, "--tid" in given
stacks = Counter()


def add(comm, pid, tid, callchain, symbol):
    names = [frame["sym"]["name"] if "sym" in frame else "[unknown]" for frame in reversed(callchain)] or [symbol]
    head = comm.replace(" ", "_")
    if with_tid:
        head += "-%d/%d" % (pid, tid)
    elif with_pid:
        head += "-%d" % pid
    stacks[";".join([head, *names])] += 1


def process_event(param_dict):
    sample = param_dict["sample"]
    add(param_dict["comm"], sample["pid"], sample["tid"], param_dict["callchain"], param_dict.get("symbol", "[unknown]"))


def trace_unhandled(event_name, context, fields, perf_sample_dict):
    process_event(perf_sample_dict)


def trace_end():
    for stack, count in sorted(stacks.items()):
        print("%s %d" % (stack, count))
