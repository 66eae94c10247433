"""Samples by event, program, binary and symbol, as a few questions to a database would tell."""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from collections import Counter

from Table import print_counts

by = {"event": Counter(), "program": Counter(), "binary": Counter(), "symbol": Counter()}


def process_event(param_dict):
    by["event"][param_dict["ev_name"]] += 1
    by["program"][param_dict["comm"]] += 1
    by["binary"][param_dict.get("dso", "[unknown]")] += 1
    by["symbol"][param_dict.get("symbol", "[unknown]")] += 1


def trace_unhandled(event_name, context, fields):
    by["event"][event_name] += 1
    by["program"][fields["common_comm"]] += 1


def trace_end():
    for what, counts in by.items():
        print_counts("Samples by %s" % what, what, counts)
        print()
