"""The parts of the endurance run that go on for long: top, and a daemon with many sessions."""
import glob
import itertools
import os
import re
import shutil
import signal
import subprocess
import threading
import time

from account import EACH, FIRST, OURS, MemoryWatch, expect, wait_until


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


FUNCTIONS = 3000


def run_new_programs(stop):
    """Five programs a second that nobody has run before, each with its own symbol table."""
    lines = [f"int function_{number}(int x) {{ return x + {number}; }}" for number in range(FUNCTIONS)]
    lines.append("int main(void) { volatile int sum = 0; for (int i = 0; i < 10000000; ++i) sum += function_7(i); return 0; }")
    with open("program.c", "w") as source:
        source.write("\n".join(lines))
    subprocess.run(["cc", "-O0", "-o", "program", "program.c"], check=True)
    for number in itertools.count():
        if stop.wait(0.2):
            return
        name = f"./program_{number}"
        shutil.copy("program", name)
        subprocess.run([name], check=False)
        os.remove(name)


def top(account, tools, minutes, rate):
    """`top --stdio` beside threads and programs that come and go: its memory stays flat."""
    programs = threading.Thread(target=run_new_programs, args=(stop := threading.Event(),))
    programs.start()
    load = subprocess.Popen([tools.path("storm"), str(rate / 10), "0", str(FIRST + account.part * EACH), "top.log"])
    process = subprocess.Popen([OURS, "top", "--stdio", "-d", "1", "-e", "cpu-clock", "-F", "199"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    watch, looks, end = MemoryWatch(process.pid), 0, time.monotonic() + 60 * minutes
    try:
        for line in process.stdout:
            looks += line.startswith("   PerfTop:")
            if time.monotonic() > end:
                break
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    finally:
        stop.set()
        process.kill()
        load.terminate()
        load.wait()
        programs.join()
    account.notes.append(f"{looks} looks")
    expect(process.returncode == 0, f"exit {process.returncode}: {said.strip()[-300:]}")
    expect(looks >= 6 * minutes, f"{looks} looks in {minutes:g} minutes")
    watch.judge(account)


SESSIONS = 20


def daemon(account, tools, minutes, rate):
    """A daemon with 20 sessions: all answer to the end, all files can be read, and nobody is left."""
    base = os.path.abspath("base")
    os.mkdir(base, 0o700)
    with open("config", "w") as config:
        config.write(f"[daemon]\nbase={base}\n")
        for number in range(SESSIONS):
            config.write(f"\n[session-s{number}]\nrun = -m 16K -e cpu-clock -F 11 --switch-output -- sleep 100000\n")
    os.chmod("config", 0o600)
    server = subprocess.Popen([OURS, "daemon", "start", "-f", "--config", "config"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)

    def ask(*words):
        return subprocess.run([OURS, "daemon", *words, "--config", "config"], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)

    def answers():
        return len(re.findall(r"^OK", ask("ping").stdout, re.M))

    try:
        wait_until(lambda: answers() == SESSIONS, 120, "all sessions")
        watch, before, signals, end = MemoryWatch(server.pid), descriptors(server.pid), 0, time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            expect((count := answers()) == SESSIONS, f"{count} sessions answer")
            expect(ask("signal").returncode == 0, "a signal was refused")
            signals += 1
            time.sleep(min(10.0, max(0.0, end - time.monotonic())))
        after = descriptors(server.pid)
        expect(ask("stop").returncode == 0, "stop")
        server.communicate(timeout=120)
    finally:
        server.kill()
    account.notes.append(f"{SESSIONS} sessions, {signals} signals, {before} descriptors at first and {after} at last")
    expect(after <= before + 2, f"descriptors leak: {before}, {after}")
    watch.judge(account)
    left = subprocess.run(["pgrep", "-f", base], capture_output=True, text=True).stdout.split()
    expect(not left, f"processes left: {left}")
    files = [path for path in glob.glob(f"{base}/session-*/perf.data*") if os.path.isfile(path)]
    expect(len(files) >= SESSIONS, f"{len(files)} files of {SESSIONS} sessions")
    account.notes.append(f"{len(files)} files")
    tools.count(*files)
