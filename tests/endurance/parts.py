"""The parts of the endurance run that record: storms, bounded files, lack of space, kills, stops."""
import ctypes
import glob
import os
import random
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

from account import (EACH, FIRST, OURS, Failed, Keeper, MemoryWatch, Missing, calls_of, event, expect, finish, log_of, record,
                     wait_until)


def storm(account, tools, rate, seconds, log="storm.log"):
    return [tools.path("storm"), str(rate), str(seconds), str(FIRST + account.part * EACH), log]


def settle(account, tools, made, files):
    sums = tools.count(*files)
    account.settle(made, sums["samples"], sums["lost_samples"])
    return sums


def system_wide(account, tools, minutes, rate):
    """All CPUs, a storm of threads, files of 16 MB of which the last four stay: each is counted before it goes."""
    seconds = minutes * 60
    keeper = Keeper(tools, os.path.abspath("perf.data.2*"))
    process = record(account, "-a", "-m", "4M", "--switch-output=16M", "--switch-max-files", "4", "-o", "perf.data", "--",
                     *storm(account, tools, rate, seconds))
    watch = MemoryWatch(process.pid)
    try:
        said = finish(process, seconds + 120)
    finally:
        sums = keeper.end()
    left = glob.glob("perf.data*")
    account.notes.append(f"{keeper.files} files, at most {keeper.most / 2**20:.0f} MiB at once, {len(left)} left")
    watch.judge(account)
    account.settle(calls_of("storm.log"), sums["samples"], sums["lost_samples"])
    expect(len(left) <= 4, f"{len(left)} files are left of four: {left}")
    expect(keeper.most < 6 * 17 * 2**20, "the files outgrew their bound")
    return said


def bounded_size(account, tools, minutes, rate):
    """A file that may not grow over 8 MB: the recording ends by itself, and what is in it is all there was until then."""
    process = record(account, "-a", "-m", "4M", "--max-size=8M", "-o", "perf.data", "--", *storm(account, tools, rate, 0))
    said = finish(process, 60 * minutes + 120, code=None)
    expect("size limit reached" in said, f"nothing said of the limit: {said[-200:]}")
    size = os.path.getsize("perf.data")
    expect(8 * 2**20 <= size < 10 * 2**20, f"{size} bytes for a limit of 8 MB")
    account.notes.append(f"{size / 2**20:.2f} MiB")
    judge_prefix(account, tools, "perf.data", None)


def judge_prefix(account, tools, path, until):
    """Every event is in the file, up to `until` (ns), or up to a second before the last one in it: of the rings that the last lap
    emptied, some may have found room in the file and others not. Returns the times."""
    times = sample_times(path)
    lost = tools.count(path)["lost_samples"]
    made = 0
    end = until if until is not None else (times[-1] if times else 0) - 10**9
    for when, calls in log_of("storm.log"):
        if when <= end:
            made = calls
    found = sum(when <= end for when in times)
    expect(made <= found + lost, f"{made} events were over, {found} are in the file and {lost} reported lost")
    # A call may have been sampled without having ended when the storm recorded its count.
    account.made = (account.made or 0) + found
    account.in_files = (account.in_files or 0) + found
    account.lost = (account.lost or 0) + lost
    return times


def sample_times(path):
    """Times in ns of the samples of a recording, as `script` tells them."""
    done = subprocess.run([OURS, "script", "--ns", "-F", "time", "-i", path], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    expect(done.returncode == 0, f"{path} cannot be read: {done.stderr.strip()[-300:]}")
    return sorted(int(line.strip(" :").replace(".", "")) for line in done.stdout.splitlines() if line.strip())


def many_files(account, tools, minutes, rate):
    """200 files of --switch-output, one at each signal; nothing is lost between two."""
    count = max(10, min(200, round(200 * minutes / 2)))
    seconds = max(4, minutes * 60)
    process = record(account, "-a", "-m", "1M", "--switch-output=signal", "-o", "perf.data", "--", *storm(account, tools, rate / 10, 0))
    wait_until(lambda: log_of("storm.log"), 30, "the storm")
    for number in range(count - 1):
        before = len(glob.glob("perf.data.2*"))
        process.send_signal(signal.SIGUSR2)
        wait_until(lambda: len(glob.glob("perf.data.2*")) > before, 30, f"file {number}")
        time.sleep(max(0.0, seconds / count - 0.05))
    end_storm(process)
    finish(process, 60, code=None)
    files = glob.glob("perf.data*")
    account.notes.append(f"{len(files)} files")
    settle(account, tools, calls_of("storm.log"), files)
    expect(len(files) == count, f"{len(files)} files for {count}")


def end_storm(recorder):
    """Lets the storm of a recorder end by itself: its last calls are logged, and the recorder ends after it."""
    for child in children(recorder.pid):
        with open(f"/proc/{child}/comm") as comm:
            if comm.read().strip() == "storm":
                os.kill(child, signal.SIGTERM)


def children(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def stopped(account, tools, minutes, rate):
    """A recorder that is stopped again and again, with rings that overflow meanwhile: what is missing is what it reports lost."""
    seconds = max(6, minutes * 60)
    process = record(account, "-a", "-m", "64K", "-o", "perf.data", "--", *storm(account, tools, rate, seconds))
    wait_until(lambda: log_of("storm.log"), 30, "the storm")
    end, stops = time.monotonic() + seconds - 2, 0
    while time.monotonic() < end and process.poll() is None:
        process.send_signal(signal.SIGSTOP)
        time.sleep(random.uniform(0.2, 1.5))
        process.send_signal(signal.SIGCONT)
        stops += 1
        time.sleep(random.uniform(0.2, 1.0))
    finish(process, seconds + 60)
    account.notes.append(f"{stops} stops")
    settle(account, tools, calls_of("storm.log"), ["perf.data"])


def full_disk(account, tools, minutes, rate):
    """A file system of 4 MB: the recorder says that it is full, and keeps what it could write."""
    if os.geteuid() != 0:
        raise Missing("root, to mount a small tmpfs")
    os.makedirs("small", exist_ok=True)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4M", "small", "small"], capture_output=True).returncode != 0:
        raise Missing("a small tmpfs")
    try:
        process = record(account, "-a", "-m", "1M", "-o", "small/perf.data", "--", *storm(account, tools, rate, 0))
        said = finish(process, 60 + 60 * minutes, code=None)
        expect(process.returncode != 0, "a full disk is a success")
        expect("No space left" in said, f"nothing said of it: {said[-300:]}")
        expect(os.listdir("small") == ["perf.data"], f"left: {os.listdir('small')}")
        judge_prefix(account, tools, "small/perf.data", None)
    finally:
        subprocess.run(["umount", "-l", "small"], check=True)


def quota(account, tools, minutes, rate):
    """A limit of 2 MB on what the recorder may write (RLIMIT_FSIZE), as a quota would set."""
    limit = 2 << 20
    process = record(account, "-a", "-m", "1M", "-o", "perf.data", "--", *storm(account, tools, rate, 0),
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    said = finish(process, 60 + 60 * minutes, code=None)
    expect(process.returncode > 0, f"exit {process.returncode}: {said.strip()[-300:]}")
    expect("too large" in said or "limit" in said, f"nothing said of it: {said[-300:]}")
    judge_prefix(account, tools, "perf.data", None)


SET_QUOTA, USER_QUOTA = 0x800008, 0  # linux/quota.h
CAP_SYS_RESOURCE, PR_CAPBSET_DROP = 24, 24


def with_quota(image, place, limit):
    """Mounts an ext4 with a limit of that many KiB for root; False where the kernel has no quotas."""
    made = subprocess.run(["mke2fs", "-q", "-t", "ext4", "-O", "quota", image, "16M"], capture_output=True)
    if made.returncode != 0 or subprocess.run(["mount", "-o", "loop,usrquota", image, place], capture_output=True).returncode != 0:
        return False
    device = subprocess.run(["findmnt", "-n", "-o", "SOURCE", place], capture_output=True, text=True, check=True).stdout.strip()
    # struct dqblk: limits in KiB; bits 1 and 2 of the last word: the hard and the soft one are given.
    block = struct.pack("=QQQQQQQQI4x", limit, limit, 0, 0, 0, 0, 0, 0, 1)
    command = (SET_QUOTA << 8 | USER_QUOTA) - (1 << 32)
    if ctypes.CDLL(None, use_errno=True).quotactl(command, device.encode(), 0, block) != 0:
        raise Missing(f"quotactl(2): {os.strerror(ctypes.get_errno())}")
    return True


def drop_resource_capability():
    """Whoever has it is above every quota."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_SYS_RESOURCE, 0, 0, 0)


def disk_quota(account, tools, minutes, rate):
    """A quota of 2 MB on a file system with room (EDQUOT); where the kernel has none, an ext4 without room, which finds out late."""
    if os.geteuid() != 0 or not shutil.which("mke2fs"):
        raise Missing("root and mke2fs, to mount a small ext4")
    os.makedirs("limited", exist_ok=True)
    words, options = "Disk quota exceeded", {"preexec_fn": drop_resource_capability}
    if not with_quota("image", "limited", 2048):
        words, options = "No space left", {}
        account.notes.append("no quotas in this kernel: a full ext4 instead")
        subprocess.run(["mke2fs", "-q", "-F", "-t", "ext4", "-O", "^has_journal", "-m", "0", "image", "3M"], check=True)
        if subprocess.run(["mount", "-o", "loop", "image", "limited"], capture_output=True).returncode != 0:
            raise Missing("a loop device")
    try:
        process = record(account, "-a", "-m", "1M", "-o", "limited/perf.data", "--", *storm(account, tools, rate, 0), **options)
        said = finish(process, 60 + 60 * minutes, code=None)
        expect(process.returncode > 0, f"exit {process.returncode}: {said.strip()[-300:]}")
        expect(words in said, f"nothing said of it: {said[-300:]}")
        left = sorted(name for name in os.listdir("limited") if name not in ("lost+found", "aquota.user"))
        expect(left == ["perf.data"], f"left: {left}")
        judge_prefix(account, tools, "limited/perf.data", None)
    finally:
        subprocess.run(["umount", "-l", "limited"], check=True)


def closed_pipe(account, tools, minutes, rate):
    """A reader of the recording's pipe goes away: the recorder ends, and so does its workload."""
    process = subprocess.Popen([OURS, "record", *event(account.part), "-a", "-o", "-", "--", *storm(account, tools, rate, 0)], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    size = len(process.stdout.read(1 << 20))
    workload = children(process.pid)
    process.stdout.close()
    said = finish_bytes(process, 60)
    account.notes.append(f"{size} bytes read")
    expect(process.returncode != 0, "a closed pipe is a success")
    expect(said or process.returncode == -signal.SIGPIPE, "no message")
    wait_until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in workload), 10, "the end of the workload")


def finish_bytes(process, seconds):
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed("the recorder does not end") from None
    return process.stderr.read().decode(errors="replace")


# Rings are read every half second; the rest allows for a recorder that wakes up late, and for the reading itself.
LOST_SECONDS = 1.0


def kills(account, tools, minutes, rate):
    """SIGKILL of the recorder, the workload or the shell around both at random moments: the file can be read, and at most a
    second is missing from it."""
    count, worst = max(6, min(100, round(100 * minutes / 10))), 0.0
    for number in range(count):
        whom = ("recorder", "workload", "shell")[number % 3]
        folder = f"kill-{number}"
        os.mkdir(folder)
        os.chdir(folder)
        try:
            worst = max(worst, kill_one(account, tools, whom, rate / 50, random.uniform(0.05, 5.0)))
        except Failed as failed:
            raise Failed(f"kill {number} of the {whom}: {failed}") from None
        finally:
            os.chdir("..")
        subprocess.run(["rm", "-rf", folder], check=True)
    account.notes.append(f"{count} kills, at most {worst:.2f} s missing")


def kill_one(account, tools, whom, rate, moment):
    recorder = " ".join([OURS, "record", "-q", *(f"'{word}'" for word in event(account.part)), "-a", "-o", "perf.data", "--", *storm(account, tools, rate, 0)])
    shell = subprocess.Popen(["sh", "-c", recorder + " & echo $! >recorder; wait $!; echo $? >code"], stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, start_new_session=True)
    wait_until(lambda: log_of("storm.log"), 60, "the storm")
    time.sleep(moment)
    pid = int(open("recorder").read())
    workload = [child for child in children(pid) if command_of(child).startswith(tools.path("storm"))]
    expect(len(workload) == 1, f"the workload is not there: {workload}")
    when = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    os.kill({"recorder": pid, "workload": workload[0], "shell": shell.pid}[whom], signal.SIGKILL)
    if whom == "shell":  # the others continue without it until they are ended
        time.sleep(0.2)
        os.kill(workload[0], signal.SIGTERM)
    else:
        shell.wait(timeout=60)
    wait_until(lambda: not os.path.exists(f"/proc/{pid}"), 60, "the end of the recorder")
    if os.path.exists(f"/proc/{workload[0]}") and whom == "recorder":
        os.kill(workload[0], signal.SIGTERM)
    if whom != "recorder":
        judge_prefix(account, tools, "perf.data", when)
        return 0.0
    allowed = int(LOST_SECONDS * 1e9)
    times = judge_prefix(account, tools, "perf.data", when - allowed)
    last = times[-1] if times else log_of("storm.log")[0][0]
    return max(0.0, (when - last) / 1e9)


def command_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().replace("\0", " ")
    except OSError:
        return ""
