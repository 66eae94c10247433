"""Readers of the profile formats that peregrine writes, written from the formats' published descriptions.

Each gives what the file says as {event: {folded stack: weight}}, so that all formats of one recording can be compared; what a
file must not be raises ValueError with the place.
"""
import gzip
import json
import re


def need(condition, what):
    if not condition:
        raise ValueError(what)


def add(sums, event, stack, weight):
    stacks = sums.setdefault(event, {})
    stacks[stack] = stacks.get(stack, 0) + weight


def join(frames):
    return ";".join(frame.replace(";", ":") for frame in frames)


# speedscope: https://www.speedscope.app/file-format-schema.json

UNITS = {"bytes", "microseconds", "milliseconds", "nanoseconds", "none", "seconds"}


def speedscope(data, timed):
    file = json.loads(data)
    need(file["$schema"] == "https://www.speedscope.app/file-format-schema.json", "$schema")
    frames = file["shared"]["frames"]
    for frame in frames:
        need(set(frame) <= {"name", "file", "line", "col"} and isinstance(frame["name"], str), f"frame {frame}")
    need(0 <= file.get("activeProfileIndex", 0) < len(file["profiles"]), "activeProfileIndex")
    sums = {}
    for profile in file["profiles"]:
        need(set(profile) == {"type", "name", "unit", "startValue", "endValue", "samples", "weights"}, "profile's members")
        need(profile["type"] == "sampled" and profile["unit"] in UNITS, "profile's type and unit")
        need(len(profile["samples"]) == len(profile["weights"]), "as many weights as samples")
        need(profile["startValue"] + sum(profile["weights"]) == profile["endValue"], "endValue")
        comm, event = re.fullmatch(r"(.*) -?\d+/-?\d+ (\S+)", profile["name"], re.S).groups() if timed else (None, profile["name"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            need(all(isinstance(at, int) and 0 <= at < len(frames) for at in stack), "a frame's number")
            names = [frames[at]["name"] for at in stack]
            if timed and not names:
                continue  # nothing is known about that time
            add(sums, event, join([comm.replace(" ", "_"), *names] if timed else names), weight)
    return sums


# pprof: profile.proto of github.com/google/pprof


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """{number: [values]} of a message of varints and lengths."""
    at, found = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        else:
            need(key & 7 == 2, f"wire type {key & 7}")
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            need(len(value) == size, "a length beyond the end")
        found.setdefault(key >> 3, []).append(value)
    return found


def one(message, number, default=0):
    values = message.get(number, [default])
    need(len(values) == 1, f"field {number} more than once")
    return values[0]


def numbers(message, number):
    data, at, values = one(message, number, b""), 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


def by_id(messages):
    table = {one(message, 1): message for message in map(fields, messages)}
    need(0 not in table and len(table) == len(messages), "ids that are 0 or equal")
    return table


def pprof(data):
    profile = fields(gzip.decompress(data))
    texts = [text.decode() for text in profile[6]]
    need(texts[0] == "", "the first string")
    kinds = [(texts[one(fields(kind), 1)], texts[one(fields(kind), 2)]) for kind in profile[1]]
    need(kinds[0] == ("samples", "count") and texts[one(profile, 14)] in [name for name, _ in kinds], "kinds of samples")
    mappings, locations, functions = (by_id(profile[number]) for number in (3, 4, 5))
    for mapping in mappings.values():
        need(texts[one(mapping, 5)] and one(mapping, 7) == 1, "a mapping's file and symbols")
    sums = {}
    for sample in map(fields, profile[2]):
        labels = {texts[one(label, 1)]: label for label in map(fields, sample[3])}
        names = [texts[one(labels["comm"], 2)].replace(" ", "_")]
        for number in reversed(numbers(sample, 1)):
            need(one(locations[number], 2) in mappings, "a location's mapping")
            lines = [fields(line) for line in locations[number][4]]
            names += [texts[one(functions[one(line, 1)], 2)] for line in reversed(lines)]
        values = numbers(sample, 2)
        need(len(values) == len(kinds), "as many values as kinds")
        for (kind, _), value in zip(kinds, values):
            if value:
                add(sums, kind, join(names), value)
    return sums


# Firefox: docs-developer/processed-profile-format.md, version 48

TABLES = {
    "stackTable": ["prefix", "frame", "category", "subcategory"],
    "frameTable": ["address", "inlineDepth", "category", "subcategory", "func", "nativeSymbol", "innerWindowID", "implementation",
                   "line", "column"],
    "funcTable": ["name", "isJS", "relevantForJS", "resource", "fileName", "lineNumber", "columnNumber"],
    "resourceTable": ["lib", "name", "host", "type"],
    "nativeSymbols": ["libIndex", "address", "name", "functionSize"],
    "markers": ["data", "name", "startTime", "endTime", "phase", "category"],
}
THREAD = {"name", "processName", "pid", "tid", "isMainThread", "processType", "processStartupTime", "processShutdownTime",
          "registerTime", "unregisterTime", "pausedRanges", "samples", "stringArray", *TABLES}
META = {"interval", "startTime", "processType", "stackwalk", "version", "preprocessedProfileVersion", "categories", "product",
        "markerSchema"}
LIB = {"arch", "name", "path", "debugName", "debugPath", "breakpadId", "codeId"}


def firefox(data, events):
    """`events`: the names that threads have behind theirs when there are several."""
    file = json.loads(data)
    need(META <= set(file["meta"]) and file["meta"]["preprocessedProfileVersion"] == 48, "meta")
    need([c["color"] for c in file["meta"]["categories"]].count("grey") == 1, "one grey category")
    need(all(set(lib) == LIB for lib in file["libs"]), "libs")
    sums = {}
    for thread in file["threads"]:
        need(set(thread) == THREAD and isinstance(thread["pid"], str), f"thread {set(thread) ^ THREAD}")
        for table, columns in TABLES.items():
            size = thread[table]["length"]
            need(set(thread[table]) == {*columns, "length"}, f"{table}'s columns")
            need(all(len(thread[table][column]) == size for column in columns), f"{table}'s length")
        samples, stacks, frames, functions, texts = (thread[name] for name in ("samples", "stackTable", "frameTable", "funcTable",
                                                                              "stringArray"))
        need(all(len(samples[name]) == samples["length"] for name in ("stack", "time", "weight")), "samples' length")
        need(samples["time"] == sorted(samples["time"]), "times in order")
        need(all(prefix is None or prefix < at for at, prefix in enumerate(stacks["prefix"])), "a prefix before its stack")
        need(all(resource < thread["resourceTable"]["length"] for resource in functions["resource"]), "resources")
        event = next((event for event in events if thread["name"] == f"{thread['processName']} ({event})"), events[0])
        clock = samples["weightType"] == "tracing-ms"
        for stack, weight in zip(samples["stack"], samples["weight"]):
            names = []
            while stack is not None:
                names.append(texts[functions["name"][frames["func"][stacks["frame"][stack]]]])
                stack = stacks["prefix"][stack]
            names.append(thread["processName"].replace(" ", "_"))
            add(sums, event, join(reversed(names)), round(weight * 1e6) if clock else weight)
    return sums


# Chrome: the trace event format


def chrome(data):
    """What its slices say, as {(event, pid, tid): us of outermost slices}, and the names of all slices and instants."""
    file = json.loads(data)
    sums, names, open_slices, last = {}, set(), {}, {}
    for event in file["traceEvents"]:
        need(event["ph"] in "MXi", f"phase {event['ph']}")
        if event["ph"] == "M":
            continue
        names.add(event["name"])
        if event["ph"] == "i":
            names.update(event["args"]["stack"])
            continue
        track = event["cat"], event["pid"], event["tid"]
        begin, end = event["ts"], event["ts"] + event["dur"]
        need(event["dur"] > 0, f"a slice without length: {event}")
        need(begin >= last.get(track, 0), f"a time before the one before: {event}")
        last[track] = begin
        ends = open_slices.setdefault(track, [])
        while ends and ends[-1] <= begin:
            ends.pop()
        need(not ends or end <= ends[-1], f"it ends after its caller: {event}")
        if not ends:
            sums[track] = sums.get(track, 0) + event["dur"]
        ends.append(end)
    return sums, names


# Callgrind: its manual's description of the format


def callgrind(text):
    """Own costs by function, {event: {name: cost}}, inclusive costs of calls by (caller, callee), and the totals."""
    names, events, own, calls, totals = {}, [], {}, {}, []
    function = callee = None
    for line in text.splitlines():
        found = re.match(r"(fn|cfn|fl|cfi|ob|cob)=\((\d+)\)(?: (.*))?$", line)
        if found:
            space = {"c": 1}.get(found[1][0], 0)
            kind = found[1][space:] if found[1] != "cfi" else "fl"
            if found[3] is not None:
                need((kind, found[2]) not in names, f"a second name: {line}")
                names[kind, found[2]] = found[3]
            need((kind, found[2]) in names, f"a number without a name: {line}")
            if found[1] == "fn":
                function = names["fn", found[2]]
            elif found[1] == "cfn":
                callee = names["fn", found[2]]
        elif line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("totals:"):
            totals = [int(word) for word in line.split()[1:]]
        elif line.startswith("calls="):
            continue
        elif re.match(r"\d+( \d+)+$", line):
            costs = [int(word) for word in line.split()[1:]]
            need(len(costs) == len(events), f"costs: {line}")
            for event, cost in zip(events, costs):
                if callee is None:
                    add(own, event, function, cost)
                else:
                    add(calls, event, (function, callee), cost)
            callee = None
    return own, calls, dict(zip(events, totals))
