"""A recording as rows of a database: samples, and the events, threads, binaries and symbols that they name.

SPDX-License-Identifier: Apache-2.0
"""
SCHEMA = """CREATE TABLE events (id INTEGER PRIMARY KEY, name TEXT);
CREATE TABLE threads (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, comm TEXT);
CREATE TABLE dsos (id INTEGER PRIMARY KEY, name TEXT, build_id TEXT);
CREATE TABLE symbols (id INTEGER PRIMARY KEY, dso_id INTEGER, name TEXT);
CREATE TABLE call_paths (id INTEGER PRIMARY KEY, parent_id INTEGER, symbol_id INTEGER, ip BIGINT);
CREATE TABLE samples (id INTEGER PRIMARY KEY, event_id INTEGER, thread_id INTEGER, symbol_id INTEGER, sym_offset BIGINT,
                      ip BIGINT, time BIGINT, cpu INTEGER, period BIGINT, weight BIGINT, data_src BIGINT,
                      call_path_id INTEGER);
"""


def signed(value):
    """Databases have no unsigned numbers of 64 bits."""
    return value - (1 << 64) if value >= 1 << 63 else value


class Tables:
    """Calls add(table, row) once for each row, after the rows that it refers to. Ids count from 1."""

    def __init__(self, add):
        self.add = add
        self.known = {}
        self.samples = 0

    def id_of(self, table, key, *row):
        ids = self.known.setdefault(table, {})
        if key not in ids:
            ids[key] = len(ids) + 1
            self.add(table, (ids[key], *row))
        return ids[key]

    def symbol(self, dso, build_id, name):
        dso_id = self.id_of("dsos", dso, dso, build_id)
        return self.id_of("symbols", (dso_id, name), dso_id, name)

    def take(self, d):
        sample = d["sample"]
        event = self.id_of("events", d["ev_name"], d["ev_name"])
        thread = self.id_of("threads", (sample["pid"], sample["tid"], d["comm"]), sample["pid"], sample["tid"], d["comm"])
        symbol = self.symbol(d.get("dso", "[unknown]"), d.get("dso_bid", ""), d.get("symbol", "[unknown]"))
        path = None
        for frame in reversed(d["callchain"]):
            caller = self.symbol(frame.get("dso", "[unknown]"), "", frame["sym"]["name"] if "sym" in frame else "[unknown]")
            path = self.id_of("call_paths", (path, caller, frame["ip"]), path, caller, signed(frame["ip"]))
        self.samples += 1
        cpu = sample["cpu"] if sample["cpu"] != 0xffffffff else -1
        self.add("samples", (self.samples, event, thread, symbol, d.get("symoff", 0), signed(sample["ip"]),
                             signed(sample["time"]), cpu, signed(sample["period"]), signed(sample["weight"]),
                             signed(sample["datasrc"]), path))
