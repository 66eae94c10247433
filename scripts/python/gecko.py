"""A profile for https://profiler.firefox.com: gecko [-o FILE]"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import json

from Table import options

where = options(valued=["-o"]).get("-o", "gecko_profile.json")
threads = {}
first = None


class Thread:
    """One thread's samples, as indices into tables of stacks, frames and texts."""

    def __init__(self, comm, pid, tid):
        self.comm, self.pid, self.tid = comm, pid, tid
        self.texts, self.frames, self.stacks, self.samples = {}, {}, {}, []

    @staticmethod
    def index(table, key):
        return table.setdefault(key, len(table))

    def add(self, names, time):
        stack = None
        for name in names:
            stack = self.index(self.stacks, (stack, self.index(self.frames, self.index(self.texts, name))))
        self.samples.append([stack, time, 0.0])

    def table(self):
        return {
            "name": self.comm, "registerTime": 0, "unregisterTime": None, "pid": self.pid, "tid": self.tid,
            "processType": "default", "processName": self.comm,
            "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5}, "data": []},
            "samples": {"schema": {"stack": 0, "time": 1, "responsiveness": 2}, "data": self.samples},
            "frameTable": {"schema": {"location": 0, "relevantForJS": 1, "innerWindowID": 2, "implementation": 3,
                                      "optimizations": 4, "line": 5, "column": 6, "category": 7, "subcategory": 8},
                           "data": [[text, False, 0, None, None, None, None, 0, None] for text in self.frames]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [list(stack) for stack in self.stacks]},
            "stringTable": list(self.texts),
        }


def process_event(param_dict):
    global first
    sample = param_dict["sample"]
    pid, tid, time = sample["pid"], sample["tid"], sample["time"] / 1e6
    first = time if first is None else first
    names = ["%s (in %s)" % (frame["sym"]["name"] if "sym" in frame else hex(frame["ip"]), frame.get("dso", "unknown"))
             for frame in reversed(param_dict["callchain"])]
    if not names:
        names = ["%s (in %s)" % (param_dict.get("symbol", hex(sample["ip"])), param_dict.get("dso", "unknown"))]
    if tid not in threads:
        threads[tid] = Thread(param_dict["comm"], pid, tid)
    threads[tid].add(names, time)


def trace_unhandled(event_name, context, fields, perf_sample_dict):
    process_event(perf_sample_dict)


def trace_end():
    profile = {
        "meta": {"interval": 1, "processType": 0, "product": "perf", "stackwalk": 1, "debug": 0, "gcpoison": 0,
                 "asyncstack": 1, "startTime": first or 0, "shutdownTime": None, "version": 24, "presymbolicated": True,
                 "categories": [{"name": "All", "color": "blue", "subcategories": ["Other"]}], "markerSchema": []},
        "libs": [], "threads": [thread.table() for thread in threads.values()], "processes": [], "pausedRanges": [],
    }
    with (sys.stdout if where == "-" else open(where, "w", encoding="utf-8")) as file:
        json.dump(profile, file)
    if where != "-":
        print("%s: %d samples of %d threads" % (where, sum(len(each.samples) for each in threads.values()), len(threads)))
