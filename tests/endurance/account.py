"""What a recorder is held to: every event of a storm is in a file or reported lost."""
import glob
import os
import re
import subprocess
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
OURS = os.path.abspath(os.environ.get("PEREGRINE", os.path.join(TOP, "build/release/bin/peregrine")))

# Each part uses different descriptors that nobody has open, because storms run in parallel.
FIRST, EACH = 100_000_000, 100_000_000


def event(part):
    """Options of `record` for the calls of a part's storm, each one a sample."""
    first = FIRST + part * EACH
    return ["-e", "syscalls:sys_enter_close", "--filter", f"fd >= {first} && fd < {first + EACH}", "-c", "1", "-k", "mono"]


class Failed(Exception):
    """Why a part is not ok."""


class Missing(Exception):
    """What a part needs and this machine lacks."""


def expect(condition, why):
    if not condition:
        raise Failed(why)


class Account:
    """The row of one part: how long, how many events there were, where they are, and what else was measured."""

    def __init__(self, name, part=0):
        self.part = part
        self.name, self.begin, self.seconds = name, time.monotonic(), 0.0
        self.made = self.in_files = self.lost = None
        self.notes, self.verdict = [], "ok"

    def settle(self, made, in_files, lost):
        self.made, self.in_files, self.lost = made, in_files, lost
        expect(made == in_files + lost, f"{made} events, {in_files} in the files and {lost} reported lost: {made - in_files - lost} are unaccounted for")


class Tools:
    """The programs that the parts run, compiled once."""

    def __init__(self, folder):
        self.folder = folder
        for name in ("storm", "count_records"):
            subprocess.run(["cc", "-O2", "-o", self.path(name), os.path.join(TOP, "tests/endurance", name + ".c"), "-lpthread"], check=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def count(self, *files):
        """Sums over the records of files, read without any of our code."""
        done = subprocess.run([self.path("count_records"), *files], capture_output=True, text=True)
        expect(done.returncode == 0, done.stderr.strip())
        words = done.stdout.split()
        return dict(zip(words[::2], map(int, words[1::2])))


def log_of(path):
    """(nanoseconds, calls that were over) of a storm's log; a cut last line is left out."""
    try:
        with open(path) as log:
            return [tuple(map(int, line.split())) for line in log.read().split("\n")[:-1]]
    except FileNotFoundError:
        return []


def calls_of(path):
    lines = log_of(path)
    expect(lines, "the storm never began")
    return lines[-1][1]


def record(account, *arguments, **options):
    return subprocess.Popen([OURS, "record", *event(account.part), *arguments], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                            errors="replace", **options)


def finish(process, seconds, code=0):
    """What a recorder said, once it has ended as it must."""
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed("the recorder does not end") from None
    expect(code is None or process.returncode == code, f"exit {process.returncode}: {said.strip()[-300:]}")
    return said


def wait_until(condition, seconds, what):
    deadline = time.monotonic() + seconds
    while not condition():
        expect(time.monotonic() < deadline, f"{what}: not within {seconds} s")
        time.sleep(0.02)


def memory_of(pid):
    """Resident bytes of a process; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status") as status:
            found = re.search(r"VmRSS:\s+(\d+) kB", status.read())
    except OSError:
        return 0
    return int(found[1]) * 1024 if found else 0


def slope(samples):
    """Bytes per minute that a straight line through (seconds, bytes) rises."""
    count = len(samples)
    if count < 3:
        return 0.0
    mean_x, mean_y = sum(x for x, _ in samples) / count, sum(y for _, y in samples) / count
    spread = sum((x - mean_x) ** 2 for x, _ in samples)
    return 60 * sum((x - mean_x) * (y - mean_y) for x, y in samples) / spread


class MemoryWatch:
    """Samples a process's memory every second, until it ends."""

    def __init__(self, pid):
        self.samples, self.pid, self.begin = [], pid, time.monotonic()
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while size := memory_of(self.pid):
            self.samples.append((time.monotonic() - self.begin, size))
            time.sleep(1)

    def judge(self, account):
        """A program that is warm does not grow: of the second half, less than 1 MiB in a minute and 5 % over all."""
        warm = self.samples[len(self.samples) // 2:]
        rise = slope(warm)
        account.notes.append(f"{max((size for _, size in self.samples), default=0) / 2**20:.1f} MiB resident, {rise / 1024:+.0f} KiB a minute")
        if len(warm) >= 20:
            expect(rise < 2**20, f"memory grows by {rise / 1024:.0f} KiB a minute")


class Keeper:
    """Counts finished files that a recorder is going to delete: each gets a second name, is counted, and is let go."""

    def __init__(self, tools, pattern):
        self.tools, self.pattern, self.sums, self.seen, self.files = tools, pattern, {}, {}, 0
        self.most = 0  # total bytes of the files that the recorder keeps
        self.stop = threading.Event()
        self.why = ""
        self.thread = threading.Thread(target=self.watch)
        self.thread.start()

    def look(self, finished):
        names = sorted(name for name in glob.glob(self.pattern) if not name.endswith(".kept"))
        for name in names:
            if name not in self.seen:
                self.seen[name] = name + ".kept"
                os.link(name, self.seen[name])
        self.most = max(self.most, sum(os.path.getsize(name) for name in names if os.path.exists(name)))
        if finished:
            for kept in [kept for kept in self.seen.values() if kept and os.path.exists(kept)]:
                for key, value in self.tools.count(kept).items():
                    self.sums[key] = self.sums.get(key, 0) + value
                self.files += 1
                os.unlink(kept)

    def watch(self):
        try:
            while not self.stop.wait(0.1):
                self.look(finished=False)
                # All files but the newest were finished a while ago.
                for name in sorted(self.seen)[:-2]:
                    if os.path.exists(self.seen[name]):
                        self.add(name)
            self.look(finished=True)
        except (Failed, OSError) as failed:
            self.why = str(failed)

    def add(self, name):
        for key, value in self.tools.count(self.seen[name]).items():
            self.sums[key] = self.sums.get(key, 0) + value
        self.files += 1
        os.unlink(self.seen[name])

    def end(self):
        self.stop.set()
        self.thread.join()
        expect(not self.why, f"a file that was kept: {self.why}")
        return self.sums
