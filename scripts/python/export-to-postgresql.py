"""The whole recording as SQL for psql: export-to-postgresql [-o FILE], then psql -f FILE"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

from Table import options
from Tables import SCHEMA, Tables

where = options(valued=["-o"]).get("-o", "perf.sql")
out = sys.stdout if where == "-" else open(where, "w", encoding="utf-8", errors="backslashreplace")
NUL = str.maketrans({"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": ""})
rows = {}


def add(table, row):
    """Rows of one table go together: COPY is how a database takes many."""
    text = "\t".join("\\N" if value is None else str(value).translate(NUL) for value in row)
    rows.setdefault(table, []).append(text)


tables = Tables(add)


def process_event(param_dict):
    tables.take(param_dict)


def trace_unhandled(event_name, context, fields, perf_sample_dict):
    tables.take(perf_sample_dict)


def trace_end():
    out.write("BEGIN;\n" + SCHEMA)
    for table, lines in rows.items():
        out.write("COPY %s FROM stdin;\n%s\n\\.\n" % (table, "\n".join(lines)))
    out.write("COMMIT;\n")
    out.flush()
    if where != "-":
        print("%s: %d samples" % (where, tables.samples))
