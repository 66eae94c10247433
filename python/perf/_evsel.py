"""One event: what is asked of the kernel, and its descriptors once it is open."""
import fcntl
import os
import struct

from . import _constants as c
from ._attr import FLAGS, Attr, open_event
from ._event import Layout
from ._maps import cpu_map, thread_map

_ENABLE, _DISABLE, _ID = 0x2400, 0x2401, 0x80082407
_SET_OUTPUT, _SET_FILTER = 0x2405, 0x40082406
_WORDS = ("type", "config", "sample_period", "sample_type", "read_format", "wakeup_events", "bp_type", "bp_addr", "bp_len")
_FLAGS = tuple(flag if isinstance(flag, str) else flag[0] for flag in FLAGS)


class counts_values:
    """A count, and for how many nanoseconds it was wanted and really counted."""
    __slots__ = ("val", "ena", "run", "id", "lost")

    def __init__(self, val=0, ena=0, run=0, id=0, lost=0):
        self.val, self.ena, self.run, self.id, self.lost = val, ena, run, id, lost

    @property
    def scaled(self):
        """What it would have been had it counted all the time."""
        return self.val * self.ena // self.run if self.run else 0

    def __repr__(self):
        return f"perf.counts_values(val={self.val}, ena={self.ena}, run={self.run})"


class evsel:
    """evsel(type=perf.TYPE_SOFTWARE, config=perf.COUNT_SW_CPU_CLOCK, sample_period=1000000, freq=0, …)

    Arguments are the members of struct perf_event_attr; sample_freq is sample_period with freq=1. Without any: cycles.
    """

    def __init__(self, type=c.TYPE_HARDWARE, config=c.COUNT_HW_CPU_CYCLES, *, sample_freq=0, sample_period=0,
                 sample_type=c.SAMPLE_PERIOD | c.SAMPLE_TID, mmap=1, comm=1, freq=1, sample_id_all=1, name=None, **members):
        if sample_freq and sample_period:
            raise ValueError("evsel: sample_freq and sample_period exclude each other")
        self.attr = Attr(type=type, config=config, sample_period=sample_freq or sample_period, sample_type=sample_type,
                         mmap=mmap, comm=comm, freq=freq, sample_id_all=sample_id_all)
        for member, value in members.items():
            if member not in _WORDS and member not in _FLAGS and member != "idx":
                raise TypeError(f"evsel: '{member}' is no member of an event's attributes")
            if member != "idx":
                setattr(self.attr, member, value)
        self._start(name)

    def _start(self, name):
        self.name = name
        self.filter = None
        self.leader = self
        self.layout = None
        self.fds = {}  # (cpu, thread): descriptor
        self._cpus, self._threads = cpu_map("-1"), thread_map(-1)

    @classmethod
    def of_attr(cls, attr, name, filter=None):
        made = cls.__new__(cls)
        made.attr = attr
        made._start(name)
        made.filter = filter
        return made

    def open(self, cpus=None, threads=None, group=0, inherit=0):
        """Opens it on these CPUs for these threads; without them on any CPU, for this thread."""
        if self.fds:
            return
        if inherit:
            self.attr.inherit = 1
        self._cpus = cpus if cpus is not None else cpu_map("-1")
        self._threads = threads if threads is not None else thread_map(tid=0)
        self.layout = Layout(self.attr)
        try:
            for cpu in self._cpus:
                for thread in self._threads:
                    leader = self.leader.fds.get((cpu, thread), -1) if self.leader is not self else -1
                    fd = open_event(self.attr, thread, cpu, leader)
                    self.fds[cpu, thread] = fd
                    if self.filter:
                        fcntl.ioctl(fd, _SET_FILTER, self.filter.encode() + b"\0")
        except OSError as error:
            self.close()
            if self.name:
                error.strerror = f"{self.name}: {error.strerror}"
            raise

    def close(self):
        for fd in self.fds.values():
            os.close(fd)
        self.fds = {}

    def __del__(self):
        if getattr(self, "fds", None):
            self.close()

    def ids(self):
        """The identifiers that its samples carry."""
        for fd in self.fds.values():
            yield struct.unpack("=Q", fcntl.ioctl(fd, _ID, bytes(8)))[0]

    def enable(self):
        for fd in self.fds.values():
            fcntl.ioctl(fd, _ENABLE, 0)

    def disable(self):
        for fd in self.fds.values():
            fcntl.ioctl(fd, _DISABLE, 0)

    def redirect(self, fd, other):
        fcntl.ioctl(fd, _SET_OUTPUT, other)

    def cpus(self):
        return self._cpus

    def threads(self):
        return self._threads

    def read(self, cpu, thread):
        """The count on this CPU for this thread."""
        words = os.read(self.fds[cpu, thread], 4096)
        values = list(struct.unpack(f"={len(words) // 8}Q", words))
        form, counts = self.attr.read_format, counts_values()
        if form & c.FORMAT_GROUP:
            del values[0]
            counts.ena, counts.run = self._times(values)
            counts.val = values.pop(0)
        else:
            counts.val = values.pop(0)
            counts.ena, counts.run = self._times(values)
        if form & c.FORMAT_ID:
            counts.id = values.pop(0)
        if form & c.FORMAT_LOST:
            counts.lost = values.pop(0)
        return counts

    def _times(self, values):
        enabled = values.pop(0) if self.attr.read_format & c.FORMAT_TOTAL_TIME_ENABLED else 0
        return enabled, values.pop(0) if self.attr.read_format & c.FORMAT_TOTAL_TIME_RUNNING else 0

    @property
    def tracking(self):
        """Whether it also asks for maps, names and the begin and end of threads."""
        return bool(self.attr.mmap or self.attr.comm or self.attr.task)

    @tracking.setter
    def tracking(self, wanted):
        for member in ("mmap", "mmap2", "mmap_data", "comm", "comm_exec", "task", "ksymbol", "bpf_event", "namespaces"):
            if not wanted or member in ("mmap", "comm", "task"):
                setattr(self.attr, member, 1 if wanted else 0)

    def __str__(self):
        return f"evsel({self.name})" if self.name else repr(self)


def _member(name):
    return property(lambda self: getattr(self.attr, name), lambda self, value: setattr(self.attr, name, value),
                    doc=f"{name} of struct perf_event_attr; takes effect when it is opened")


for _name in _WORDS + ("size",):
    setattr(evsel, _name, _member(_name))
