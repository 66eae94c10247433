"""Samples as objects, by the size of what their hardware recorded with them.

SPDX-License-Identifier: Apache-2.0
"""
import struct

EVTYPE_GENERIC = 0
EVTYPE_PEBS = 1     # registers of an Intel PEBS record
EVTYPE_PEBS_LL = 2  # the same with the latency of a load
EVTYPE_IBS = 3


def create_event(name, comm, dso, symbol, raw_buf):
    """The class that fits the raw bytes of a sample."""
    kind = {144: PebsEvent, 176: PebsNHM}.get(len(raw_buf), PerfEvent)
    return kind(name, comm, dso, symbol, raw_buf)


class PerfEvent:
    event_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_GENERIC):
        self.name = name
        self.comm = comm
        self.dso = dso
        self.symbol = symbol
        self.raw_buf = raw_buf
        self.ev_type = ev_type
        PerfEvent.event_num += 1

    def show(self):
        print("PMU event: name=%12s, symbol=%24s, comm=%8s, dso=%12s" % (self.name, self.symbol, self.comm, self.dso))


class PebsEvent(PerfEvent):
    """Flags, instruction pointer and the first registers lead the record."""
    pebs_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS):
        self.flags, self.ip, self.ax, self.bx, self.cx, self.dx, self.si, self.di, self.bp, self.sp = \
            struct.unpack("10Q", raw_buf[:80])
        PerfEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        PebsEvent.pebs_num += 1


class PebsNHM(PebsEvent):
    """Since Nehalem: four words on the access behind the registers."""
    pebs_nhm_num = 0

    def __init__(self, name, comm, dso, symbol, raw_buf, ev_type=EVTYPE_PEBS_LL):
        self.status, self.dla, self.dse, self.lat = struct.unpack("QQQQ", raw_buf[144:176])
        PebsEvent.__init__(self, name, comm, dso, symbol, raw_buf, ev_type)
        PebsNHM.pebs_nhm_num += 1
