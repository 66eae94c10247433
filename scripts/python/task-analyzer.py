"""When each task ran, for how long, and how long it was away. task-analyzer [options], -h lists them"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import argparse
import statistics

from Util import nsecs

COLORS = {"red": 31, "green": 32, "yellow": 33, "blue": 34, "violet": 35, "grey": 90}
UNITS = {"ns": (1, "%d"), "us": (1000, "%.3f"), "ms": (1000000, "%.6f")}
PLACES = ["Switched-In", "Switched-Out", "CPU", "PID", "TID", "Comm"]
AWAY = ["Out-In", "Out-Out", "In-In", "In-Out"]
SUMS = ["PID", "TID", "Comm", "Runs", "Accumulated", "Mean", "Median", "Min", "Max", "Max At"]


def words(text):
    return [word for word in text.split(",") if word]


def pairs(text):
    """"1:red,mutt:blue" → {"1": "red", "mutt": "blue"}"""
    found = {}
    for word in words(text):
        name, colon, value = word.rpartition(":")
        if not colon or not name or not value:
            raise argparse.ArgumentTypeError("'%s' must be NAME:VALUE" % word)
        found[name] = value
    return found


def colors(text):
    found = {}
    for word in words(text):
        name, _, color = word.rpartition(":")
        if not name:
            name, color = word, "red"
        if color not in COLORS:
            raise argparse.ArgumentTypeError("'%s' must be one of: %s" % (color, ", ".join(COLORS)))
        found[name] = COLORS[color]
    return found


def window(text):
    """"1.5:2" → (1500000000, 2000000000), in ns; either may be missing."""
    start, colon, end = text.partition(":")
    try:
        if not colon:
            raise ValueError
        times = round(float(start) * 1e9) if start else 0, round(float(end) * 1e9) if end else None
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError("'%s' must be START:END, in seconds" % text) from None
    if times[1] is not None and times[1] < times[0]:
        raise argparse.ArgumentTypeError("'%s' ends before it starts" % text)
    return times


def arguments():
    parser = argparse.ArgumentParser(prog="task-analyzer", description=__doc__.split(".")[0])
    add = parser.add_argument
    add("--time-limit", type=window, default=(0, None), metavar="START:END", help="show only runs inside this window, in seconds")
    add("--summary", action="store_true", help="add a summary for each task")
    add("--summary-only", action="store_true", help="show the summary without the runs")
    add("--summary-extended", action="store_true", help="add the longest times away to the summary")
    unit = parser.add_mutually_exclusive_group()
    unit.add_argument("--ns", dest="unit", action="store_const", const="ns", help="show durations in ns")
    unit.add_argument("--us", dest="unit", action="store_const", const="us", help="show durations in us (default)")
    unit.add_argument("--ms", dest="unit", action="store_const", const="ms", help="show durations in ms")
    add("--extended-times", action="store_true", help="add times from each switch to each earlier switch of the task")
    tasks = parser.add_mutually_exclusive_group()
    tasks.add_argument("--filter-tasks", type=words, default=[], metavar="TASKS", help="omit these comms, pids and tids")
    tasks.add_argument("--limit-to-tasks", type=words, default=[], metavar="TASKS", help="show only these comms, pids and tids")
    add("--tid", type=int, action="append", default=[], help="show only this thread; may be repeated")
    add("--highlight-tasks", type=colors, default={}, metavar="TASK[:COLOR],...", help="color these comms, pids and tids")
    add("--rename-comms-by-tids", type=pairs, default={}, metavar="TID:NAME,...", help="use these names for these threads")
    add("--stdio-color", choices=["auto", "always", "never"], default="auto", help="use colors: auto (on a terminal), always or never")
    add("--csv", metavar="FILE", help="write the runs to this file, separated by ';'")
    add("--csv-summary", metavar="FILE", help="write the summary to this file, separated by ';'")
    found = parser.parse_args()
    found.unit = found.unit or "us"
    if found.summary_only and (found.extended_times or found.csv):
        parser.error("--summary-only shows no runs: leave out --extended-times and --csv")
    found.summary = found.summary or found.summary_only or found.summary_extended or bool(found.csv_summary)
    always = found.stdio_color == "always"
    found.color = always or (found.stdio_color == "auto" and sys.stdout.isatty())
    return found


class Task:
    def __init__(self, pid, tid, comm):
        self.pid, self.tid, self.comm = pid, tid, comm
        self.runs = []              # durations in ns
        self.longest = (-1, 0)      # duration, when it was switched in
        self.last = None            # last time switched in and out
        self.away = [(-1, 0)] * 4   # longest of AWAY, and when that ended

    def names(self):
        return {self.comm, str(self.pid), str(self.tid)}

    def add(self, start, end):
        """Takes a run; its times away, in the order of AWAY, none for the first run."""
        away = []
        if self.last is not None:
            start_before, end_before = self.last
            away = [start - end_before, end - end_before, start - start_before, end - start_before]
            ends = [start, end, start, end]
            self.away = [max(old, (time, at), key=lambda pair: pair[0]) for old, time, at in zip(self.away, away, ends)]
        self.last = (start, end)
        self.runs.append(end - start)
        self.longest = max(self.longest, (end - start, start), key=lambda pair: pair[0])
        return away


class Table:
    """Rows of a terminal, or of a file for spreadsheets."""

    def __init__(self, path, widths):
        self.widths = widths
        self.csv = bool(path)
        self.out = open(path, "w", encoding="utf-8", errors="replace") if path else sys.stdout

    def row(self, cells, color=None):
        if self.csv:
            line = ";".join(cells)
        else:
            line = " ".join(cell.rjust(width) for cell, width in zip(cells, self.widths))
            if color is not None and options.color:
                line = "\033[%dm%s\033[0m" % (color, line)
        print(line, file=self.out)


def time_text(ns):
    if options.unit == "ns":
        return "%d.%09d" % (ns // 1000000000, ns % 1000000000)
    return "%d.%06d" % (ns // 1000000000, ns // 1000 % 1000000)


def duration_text(ns):
    per_unit, form = UNITS[options.unit]
    return form % (ns / per_unit if per_unit > 1 else ns)


options = arguments()
running = {}  # cpu → tid, comm, start time
tasks = {}    # tid → Task
runs_table = None


def shown_away():
    return AWAY if options.extended_times else AWAY[:1]


def print_run(task, cpu, start, end, away):
    global runs_table
    if runs_table is None:
        runs_table = Table(options.csv, [20, 20, 4, 8, 8, 16, 14] + [16] * len(shown_away()))
        runs_table.row(PLACES + ["Runtime"] + ["Time " + name for name in shown_away()])
    colors_of_task = [color for name, color in options.highlight_tasks.items() if name in task.names()]
    cells = [time_text(start), time_text(end), str(cpu), str(task.pid), str(task.tid), task.comm, duration_text(end - start)]
    shown = [duration_text(time) for time in away] or ["-"] * len(AWAY)
    runs_table.row(cells + shown[:len(shown_away())], colors_of_task[0] if colors_of_task else None)


def is_wanted(task):
    names = task.names()
    if options.tid and task.tid not in options.tid:
        return False
    if options.limit_to_tasks:
        return not names.isdisjoint(options.limit_to_tasks)
    return names.isdisjoint(options.filter_tasks)


def run_ended(cpu, pid, end):
    tid, comm, start = running.pop(cpu)
    first, last = options.time_limit
    if tid == 0 or start < first or (last is not None and end > last):
        return
    comm = options.rename_comms_by_tids.get(str(tid), comm)
    task = tasks.get(tid)
    if task is None:
        task = tasks[tid] = Task(pid, tid, comm)
    task.comm = comm
    if not is_wanted(task):
        return
    away = task.add(start, end)
    if not options.summary_only:
        print_run(task, cpu, start, end, away)


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                        common_callchain, prev_comm, prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio,
                        perf_sample_dict):
    now = nsecs(common_secs, common_nsecs)
    if common_cpu in running:
        run_ended(common_cpu, perf_sample_dict["sample"]["pid"], now)  # of the task being switched out
    running[common_cpu] = (next_pid, next_comm, now)


def print_summary():
    table = Table(options.csv_summary, [8, 8, 16, 8, 16, 14, 14, 14, 14, 20] + [16, 20] * len(AWAY))
    extended = []
    if options.summary_extended:
        for name in AWAY:
            extended += ["Max " + name if not table.csv else name, name + " At"]
    if not table.csv:
        print("\nSummary")
        print("Task Information, Runtime Information (%s)%s" %
              (options.unit, ", Inter Task Times" if extended else ""))
    table.row(SUMS + extended)
    for task in sorted(tasks.values(), key=lambda one: -sum(one.runs)):
        if not task.runs:
            continue
        sums = [sum(task.runs), statistics.mean(task.runs), statistics.median(task.runs), min(task.runs), max(task.runs)]
        cells = [str(task.pid), str(task.tid), task.comm, str(len(task.runs))] + [duration_text(ns) for ns in sums]
        cells.append(time_text(task.longest[1]))
        for time, at in task.away if extended else []:
            cells += [duration_text(time), time_text(at)] if time >= 0 else ["-", "-"]
        table.row(cells)
    if not table.csv:
        print("total %d runs" % sum(len(task.runs) for task in tasks.values()))


def trace_end():
    if options.summary:
        print_summary()
