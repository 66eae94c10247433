from array import array
from collections.abc import Callable, Iterator
from typing import Any

TYPE_HARDWARE: int
TYPE_SOFTWARE: int
TYPE_TRACEPOINT: int
TYPE_HW_CACHE: int
TYPE_RAW: int
TYPE_BREAKPOINT: int
COUNT_HW_CPU_CYCLES: int
COUNT_HW_INSTRUCTIONS: int
COUNT_HW_CACHE_REFERENCES: int
COUNT_HW_CACHE_MISSES: int
COUNT_HW_BRANCH_INSTRUCTIONS: int
COUNT_HW_BRANCH_MISSES: int
COUNT_HW_BUS_CYCLES: int
COUNT_HW_STALLED_CYCLES_FRONTEND: int
COUNT_HW_STALLED_CYCLES_BACKEND: int
COUNT_HW_REF_CPU_CYCLES: int
COUNT_HW_CACHE_L1D: int
COUNT_HW_CACHE_L1I: int
COUNT_HW_CACHE_LL: int
COUNT_HW_CACHE_DTLB: int
COUNT_HW_CACHE_ITLB: int
COUNT_HW_CACHE_BPU: int
COUNT_HW_CACHE_NODE: int
COUNT_HW_CACHE_OP_READ: int
COUNT_HW_CACHE_OP_WRITE: int
COUNT_HW_CACHE_OP_PREFETCH: int
COUNT_HW_CACHE_RESULT_ACCESS: int
COUNT_HW_CACHE_RESULT_MISS: int
COUNT_SW_CPU_CLOCK: int
COUNT_SW_TASK_CLOCK: int
COUNT_SW_PAGE_FAULTS: int
COUNT_SW_CONTEXT_SWITCHES: int
COUNT_SW_CPU_MIGRATIONS: int
COUNT_SW_PAGE_FAULTS_MIN: int
COUNT_SW_PAGE_FAULTS_MAJ: int
COUNT_SW_ALIGNMENT_FAULTS: int
COUNT_SW_EMULATION_FAULTS: int
COUNT_SW_DUMMY: int
COUNT_SW_BPF_OUTPUT: int
COUNT_SW_CGROUP_SWITCHES: int
SAMPLE_IP: int
SAMPLE_TID: int
SAMPLE_TIME: int
SAMPLE_ADDR: int
SAMPLE_READ: int
SAMPLE_CALLCHAIN: int
SAMPLE_ID: int
SAMPLE_CPU: int
SAMPLE_PERIOD: int
SAMPLE_STREAM_ID: int
SAMPLE_RAW: int
SAMPLE_BRANCH_STACK: int
SAMPLE_IDENTIFIER: int
FORMAT_TOTAL_TIME_ENABLED: int
FORMAT_TOTAL_TIME_RUNNING: int
FORMAT_ID: int
FORMAT_GROUP: int
FORMAT_LOST: int
RECORD_MMAP: int
RECORD_LOST: int
RECORD_COMM: int
RECORD_EXIT: int
RECORD_THROTTLE: int
RECORD_UNTHROTTLE: int
RECORD_FORK: int
RECORD_READ: int
RECORD_SAMPLE: int
RECORD_MMAP2: int
RECORD_AUX: int
RECORD_ITRACE_START: int
RECORD_LOST_SAMPLES: int
RECORD_SWITCH: int
RECORD_SWITCH_CPU_WIDE: int
RECORD_MISC_SWITCH_OUT: int

class _number_map:
    def __len__(self) -> int: ...
    def __getitem__(self, place: int) -> int: ...
    def __iter__(self) -> Iterator[int]: ...

class cpu_map(_number_map):
    def __init__(self, cpustr: str | None = None) -> None: ...

class thread_map(_number_map):
    def __init__(self, pid: int = -1, tid: int = -1, uid: int = 0xffffffff) -> None: ...

class record_event:
    type: int
    misc: int
    evsel: evsel
    sample_ip: int
    sample_pid: int
    sample_tid: int
    sample_time: int
    sample_addr: int
    sample_id: int
    sample_stream_id: int
    sample_cpu: int
    sample_period: int

class mmap_event(record_event):
    pid: int
    tid: int
    start: int
    len: int
    pgoff: int
    @property
    def filename(self) -> str: ...

class comm_event(record_event):
    pid: int
    tid: int
    @property
    def comm(self) -> str: ...

class task_event(record_event):
    pid: int
    ppid: int
    tid: int
    ptid: int
    time: int

class throttle_event(record_event):
    time: int
    id: int
    stream_id: int

class lost_event(record_event):
    id: int
    lost: int

class read_event(record_event):
    pid: int
    tid: int

class context_switch_event(record_event):
    next_prev_pid: int
    next_prev_tid: int
    @property
    def switch_out(self) -> int: ...

switch_event = context_switch_event

class sample_event(record_event):
    @property
    def callchain(self) -> list[int]: ...
    @property
    def raw_data(self) -> bytes: ...
    def __getattr__(self, name: str) -> Any: ...

class counts_values:
    val: int
    ena: int
    run: int
    id: int
    lost: int
    @property
    def scaled(self) -> int: ...

class evsel:
    name: str | None
    filter: str | None
    leader: evsel
    type: int
    size: int
    config: int
    sample_period: int
    sample_type: int
    read_format: int
    wakeup_events: int
    bp_type: int
    bp_addr: int
    bp_len: int
    tracking: bool
    def __init__(self, type: int = ..., config: int = ..., *, sample_freq: int = 0, sample_period: int = 0,
                 sample_type: int = ..., mmap: int = 1, comm: int = 1, freq: int = 1, sample_id_all: int = 1,
                 name: str | None = None, **members: int) -> None: ...
    def open(self, cpus: cpu_map | None = None, threads: thread_map | None = None, group: int = 0,
             inherit: int = 0) -> None: ...
    def close(self) -> None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def cpus(self) -> cpu_map: ...
    def threads(self) -> thread_map: ...
    def read(self, cpu: int, thread: int) -> counts_values: ...

class evlist:
    def __init__(self, cpus: cpu_map | None = None, threads: thread_map | None = None) -> None: ...
    def __len__(self) -> int: ...
    def __getitem__(self, place: int) -> evsel: ...
    def __iter__(self) -> Iterator[evsel]: ...
    def add(self, evsel: evsel) -> int: ...
    def all_cpus(self) -> cpu_map: ...
    def config(self) -> None: ...
    def open(self) -> None: ...
    def close(self) -> None: ...
    def mmap(self, pages: int = 128, overwrite: bool = False) -> None: ...
    def get_pollfd(self) -> list[int]: ...
    def poll(self, timeout: int = -1) -> int: ...
    def read_on_cpu(self, cpu: int, sample_id_all: bool = True) -> record_event | None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...

def parse_events(events: str, cpus: cpu_map | None = None, threads: thread_map | None = None) -> evlist: ...
def tracepoint(sys: str, name: str) -> int: ...

class data:
    path: str
    def __init__(self, path: str = "perf.data") -> None: ...

class frame:
    ip: int
    symbol: str | None
    offset: int | None
    dso: str | None

class session_sample:
    event: str
    comm: str
    pid: int
    tid: int
    cpu: int
    period: int
    @property
    def time(self) -> int: ...
    @property
    def callchain(self) -> list[frame]: ...
    @property
    def fields(self) -> dict[str, Any]: ...
    @property
    def symbol(self) -> str | None: ...
    @property
    def dso(self) -> str | None: ...
    @property
    def ip(self) -> int: ...
    def __getattr__(self, name: str) -> Any: ...

class session:
    path: str
    def __init__(self, data: data | str, sample: Callable[[session_sample], object] | None = None) -> None: ...
    def __iter__(self) -> Iterator[session_sample]: ...
    def process_events(self) -> None: ...
    def arrays(self, *names: str) -> dict[str, array[int]]: ...
