"""What is read from the rings: one class for each kind of record. What a record holds is taken apart when it is asked
for, but for the few words that all have."""
import struct

from . import _constants as c
from ._tracepoint import fields_of

_ABSENT = 0xffffffffffffffff
_BEFORE = ((c.SAMPLE_IDENTIFIER, "Q", ("sample_id",)), (c.SAMPLE_IP, "Q", ("sample_ip",)),
           (c.SAMPLE_TID, "II", ("sample_pid", "sample_tid")), (c.SAMPLE_TIME, "Q", ("sample_time",)),
           (c.SAMPLE_ADDR, "Q", ("sample_addr",)), (c.SAMPLE_ID, "Q", ("sample_id",)),
           (c.SAMPLE_STREAM_ID, "Q", ("sample_stream_id",)), (c.SAMPLE_CPU, "I4x", ("sample_cpu",)),
           (c.SAMPLE_PERIOD, "Q", ("sample_period",)))
_TRAILER = (_BEFORE[2], _BEFORE[3], _BEFORE[5], _BEFORE[6], _BEFORE[7], _BEFORE[0])


class Layout:
    """Where the words that all records have are, in the records of events with this attr."""

    def __init__(self, attr):
        self.sample, self.sample_names = self._packed(_BEFORE, attr.sample_type)
        self.trailer, self.trailer_names = self._packed(_TRAILER, attr.sample_type if attr.sample_id_all else 0)
        self.identifier_first = bool(attr.sample_type & c.SAMPLE_IDENTIFIER)

    @staticmethod
    def _packed(parts, sample_type):
        chosen = [part for part in parts if sample_type & part[0]]
        return (struct.Struct("=" + "".join(form for _, form, _ in chosen)),
                [name for _, _, names in chosen for name in names])

    def id_of(self, raw):
        """The identifier of the event that a record belongs to, if its records have one."""
        if not self.identifier_first:
            return None
        is_sample = struct.unpack_from("=I", raw)[0] == c.RECORD_SAMPLE
        return struct.unpack_from("=Q", raw, 8 if is_sample else len(raw) - 8)[0]


_TYPE_AND_MISC = struct.Struct("=IH")


class record_event:
    """Any record: its type, and what sample_id_all adds to it."""
    sample_ip = sample_addr = 0
    sample_id = sample_stream_id = sample_time = _ABSENT
    sample_pid = sample_tid = sample_cpu = 0xffffffff
    _form, _names = struct.Struct("="), ()

    def __init__(self, raw, evsel):
        self._raw, self.evsel = raw, evsel
        self._take_apart(raw, evsel.layout)

    def _take_apart(self, raw, layout):
        words = self.__dict__
        words.update(zip(layout.trailer_names, layout.trailer.unpack_from(raw, len(raw) - layout.trailer.size)))
        words.update(zip(self._names, self._form.unpack_from(raw, 8)))

    @property
    def type(self):
        return _TYPE_AND_MISC.unpack_from(self._raw)[0]

    @property
    def misc(self):
        return _TYPE_AND_MISC.unpack_from(self._raw)[1]

    def __getattr__(self, name):
        if name == "sample_period":  # for records without a period
            attr = self.evsel.attr
            return 0 if attr.freq else attr.sample_period
        raise AttributeError(f"'perf.{type(self).__name__}' object has no attribute '{name}'")

    def _text_from(self, offset):
        return self._raw[offset:].split(b"\0", 1)[0].decode(errors="replace")

    def __repr__(self):
        return f"{{ type: record, number: {self.type} }}"


class mmap_event(record_event):
    _form, _names = struct.Struct("=IIQQQ"), ("pid", "tid", "start", "len", "pgoff")

    @property
    def filename(self):
        return self._text_from(72 if self.type == c.RECORD_MMAP2 else 40)

    def __repr__(self):
        return (f"{{ type: mmap, pid: {self.pid}, tid: {self.tid}, start: {self.start:#x}, length: {self.len:#x}, "
                f"offset: {self.pgoff:#x}, filename: {self.filename} }}")


class comm_event(record_event):
    _form, _names = struct.Struct("=II"), ("pid", "tid")

    @property
    def comm(self):
        return self._text_from(16)

    def __repr__(self):
        return f"{{ type: comm, pid: {self.pid}, tid: {self.tid}, comm: {self.comm} }}"


class task_event(record_event):
    """The begin (RECORD_FORK) or end (RECORD_EXIT) of a thread."""
    _form, _names = struct.Struct("=IIIIQ"), ("pid", "ppid", "tid", "ptid", "time")

    def __repr__(self):
        kind = "fork" if self.type == c.RECORD_FORK else "exit"
        return (f"{{ type: {kind}, pid: {self.pid}, ppid: {self.ppid}, tid: {self.tid}, ptid: {self.ptid}, "
                f"time: {self.time}}}")


class throttle_event(record_event):
    _form, _names = struct.Struct("=QQQ"), ("time", "id", "stream_id")

    def __repr__(self):
        kind = "un" if self.type == c.RECORD_UNTHROTTLE else ""
        return f"{{ type: {kind}throttle, time: {self.time}, id: {self.id}, stream_id: {self.stream_id} }}"


class lost_event(record_event):
    _form, _names = struct.Struct("=QQ"), ("id", "lost")

    def __repr__(self):
        return f"{{ type: lost, id: {self.id:#x}, lost: {self.lost:#x} }}"


class read_event(record_event):
    _form, _names = struct.Struct("=II"), ("pid", "tid")

    def __repr__(self):
        return f"{{ type: read, pid: {self.pid}, tid: {self.tid} }}"


class context_switch_event(record_event):

    def _take_apart(self, raw, layout):
        super()._take_apart(raw, layout)
        wide = self.type == c.RECORD_SWITCH_CPU_WIDE
        self.next_prev_pid, self.next_prev_tid = struct.unpack_from("=II", raw, 8) if wide else (0, 0)

    @property
    def switch_out(self):
        return 1 if self.misc & c.RECORD_MISC_SWITCH_OUT else 0

    def __repr__(self):
        return (f"{{ type: context_switch, next_prev_pid: {self.next_prev_pid}, next_prev_tid: {self.next_prev_tid}, "
                f"switch_out: {self.switch_out} }}")


class sample_event(record_event):
    """A sample. The fields of a tracepoint are its attributes: event.prev_comm."""

    def _take_apart(self, raw, layout):
        self.__dict__.update(zip(layout.sample_names, layout.sample.unpack_from(raw, 8)))
        self._behind = 8 + layout.sample.size

    def _behind_read(self):
        attr, at = self.evsel.attr, self._behind
        if not attr.sample_type & c.SAMPLE_READ:
            return at
        times = bin(attr.read_format & 3).count("1")
        values = 1 + bin(attr.read_format & (c.FORMAT_ID | c.FORMAT_LOST)).count("1")
        if not attr.read_format & c.FORMAT_GROUP:
            return at + 8 * (times + values)
        return at + 8 * (1 + times + values * struct.unpack_from("=Q", self._raw, at)[0])

    @property
    def callchain(self):
        """Addresses, innermost first, the kernel's context markers among them; empty without SAMPLE_CALLCHAIN."""
        if not self.evsel.attr.sample_type & c.SAMPLE_CALLCHAIN:
            return []
        at = self._behind_read()
        count, = struct.unpack_from("=Q", self._raw, at)
        return list(struct.unpack_from(f"={count}Q", self._raw, at + 8))

    @property
    def raw_data(self):
        """The bytes of a tracepoint; empty without SAMPLE_RAW."""
        sample_type = self.evsel.attr.sample_type
        if not sample_type & c.SAMPLE_RAW:
            return b""
        at = self._behind_read()
        if sample_type & c.SAMPLE_CALLCHAIN:
            at += 8 + 8 * struct.unpack_from("=Q", self._raw, at)[0]
        size, = struct.unpack_from("=I", self._raw, at)
        return self._raw[at + 4:at + 4 + size]

    def __getattr__(self, name):
        attr = self.evsel.attr
        if name != "sample_period" and not name.startswith("_") and attr.type == c.TYPE_TRACEPOINT and attr.sample_type & c.SAMPLE_RAW:
            field = fields_of(attr.config).get(name)
            if field is not None:
                return field.read(self.raw_data)
        return super().__getattr__(name)

    def __repr__(self):
        return "{ type: sample }"


_CLASSES = {c.RECORD_MMAP: mmap_event, c.RECORD_MMAP2: mmap_event, c.RECORD_LOST: lost_event, c.RECORD_COMM: comm_event,
            c.RECORD_EXIT: task_event, c.RECORD_FORK: task_event, c.RECORD_THROTTLE: throttle_event,
            c.RECORD_UNTHROTTLE: throttle_event, c.RECORD_READ: read_event, c.RECORD_SAMPLE: sample_event,
            c.RECORD_SWITCH: context_switch_event, c.RECORD_SWITCH_CPU_WIDE: context_switch_event}


def event_of(raw, evsel):
    """The event of a record's bytes."""
    return _CLASSES.get(struct.unpack_from("=I", raw)[0], record_event)(raw, evsel)
