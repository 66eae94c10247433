"""A handler that takes each event's chain and does nothing with it: what the programs themselves cost."""


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, *fields):
    common_callchain
