"""Cycles per instruction over time, by CPU and thread: of perf stat record -e cycles,instructions -I 1000"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

readings = {}
rows = 0


def add(event, cpu, thread, time, val, ena, run):
    readings[event, cpu, thread] = (val * ena / run if run else 0, ena, run)
    places.setdefault((cpu, thread))


places = {}


def stat__cycles(cpu, thread, time, val, ena, run):
    add("cycles", cpu, thread, time, val, ena, run)


def stat__instructions(cpu, thread, time, val, ena, run):
    add("instructions", cpu, thread, time, val, ena, run)


stat__cycles_u = stat__cycles_k = stat__cycles
stat__instructions_u = stat__instructions_k = stat__instructions


def stat__interval(time):
    global rows
    for cpu, thread in places:
        cycles, enabled, running = readings.get(("cycles", cpu, thread), (0, 0, 0))
        instructions = readings.get(("instructions", cpu, thread), (0, 0, 0))[0]
        rows += 1
        print("%15f: cpu %d, thread %d -> cpi %f (%d/%d)" % (time / 1e9, cpu, thread,
                                                            cycles / instructions if instructions else 0,
                                                            cycles, instructions))


def trace_end():
    print("total %d" % rows)
