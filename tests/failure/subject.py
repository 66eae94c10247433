"""The commands whose calls are failed, what they read and what they may leave."""
import glob
import os
import re
import shutil
import subprocess

OURS = os.path.abspath(os.environ.get("PEREGRINE", "build/dev/bin/peregrine"))
BUILD = os.path.abspath(os.environ.get("PEREGRINE_BUILD", "build/dev"))
TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class Subject:
    """A command line, run in an empty folder beside `../files`.

    recordings: outputs that must be readable, or absent. pages: other outputs. `settled`: the same bytes each time, so that a
    run that succeeds must give what an undisturbed one gives; with a message, it may be other bytes if whole(text) of the output
    is the same: numbers (nearly) and texts that show that nothing is missing but names. `stop`: signal and seconds after which it is asked to end.
    every: (class, error) of which each call is failed, however few runs are asked for.
    """

    def __init__(self, name, *command, recordings=(), pages=(), settled=False, whole=None, stop=None, script=None, before=(), every=()):
        self.whole = whole
        self.name, self.recordings, self.pages, self.settled = name, recordings, pages, settled
        self.before, self.every = before, every
        if script:
            self.command = ["sh", "-c", script.replace("OURS", OURS)]
        else:
            self.command = [OURS, *command]
        if stop:
            self.command = ["timeout", "--preserve-status", "-s", stop[0], str(stop[1]), *self.command]


def whole_report(text):
    """Samples, their sum, and the shares of all rows."""
    shares = re.findall(r"^ *[0-9.]+%[ ,]+([0-9.]+)%", text, re.M)
    return [*re.findall(r"^# (?:Samples|Event count).*", text, re.M), sum(map(float, shares)), text[-1:]]


def whole_page(text):
    return [text.count("<script"), text.rstrip()[-7:]]


def whole_samples(text):
    return [len(re.findall(r" cpu-clock:", text)), text[-1:]]


def whole_code(text):
    return [sum(map(float, re.findall(r"^ +([0-9.]+) +:", text, re.M))), text[-1:]]


def whole_difference(text):
    return [sum(map(float, re.findall(r"^ +([0-9.]+)%", text, re.M))), text[-1:]]


LOAD = "../files/load"
CLOCK = ["-e", "cpu-clock", "-F", "499"]
DAEMON = """
mkdir base
printf '[daemon]\\nbase=%s/base\\n[session-one]\\nrun = -e cpu-clock -m 1 -- sleep 60\\n' "$PWD" >config
OURS daemon start -f --config config & d=$!
for i in 1 2 3 4 5 6 7 8; do OURS daemon ping --config config --session one 2>&1 | grep -q '^OK' && break; sleep 0.1; done
for i in 1 2 3; do OURS daemon stop --config config && break; done || kill -TERM $d 2>/dev/null
wait $d
"""
# Python keeps its memory until it exits.
PYTHON = "ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 OURS script -s ../files/count.py -i ../files/perf.data"
COUNT = """
import sys
count = 0
def process_event(sample):
    global count
    count += 1
def trace_end():
    sys.stdout.write("%d samples\\n" % count)
"""

SUBJECTS = [
    Subject("record", "record", *CLOCK, "-g", "-o", "out.data", "--", LOAD, "spin", "40", recordings=["out.data"]),
    Subject("record-unwind", "record", *CLOCK, "--call-graph", "dwarf", "--unwind=now", "--sync", "-o", "out.data", "--", LOAD, "spin", "40",
            recordings=["out.data"]),
    Subject("record-zstd", "record", *CLOCK, "-z", "-o", "out.data", "--", LOAD, "forks", "20", recordings=["out.data"]),
    Subject("record-threads", "record", *CLOCK, "--threads", "-o", "out.data", "--", LOAD, "threads", "40", recordings=["out.data"]),
    Subject("record-switch", "record", *CLOCK, "--switch-output=1s", "--switch-max-files", "2", "-o", "out.data", "--", LOAD, "spin", "40",
            recordings=["out.data*"]),
    # Longer than a second, so that the disk is synced during the run.
    Subject("record-sync", "record", *CLOCK, "--sync", "-o", "out.data", "--", LOAD, "spin", "1400", recordings=["out.data"],
            every=[("name", "EIO")]),
    Subject("record-pipe", "record", *CLOCK, "-o", "-", "--", LOAD, "spin", "40", recordings=["stdout"]),
    Subject("record-off-cpu", "record", *CLOCK, "--off-cpu", "-o", "out.data", "--", LOAD, "sleep", "40", recordings=["out.data"]),
    # Kernel state to inspect afterwards: probes, instances, the tracer.
    Subject("record-probe", "record", "--probe", "leaf", "-o", "out.data", "--", LOAD, "spin", "10", recordings=["out.data"]),
    Subject("ftrace", "ftrace", "-T", "ksys_read", "--", LOAD, "spin", "10"),
    Subject("ftrace-graph", "ftrace", "-G", "ksys_read", "--", LOAD, "spin", "10"),
    Subject("ftrace-latency", "ftrace", "latency", "-T", "ksys_read", "--", LOAD, "spin", "10"),
    Subject("ftrace-events", "ftrace", "events", "-e", "sched:sched_switch", "--", LOAD, "spin", "10"),
    Subject("script-python", script=PYTHON, settled=True),
    Subject("buildid-cache", "buildid-cache", "-a", LOAD),
    Subject("unpack", "archive", "--unpack", "../files/bundle", recordings=["perf.data"]),
    Subject("report", "report", "--stdio", "-i", "../files/perf.data", settled=True, whole=whole_report),
    Subject("report-cells", "report", "--stdio", "--csv-safe", "-t,", "-i", "../files/perf.data", settled=True, whole=whole_report),
    Subject("report-page", "report", "--html", "page.html", "-i", "../files/perf.data", pages=["page.html"], settled=True,
            whole=whole_page),
    Subject("report-archive", "report", "--stdio", "-i", "../files/bundle", settled=True, whole=whole_report),
    Subject("script", "script", "-i", "../files/perf.data", settled=True, whole=whole_samples,
            every=[("read", "EIO")]),
    Subject("annotate", "annotate", "--stdio", "-i", "../files/perf.data", "leaf", settled=True, whole=whole_code),
    Subject("diff", "diff", "../files/perf.data", "../files/perf.data", settled=True, whole=whole_difference),
    Subject("replay", "sched", "replay", "-r", "1", "-i", "../files/sched.data"),
    Subject("latency", "sched", "latency", "-i", "../files/sched.data", settled=True),
    Subject("convert-json", "data", "convert", "--to-json", "out.json", "-i", "../files/perf.data", pages=["out.json"]),
    Subject("convert-ctf", "data", "convert", "--to-ctf", "out.ctf", "-i", "../files/perf.data", pages=["out.ctf/*"]),
    Subject("inject", "inject", "-b", "-i", "../files/perf.data", "-o", "out.data", recordings=["out.data"]),
    Subject("archive", "archive", "-o", "out.tar.zst", "../files/perf.data", recordings=["out.tar.zst"]),
    Subject("messaging", "bench", "sched", "messaging", "-t", "-g", "1", "-l", "5"),
    Subject("epoll", "bench", "epoll", "wait", "-t", "2", "-f", "2", "-r", "1"),
    Subject("stat", "stat", "-e", "task-clock,context-switches", "-o", "out.txt", "--", LOAD, "spin", "10", pages=["out.txt"]),
    Subject("stat-bpf", "stat", "--bpf-counters", "-e", "task-clock", "--", LOAD, "spin", "10"),
    Subject("trace", "trace", "-o", "out.txt", "--", "cat", "../files/sched.data", pages=["out.txt"]),
    Subject("trace-summary", "trace", "-s", "--", "cat", "../files/sched.data"),
    Subject("top", "top", "--stdio", "-d", "1", *CLOCK, stop=("INT", 1.6)),
    Subject("daemon", script=DAEMON),
]


def prepare(folder):
    """Makes what the subjects read, in `folder`/files; an error text when that cannot be had here."""
    files = os.path.join(folder, "files")
    os.makedirs(files)
    for command in (
            ["cc", "-O1", "-g", "-fno-omit-frame-pointer", "-rdynamic", "-o", "load", f"{TOP}/tests/fixtures/programs/load.c", "-ldl", "-lpthread"],
            [OURS, "record", *CLOCK, "-g", "-o", "perf.data", "--", "./load", "spin", "60"],
            [OURS, "sched", "record", "-o", "sched.data", "--", "./load", "switch", "5"],
            [OURS, "archive", "-o", "bundle", "perf.data"]):
        done = subprocess.run(command, cwd=files, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            return f"{os.path.basename(command[0])} {command[1]}: {done.stderr.strip()[-200:]}"
    with open(os.path.join(files, "count.py"), "w", encoding="ascii") as script:
        script.write(COUNT)
    return ""
