"""Recordings: their samples, with symbols and callers, one by one or as arrays."""
import array
import contextlib
import json
import subprocess
import tempfile

from ._program import complaint, find_program


class data:
    """A recording's path."""

    def __init__(self, path="perf.data"):
        self.path = path


class frame:
    """One level of a callchain."""
    __slots__ = ("ip", "symbol", "offset", "dso")

    def __init__(self, row):
        self.ip = int(row["ip"], 16)
        self.symbol, self.offset, self.dso = row.get("symbol"), row.get("offset"), row.get("dso")

    def __repr__(self):
        return f"{self.symbol or hex(self.ip)}" + (f"+{self.offset:#x}" if self.offset else "")


class session_sample:
    """A sample: time in ns, event, comm, pid, tid, cpu, period, callchain; fields of tracepoints as attributes."""
    __slots__ = ("_row", "_chain")

    def __init__(self, row):
        self._row, self._chain = row, None

    @property
    def time(self):
        seconds, _, rest = str(self._row.get("time", 0)).partition(".")
        return int(seconds) * 1000000000 + int((rest + "0" * 9)[:9])

    @property
    def callchain(self):
        """Frames, innermost first."""
        if self._chain is None:
            self._chain = [frame(row) for row in self._row.get("stack", ())]
        return self._chain

    @property
    def fields(self):
        """The fields of a tracepoint by name."""
        return self._row.get("fields", {})

    @property
    def symbol(self):
        return self.callchain[0].symbol if self.callchain else None

    @property
    def dso(self):
        return self.callchain[0].dso if self.callchain else None

    @property
    def ip(self):
        return self.callchain[0].ip if self.callchain else 0

    def __getattr__(self, name):
        name = name.removeprefix("sample_")
        if name in ("event", "comm"):
            return self._row.get(name, "")
        if name in ("pid", "tid", "cpu", "period"):
            return self._row.get(name, 0)
        if name in ("ip", "time"):
            return getattr(self, name)
        if name in self.fields:
            return self.fields[name]
        raise AttributeError(f"this sample of {self._row.get('event')} has no '{name}'")

    def __repr__(self):
        return f"<perf.session_sample {self.event} {self.comm}/{self.tid} {self.time} {self.symbol or ''}>"


class session:
    """session(path or perf.data(path), sample=function): iterate over it, or process_events() calls the function."""

    def __init__(self, data, sample=None):
        self.path = getattr(data, "path", data)
        self._sample = sample

    @contextlib.contextmanager
    def _reading(self, form):
        """The samples as the program writes them in this format."""
        with tempfile.TemporaryFile("w+") as said:
            command = [find_program(), "script", "-i", self.path, "--format", form]
            with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said) as program:
                try:
                    yield program.stdout
                except BaseException:
                    program.kill()
                    raise
            if program.returncode != 0:
                said.seek(0)
                raise ValueError(complaint(said.read()))

    def __iter__(self):
        with self._reading("jsonl") as lines:
            for line in lines:
                yield session_sample(json.loads(line, parse_float=str))

    def process_events(self):
        for sample in self:
            self._sample(sample)

    def arrays(self, *names):
        """{name: array of 64-bit numbers}, one item a sample, 0 where a sample has none: numpy.asarray() takes them as
        they are. Without names: time, pid, tid, cpu, period, ip."""
        names = names or ("time", "pid", "tid", "cpu", "period", "ip")
        wanted = [name.removeprefix("sample_") for name in names]
        for name in wanted:
            if not name.isidentifier():
                raise ValueError(f"'{name}' is not the name of a field")
        types = ["Q" if name in ("time", "ip") else "q" for name in wanted]
        columns = [array.array(kind) for kind in types]
        row = 8 * len(wanted)
        with self._reading("binary," + ",".join(wanted)) as rows:
            while block := rows.read(row << 14):
                numbers = {kind: array.array(kind, block) for kind in set(types)}
                for place, column in enumerate(columns):
                    column.extend(numbers[types[place]][place::len(wanted)])
        return dict(zip(names, columns))
