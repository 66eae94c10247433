"""A handler that takes all of its event and does nothing with it: what the programs themselves cost."""


def raw_syscalls__sys_enter(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                            common_callchain, id, args):
    event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, id, args


def raw_syscalls__sys_exit(event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm,
                           common_callchain, id, ret):
    event_name, context, common_cpu, common_secs, common_nsecs, common_pid, common_comm, common_callchain, id, ret
