"""What scripts for `script -s` share: names of flags and values, dicts that grow, the head of an event.

SPDX-License-Identifier: Apache-2.0
"""
from collections import defaultdict


def autodict():
    """A dict whose missing keys are such dicts again: counts[comm][pid] = 1 needs no preparation."""
    return defaultdict(autodict)


# By event and field: the print format's names for their bits and values. Filled before the first event.
flag_fields = autodict()
symbolic_fields = autodict()

TRACE_FLAGS = {0x00: "NONE", 0x01: "IRQS_OFF", 0x02: "IRQS_NOSUPPORT", 0x04: "NEED_RESCHED", 0x08: "HARDIRQ",
               0x10: "SOFTIRQ"}
TASK_STATES = {0: "R", 1: "S", 2: "D", 64: "DEAD"}


def define_flag_field(event_name, field_name, delim):
    flag_fields[event_name][field_name]["delim"] = delim


def define_flag_value(event_name, field_name, value, field_str):
    flag_fields[event_name][field_name]["values"][value] = field_str


def define_symbolic_field(event_name, field_name):
    symbolic_fields[event_name][field_name]  # the field is known, whether or not values follow


def define_symbolic_value(event_name, field_name, value, field_str):
    symbolic_fields[event_name][field_name]["values"][value] = field_str


def _set_bits(names, value, joint):
    """The names of the bits of `value`, lowest first; that of 0 where no bit is set."""
    if value == 0:
        return names.get(0, "")
    found = []
    for bits in sorted(names):
        if bits and value & bits == bits:
            found.append(names[bits])
            value &= ~bits
    return joint.join(found)


def flag_str(event_name, field_name, value):
    """ "GFP_KERNEL | __GFP_ZERO" of a field that __print_flags() prints; "" for any other."""
    field = flag_fields.get(event_name, {}).get(field_name)
    if not field:
        return ""
    delim = field["delim"] if "delim" in field else ""
    return _set_bits(field["values"], value, " %s " % delim if delim else "")


def symbol_str(event_name, field_name, value):
    """ "TIMER" of a field that __print_symbolic() prints; "" for any other, and for a value without name."""
    field = symbolic_fields.get(event_name, {}).get(field_name)
    return field["values"].get(value, "") if field else ""


def trace_flag_str(value):
    """common_flags() in words."""
    return _set_bits(TRACE_FLAGS, value, " | ")


def taskState(state):
    return TASK_STATES.get(state, "Unknown")


class EventHeaders:
    """Where and when an event happened."""

    def __init__(self, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain):
        self.cpu = common_cpu
        self.secs = common_secs
        self.nsecs = common_nsecs
        self.pid = common_pid
        self.comm = common_comm
        self.callchain = common_callchain

    def ts(self):
        return self.secs * 10 ** 9 + self.nsecs

    def ts_format(self):
        return "%d.%d" % (self.secs, self.nsecs // 1000)
