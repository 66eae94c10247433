"""Several events and the rings that they write into, one for each CPU."""
import json
import select

from . import _constants as c
from ._attr import Attr
from ._event import event_of
from ._evsel import evsel
from ._maps import cpu_map, thread_map
from ._program import run_program
from ._ring import Ring


class _pollfd(int):
    def fileno(self):
        return int(self)


class evlist:
    """evlist(cpus, threads): add events, open(), mmap(), then poll() and read_on_cpu()."""

    def __init__(self, cpus=None, threads=None):
        self._cpus = cpus if cpus is not None else cpu_map()
        self._threads = threads if threads is not None else thread_map(-1)
        self._evsels, self._rings, self._by_id = [], {}, {}

    def add(self, evsel):
        """Appends an event, which may be open already; returns how many there are."""
        self._evsels.append(evsel)
        return len(self._evsels)

    def __len__(self):
        return len(self._evsels)

    def __getitem__(self, place):
        return self._evsels[place]

    def all_cpus(self):
        return self._cpus

    def config(self):
        """Makes the samples of several events distinguishable, and gives each what can be read without asking."""
        for event in self._evsels:
            event.attr.sample_type |= c.SAMPLE_TID | c.SAMPLE_TIME | c.SAMPLE_CPU | c.SAMPLE_PERIOD
            if event.attr.type == c.TYPE_TRACEPOINT:
                event.attr.sample_type |= c.SAMPLE_RAW
            event.attr.sample_id_all = 1

    def open(self):
        """Opens what is not open yet."""
        if len(self._evsels) > 1:
            for event in self._evsels:
                event.attr.sample_type |= c.SAMPLE_IDENTIFIER
        try:
            for event in self._evsels:
                event.open(self._cpus, self._threads)
        except OSError:
            self.close()
            raise

    def close(self):
        for ring in self._rings.values():
            ring.close()
        self._rings = {}
        for event in self._evsels:
            event.close()

    def mmap(self, pages=128, overwrite=False):
        """Gives each CPU a ring of so many pages, a power of two."""
        owners = {}
        for event in self._evsels:
            if not event.fds:
                raise ValueError("mmap: open() the events first")
            for (cpu, _), fd in event.fds.items():
                if cpu in owners:
                    event.redirect(fd, owners[cpu])
                else:
                    owners[cpu] = fd
                    self._rings[cpu] = Ring(fd, pages, overwrite)
            self._by_id.update((number, event) for number in event.ids())
        self._owners = owners

    def _all_fds(self):
        return [fd for event in self._evsels for fd in event.fds.values()]

    def get_pollfd(self):
        """Descriptors for select or poll; readable when there is something to read."""
        return [_pollfd(fd) for fd in self._all_fds()]

    def poll(self, timeout=-1):
        """Waits at most so many milliseconds (-1: without end); how many descriptors have something."""
        waiting = select.poll()
        for fd in self._all_fds():
            waiting.register(fd, select.POLLIN)
        return len(waiting.poll(timeout))

    def read_on_cpu(self, cpu, sample_id_all=True):
        """The next event of this CPU's ring; None when there is none."""
        ring = self._rings.get(cpu)
        if ring is None:
            raise ValueError(f"read_on_cpu: no ring of CPU {cpu}" + ("" if self._rings else "; mmap() makes them"))
        raw = ring.next_record()
        if raw is None:
            return None
        first = self._evsels[0]
        number = first.layout.id_of(raw) if len(self._evsels) > 1 else None
        return event_of(raw, self._by_id.get(number, first))

    def enable(self):
        for event in self._evsels:
            event.enable()

    def disable(self):
        for event in self._evsels:
            event.disable()

    start, stop = enable, disable


def parse_events(events, cpus=None, threads=None):
    """An evlist of what `perf record -e` understands: "cycles:u,sched:sched_switch"."""
    if not events.strip():
        raise ValueError("no event is named")
    answer = run_program(["list", "--attr", events])
    made = evlist(cpus, threads)
    for line in answer.splitlines():
        row = json.loads(line)
        event = evsel.of_attr(Attr.of_bytes(bytes.fromhex(row["attr"])), row["event"], row.get("filter"))
        made.add(event)
        event.leader = made[row["leader"]]
    made.config()
    return made
