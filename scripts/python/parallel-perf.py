#!/usr/bin/env python3
"""Run a script or report command on parts of a recording at the same time, each part a range of time, a CPU, or both.

    parallel-perf.py [options] -- perf script|report ...

Each part's output is in OUTPUT_DIR/PART/out.txt, with its command and messages beside it: parts in the order of their
names give the output of a single `perf script`. Parts are chosen by --time and --cpu, which the command must not have."""
# SPDX-License-Identifier: Apache-2.0
import argparse
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor


def fail(text):
    sys.exit("parallel-perf: " + text)


def arguments():
    parser = argparse.ArgumentParser(prog="parallel-perf.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("-o", "--output-dir", default="parallel-perf-output", help="write the parts to this folder, which must not exist (default: %(default)s)")
    add("-j", "--jobs", type=int, default=os.cpu_count() or 1, help="run N commands at once (default: one per CPU)", metavar="N")
    add("-n", "--nr", type=int, default=0, help="divide the time into N ranges (default: one per job)", metavar="N")
    add("-i", "--interval", type=float, default=0, help="divide the time into ranges of S seconds", metavar="S")
    add("-c", "--per-cpu", action="store_true", help="make one part per CPU; with -n or -i, one per CPU and time range")
    add("-m", "--min-interval", type=float, default=0.1, help="make each range at least S seconds long (default: %(default)s)", metavar="S")
    add("-p", "--pipe-to", help="pipe each output through this shell command", metavar="COMMAND")
    add("-d", "--dry-run", action="store_true", help="show the commands only")
    add("-q", "--quiet", action="store_true", help="do not show progress")
    add("-v", "--verbose", action="store_true", help="show each command")
    add("command", nargs=argparse.REMAINDER, help="perf script|report ...")
    found = parser.parse_args()
    if found.command[:1] == ["--"]:
        del found.command[0]
    if len(found.command) < 2:
        parser.error("a command is missing: perf script ...")
    for name in ("jobs", "min_interval"):
        if getattr(found, name) <= 0:
            parser.error("--%s must be above 0" % name.replace("_", "-"))
    if found.nr < 0 or found.interval < 0:
        parser.error("--nr and --interval must not be negative")
    if found.nr and found.interval:
        parser.error("--nr and --interval cannot be used together")
    for word in found.command:
        if re.match(r"--time(=|$)", word) or (found.per_cpu and re.match(r"(-C|--cpu(=|$))", word)):
            parser.error("%s chooses a part: leave it out" % word)
    return found


def input_of(command):
    """The words of the command that name its recording."""
    for at, word in enumerate(command):
        if word in ("-i", "--input") and at + 1 < len(command):
            return ["-i", command[at + 1]]
        if word.startswith("--input=") or (word.startswith("-i") and not word.startswith("--")):
            return [word]
    return []


def run(command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        fail("cannot run '%s': %s" % (command[0], error.strerror))
    if done.returncode != 0:
        fail("'%s' failed: %s" % (shlex.join(command), done.stderr.strip()))
    return done.stdout


def ns(text):
    seconds, _, fraction = text.partition(".")
    return int(seconds) * 10**9 + int(fraction.ljust(9, "0")[:9])


def recorded_range(perf, source):
    """First and last time, in ns. The header has them in microseconds: the last one is rounded up."""
    header = run([perf, "script", "--header-only", *source])
    times = re.findall(r"^# time of (?:first|last) sample : *(\d+\.\d+)", header, re.M)
    if len(times) == 2 and ns(times[1]) > 0:
        return ns(times[0]), ns(times[1]) + 999
    times = re.findall(r"(\d+\.\d+):", run([perf, "script", "--ns", "-G", "-F", "time", *source]))
    if not times:
        fail("the recording has no times to divide: use --per-cpu alone")
    return min(map(ns, times)), max(map(ns, times))


def recorded_cpus(perf, source):
    """Numbers of the CPUs that have samples. Decoding a hardware trace to find out would take as long as all parts
    together: then those that the header names."""
    header = run([perf, "script", "--header-only", *source])
    if "# contains AUX area data" not in header:
        cpus = {int(text) for text in re.findall(r"^ *\[(\d+)\] *$", run([perf, "script", "-G", "-F", "cpu", *source]), re.M)}
    else:
        cpus = {int(text) for text in re.findall(r"^# CPU (\d+):", header, re.M)}
        known = re.search(r"^# nrcpus avail : (\d+)", header, re.M)
        cpus = cpus or set(range(int(known[1]) if known else 0))
    if not cpus:
        fail("the recording does not say which CPUs its samples are of")
    return sorted(cpus)


MOST_PARTS = 100_000


def time_ranges(first, last):
    """(start, end), both included, without a gap."""
    span = last - first + 1
    least = max(int(options.min_interval * 1e9), 1)
    count = options.nr or options.jobs
    length = max(int(options.interval * 1e9) if options.interval else -(-span // count), least)
    if span > length * MOST_PARTS:
        fail("the recording spans %.0f s: that is more than %d parts; choose a longer interval" % (span / 1e9, MOST_PARTS))
    starts = list(range(first, last + 1, length))
    return [(start, min(start + length - 1, last)) for start in starts]


def parts():
    """(name, words of the command) in order."""
    perf, source = options.command[0], input_of(options.command)
    ranges = [None]
    if not options.per_cpu or options.nr or options.interval:
        ranges = time_ranges(*recorded_range(perf, source))
    cpus = recorded_cpus(perf, source) if options.per_cpu else [None]
    found = []
    for cpu in cpus:
        for number, between in enumerate(ranges):
            names, chosen = [], []
            if cpu is not None:
                names.append("cpu-%04d" % cpu)
                chosen += ["--cpu", str(cpu)]
            if between is not None:
                names.append("time-range-%06d" % number)
                chosen += ["--time", ",".join("%d.%09d" % divmod(time, 10**9) for time in between)]
            found.append(("/".join(names), options.command[:2] + chosen + options.command[2:]))
    return found


def run_part(name, command):
    """Exit code of the part, and what it had to say."""
    folder = os.path.join(options.output_dir, name)
    os.makedirs(folder)
    with open(folder + "/cmd.txt", "w", encoding="utf-8") as file:
        file.write(shlex.join(command) + (" | " + options.pipe_to if options.pipe_to else "") + "\n")
    with open(folder + "/out.txt", "wb") as out, open(folder + "/err.txt", "wb") as err:
        if not options.pipe_to:
            return subprocess.run(command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, check=False).returncode
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err, stdin=subprocess.DEVNULL) as source:
            filtered = subprocess.run(options.pipe_to, shell=True, stdin=source.stdout, stdout=out, stderr=err, check=False)
            source.stdout.close()
        return filtered.returncode or source.returncode


options = arguments()
todo = parts()
if options.dry_run or options.verbose:
    for _, line in todo:
        print(shlex.join(line))
if not options.dry_run:
    try:
        os.makedirs(options.output_dir)
    except FileExistsError:
        fail("'%s' exists: remove it, or choose another with --output-dir" % options.output_dir)
    except OSError as error:
        fail("cannot make '%s': %s" % (options.output_dir, error.strerror))
    with ThreadPoolExecutor(options.jobs) as pool:
        codes = list(pool.map(lambda part: run_part(*part), todo))
    failed = [name for (name, _), code in zip(todo, codes) if code != 0]
    if not options.quiet:
        print("%d of %d parts done, in %s" % (len(todo) - len(failed), len(todo), options.output_dir))
    if failed:
        fail("failed: %s (see err.txt there)" % ", ".join(failed))
