"""Call chains of a tracepoint as folded lines, as both programs are timed with."""
stacks = {}


def sched__sched_switch(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, *fields):
    stack = ";".join([frame["sym"]["name"] if "sym" in frame else "?" for frame in reversed(common_callchain)])
    stacks[stack] = stacks.get(stack, 0) + 1


def trace_end():
    for stack, count in sorted(stacks.items()):
        print(stack, count)
