"""Times, statistics and names for scripts.

SPDX-License-Identifier: Apache-2.0
"""
import errno

from perf_trace_context import perf_syscall_name

FUTEX_WAIT = 0
FUTEX_WAKE = 1
FUTEX_PRIVATE_FLAG = 128
FUTEX_CLOCK_REALTIME = 256
FUTEX_CMD_MASK = ~(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME)

NSECS_PER_SEC = 1000000000


def avg(total, n):
    return total / n


def nsecs(secs, nsecs):
    return secs * NSECS_PER_SEC + nsecs


def nsecs_secs(nsecs):
    return nsecs / NSECS_PER_SEC


def nsecs_nsecs(nsecs):
    return nsecs % NSECS_PER_SEC


def nsecs_str(nsecs):
    return "%5u.%09u," % (nsecs_secs(nsecs), nsecs_nsecs(nsecs))


def add_stats(dict, key, value):
    """dict[key] becomes (smallest, largest, average, count); the average is the running one that perf has."""
    if key not in dict:
        dict[key] = (value, value, value, 1)
        return
    low, high, mean, count = dict[key]
    dict[key] = (min(low, value), max(high, value), (mean + value) / 2, count + 1)


def clear_term():
    print("\x1b[H\x1b[2J")


def syscall_name(id):
    """The system call's name on the recorded machine; its number where it has none."""
    return perf_syscall_name(id) or str(id)


def strerror(nr):
    """ENOENT of -2 or 2."""
    return errno.errorcode.get(abs(nr), "Unknown %d errno" % nr)
