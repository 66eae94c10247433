"""System calls as they happen: the counts of each interval. sctop [comm] [seconds]"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Table import Chosen, by_count
from Util import clear_term, nsecs, syscall_name

words = sys.argv[1:]
interval = (float(words.pop()) if words and words[-1].replace(".", "", 1).isdigit() else 3.0) * 1e9
chosen = Chosen(words)
counts = Counter()
shown_at = None


def show():
    if sys.stdout.isatty():
        clear_term()
    print("\nSystem calls%s: %d in %g s\n" % (chosen.text(), sum(counts.values()), interval / 1e9))
    for id, count in by_count(counts):
        print("%-40s %12d" % (syscall_name(id), count))
    sys.stdout.flush()
    counts.clear()


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, id, args):
    global shown_at
    now = nsecs(common_secs, common_nsecs)  # the recording's own clock: a file shows the same output as during the
                                            # recording
    if shown_at is None:
        shown_at = now
    while now - shown_at >= interval:
        show()
        shown_at += interval
    if chosen.has(common_comm, common_pid):
        counts[id] += 1


def trace_end():
    show()
