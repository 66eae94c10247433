"""struct perf_event_attr, and the system call that takes it."""
import ctypes
import os
import platform

U64, U32, U16 = ctypes.c_uint64, ctypes.c_uint32, ctypes.c_uint16

# In bit order.
FLAGS = ("disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle",
         "mmap", "comm", "freq", "inherit_stat", "enable_on_exec", "task", "watermark", ("precise_ip", 2), "mmap_data",
         "sample_id_all", "exclude_host", "exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user",
         "mmap2", "comm_exec", "use_clockid", "context_switch", "write_backward", "namespaces", "ksymbol",
         "bpf_event", "aux_output", "cgroup", "text_poke", "build_id", "inherit_thread", "remove_on_exec", "sigtrap")


class Attr(ctypes.Structure):
    _fields_ = ([("type", U32), ("size", U32), ("config", U64), ("sample_period", U64), ("sample_type", U64),
                 ("read_format", U64)]
                + [(flag, U64, 1) if isinstance(flag, str) else (flag[0], U64, flag[1]) for flag in FLAGS]
                + [("wakeup_events", U32), ("bp_type", U32), ("bp_addr", U64), ("bp_len", U64),
                   ("branch_sample_type", U64), ("sample_regs_user", U64), ("sample_stack_user", U32),
                   ("clockid", ctypes.c_int32), ("sample_regs_intr", U64), ("aux_watermark", U32),
                   ("sample_max_stack", U16), ("reserved_2", U16), ("aux_sample_size", U32), ("reserved_3", U32),
                   ("sig_data", U64)])

    @classmethod
    def of_bytes(cls, raw):
        attr = cls()
        size = min(len(raw), ctypes.sizeof(cls))
        ctypes.memmove(ctypes.addressof(attr), raw, size)
        attr.size = ctypes.sizeof(cls)
        return attr


_NUMBERS = {"x86_64": 298, "i386": 336, "i686": 336, "aarch64": 241, "riscv64": 241, "loongarch64": 241, "ppc64": 319,
            "ppc64le": 319, "s390x": 331, "armv7l": 364, "armv8l": 364}
_CLOSE_ON_EXEC = 1 << 3
_libc = ctypes.CDLL(None, use_errno=True)


def open_event(attr, pid, cpu, group_fd=-1):
    """perf_event_open(2). Raises OSError."""
    machine = platform.machine()
    if machine == "x86_64" and ctypes.sizeof(ctypes.c_void_p) == 4:
        machine = "i386"
    if machine not in _NUMBERS:
        raise OSError(38, f"the number of perf_event_open is not known for {machine}")
    attr.size = ctypes.sizeof(Attr)
    fd = _libc.syscall(ctypes.c_long(_NUMBERS[machine]), ctypes.byref(attr), ctypes.c_int(pid), ctypes.c_int(cpu),
                       ctypes.c_int(group_fd), ctypes.c_ulong(_CLOSE_ON_EXEC))
    if fd >= 0:
        return fd
    number = ctypes.get_errno()
    hint = " (`perf check` says what is allowed here)" if number in (1, 13) else ""
    raise OSError(number, f"perf_event_open: {os.strerror(number)}{hint}")
