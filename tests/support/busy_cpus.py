"""Keeps every CPU busy, at the lowest priority.

Some virtual machines deliver no perf event from an idle CPU: an interrupt that meets one leaves no sample, in linux-perf
neither. Disks complete requests in interrupts, so tests that count completions keep the CPUs from idling.
"""
import contextlib
import os
import subprocess
import sys


def _spin(cpu):
    os.sched_setaffinity(0, {cpu})
    os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


@contextlib.contextmanager
def busy_cpus():
    spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=lambda cpu=cpu: _spin(cpu))
                for cpu in os.sched_getaffinity(0)]
    try:
        yield
    finally:
        for spinner in spinners:
            spinner.kill()
            spinner.wait()
