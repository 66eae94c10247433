"""Where and of whom events are opened: lists of CPUs and of threads; -1 is any of them."""
import os


def _numbers(text, what):
    numbers = []
    for part in text.strip().split(","):
        first, dash, last = part.partition("-")
        try:
            numbers += range(int(first), int(last if dash else first) + 1)
        except ValueError:
            raise ValueError(f"{what}: {part!r} is no number or range such as 0-3") from None
    return numbers


def _read(path):
    with open(path) as file:
        return file.read()


class _number_map:
    __slots__ = ("_numbers",)

    def __len__(self):
        return len(self._numbers)

    def __getitem__(self, place):
        return self._numbers[place]

    def __repr__(self):
        return f"perf.{type(self).__name__}({self._numbers})"


class cpu_map(_number_map):
    """The CPUs of a list such as "0-3,8"; without one: all that are online; "-1": any."""
    __slots__ = ()

    def __init__(self, cpustr=None):
        if cpustr == "-1":
            self._numbers = [-1]
            return
        text = _read("/sys/devices/system/cpu/online") if cpustr is None else cpustr
        self._numbers = sorted(set(_numbers(text, "cpu_map")))


class thread_map(_number_map):
    """All threads (-1), those of a process, a single one, or those of a user's processes."""
    __slots__ = ()

    def __init__(self, pid=-1, tid=-1, uid=0xffffffff):
        if tid != -1:
            self._numbers = [tid]
        elif pid != -1:
            self._numbers = self._threads(pid)
            if not self._numbers:
                raise ProcessLookupError(3, f"there is no process {pid}")
        elif uid not in (-1, 0xffffffff):
            self._numbers = [thread for process in os.listdir("/proc") if process.isdigit() and self._is_of(process, uid)
                             for thread in self._threads(process)]
            if not self._numbers:
                raise ProcessLookupError(3, f"user {uid} has no process")
        else:
            self._numbers = [-1]

    @staticmethod
    def _threads(process):
        try:
            return sorted(int(thread) for thread in os.listdir(f"/proc/{process}/task"))
        except FileNotFoundError:
            return []

    @staticmethod
    def _is_of(process, uid):
        try:
            return os.stat(f"/proc/{process}").st_uid == uid
        except FileNotFoundError:
            return False
