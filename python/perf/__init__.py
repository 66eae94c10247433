"""perf: events of the running kernel, counted and read one by one, and recordings with their symbols.

    import perf
    events = perf.parse_events("sched:sched_switch", perf.cpu_map(), perf.thread_map(-1))
    events.open(); events.mmap(); events.enable()
    while True:
        events.poll(timeout=-1)
        for cpu in events.all_cpus():
            while event := events.read_on_cpu(cpu):
                print(event.prev_comm, "->", event.next_comm)

    for sample in perf.session("perf.data"):
        print(sample.event, sample.comm, sample.symbol)
"""
from ._constants import *
from ._event import (comm_event, context_switch_event, lost_event, mmap_event, read_event, record_event, sample_event,
                    task_event, throttle_event)
from ._evlist import evlist, parse_events
from ._evsel import counts_values, evsel
from ._maps import cpu_map, thread_map
from ._session import data, frame, session, session_sample
from ._tracepoint import tracepoint

switch_event = context_switch_event

for _class in (comm_event, context_switch_event, lost_event, mmap_event, read_event, record_event, sample_event, task_event,
               throttle_event, evlist, counts_values, evsel, cpu_map, thread_map, data, frame, session, session_sample):
    _class.__module__ = __name__
del _class
