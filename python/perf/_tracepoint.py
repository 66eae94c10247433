"""Tracepoints: their numbers, and their fields as the kernel describes them."""
import functools
import os
import re
import struct

_FOLDERS = ("/sys/kernel/tracing", "/sys/kernel/debug/tracing")
_FIELD = re.compile(r"\s+field:(?P<what>.*?);\s*offset:(?P<offset>\d+);\s*size:(?P<size>\d+);\s*signed:(?P<signed>[01]);")


def _events_folder():
    return next((folder + "/events" for folder in _FOLDERS if os.path.isdir(folder + "/events")), None)


def tracepoint(sys, name):
    """The number of a tracepoint, for evsel's `config`; -1 if there is none, or tracefs cannot be read."""
    try:
        with open(f"{_events_folder()}/{sys}/{name}/id") as file:
            return int(file.read())
    except OSError:
        return -1


class Field:
    """One field: a number, a text, bytes, or a list of numbers."""
    __slots__ = ("name", "offset", "size", "_number", "_kind")

    def __init__(self, what, offset, size, signed):
        # "char comm[16]", "__data_loc char[] filename", "unsigned long args[6]", "const char * name"
        kind, self.name, array = re.fullmatch(r"(.*?)\b(\w+)(\[.*\])?", what).groups()
        self.offset, self.size = offset, size
        words = kind.replace("[]", " ").split()
        located = "__data_loc" in words or "__rel_loc" in words
        is_array = bool(array) or located
        element = {"char": 1, "u8": 1, "s8": 1, "u16": 2, "s16": 2, "short": 2, "u32": 4, "s32": 4, "int": 4, "u64": 8,
                   "s64": 8, "long": 8}.get(words[-1] if words else "", 1)
        number = {1: "b", 2: "h", 4: "i", 8: "q"}.get(element if is_array else size, "")
        self._number = "=" + (number if signed else number.upper())
        text = is_array and words and words[-1] == "char"
        kind = "text" if text else "numbers" if is_array and element > 1 else "bytes" if is_array else "number"
        self._kind = (("rel " if "__rel_loc" in words else "loc ") if located else "") + kind

    def read(self, raw):
        start, size, kind = self.offset, self.size, self._kind
        if kind[:4] in ("loc ", "rel "):
            where, = struct.unpack_from("=I", raw, start)
            start = (where & 0xffff) + (start + 4 if kind[0] == "r" else 0)
            size, kind = where >> 16, kind[4:]
        if kind == "number":
            return struct.unpack_from(self._number, raw, start)[0] if len(self._number) == 2 else raw[start:start + size]
        part = raw[start:start + size]
        if kind == "text":
            return part.split(b"\0", 1)[0].decode(errors="replace")
        if kind == "numbers":
            step = struct.calcsize(self._number)
            return [one for one, in struct.iter_unpack(self._number, part[:len(part) // step * step])]
        return bytearray(part)


def parse_format(text):
    """The fields of a `format` file by name."""
    fields = {}
    for match in _FIELD.finditer(text):
        field = Field(match["what"], int(match["offset"]), int(match["size"]), match["signed"] == "1")
        fields[field.name] = field
    return fields


@functools.lru_cache(maxsize=None)
def fields_of(number):
    """The fields of the tracepoint with this number."""
    top = _events_folder()
    for system in os.listdir(top) if top else ():
        if not os.path.isdir(f"{top}/{system}"):
            continue
        for event in os.listdir(f"{top}/{system}"):
            if tracepoint(system, event) == number:
                with open(f"{top}/{system}/{event}/format") as file:
                    return parse_format(file.read())
    return {}
