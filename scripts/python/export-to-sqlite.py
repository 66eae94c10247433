"""The whole recording as an SQLite database, to be asked anything. export-to-sqlite <file>"""
# SPDX-License-Identifier: Apache-2.0
import os
import sys

sys.path.append(os.environ["PERF_EXEC_PATH"] + "/scripts/python/Perf-Trace-Util/lib/Perf/Trace")

import sqlite3

from Tables import SCHEMA, Tables

if len(sys.argv) != 2:
    sys.exit("export-to-sqlite: name the database that is to be made")
if os.path.exists(sys.argv[1]):
    sys.exit("export-to-sqlite: %s is there already" % sys.argv[1])
database = sqlite3.connect(sys.argv[1])
database.executescript(SCHEMA)


def add(table, row):
    database.execute("INSERT INTO %s VALUES (%s)" % (table, ",".join("?" * len(row))), row)


tables = Tables(add)


def process_event(param_dict):
    tables.take(param_dict)


def trace_unhandled(event_name, context, fields, perf_sample_dict):
    tables.take(perf_sample_dict)


def trace_end():
    database.executescript("CREATE VIEW samples_view AS SELECT s.id, s.time, s.cpu, t.comm, t.pid, t.tid, e.name AS event,"
                           " y.name AS symbol, d.name AS dso, s.period FROM samples s JOIN threads t ON t.id = s.thread_id"
                           " JOIN events e ON e.id = s.event_id JOIN symbols y ON y.id = s.symbol_id"
                           " JOIN dsos d ON d.id = y.dso_id;")
    database.commit()
    print("%s: %d samples" % (sys.argv[1], tables.samples))
