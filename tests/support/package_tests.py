"""linux-perf's own tests: where they are, the `perf` that they run, and the named reasons of those that do not pass here.

6.1's tests are in the installed package. 6.12's are in the folder that PEREGRINE_PERF_TESTS names (tools/perf/tests of a
kernel tree), or in Debian's linux-source-6.12, from which they are unpacked into TMPDIR. They are run, and never copied.
"""
import atexit
import glob
import os
import shutil
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OURS = os.path.abspath(os.environ.get("PEREGRINE", "build/release/bin/peregrine"))
PERF = os.environ.get("PERF", "/usr/bin/perf")
REASONS = os.path.join(HERE, "..", "differential", "package_tests.txt")
INSTALLED = ["/usr/lib/perf-core/tests", "/usr/libexec/perf-core/tests", *glob.glob("/usr/lib/linux-tools*/tests")]
SOURCES = "/usr/src/linux-source-6.12.tar.xz"


def folder_6_1():
    """The folder with 6.1's tests, or None."""
    return next((folder for folder in INSTALLED if os.path.isdir(os.path.join(folder, "attr"))), None)


def folder_6_12():
    """The folder with 6.12's tests and "", or None and the reason."""
    named = os.environ.get("PEREGRINE_PERF_TESTS")
    if named:
        good = os.path.isdir(os.path.join(named, "shell")) and os.path.isdir(os.path.join(named, "attr"))
        return (named, "") if good else (None, f"PEREGRINE_PERF_TESTS={named} has no folders shell and attr")
    if not os.path.exists(SOURCES):
        return None, "needs PEREGRINE_PERF_TESTS or the package linux-source-6.12"
    # In the runner's private folder, the next test finds the files this one unpacked; elsewhere, a folder with that
    # name may be anybody's.
    shared = os.environ.get("TMPDIR")
    if shared and is_private(shared):
        unpacked = os.path.join(shared, "linux-6.12-tests")
    else:
        unpacked = tempfile.mkdtemp()
        atexit.register(shutil.rmtree, unpacked, ignore_errors=True)
    tests = os.path.join(unpacked, "tools", "perf", "tests")
    if not os.path.isdir(tests):
        os.makedirs(unpacked, exist_ok=True)
        subprocess.run(["tar", "-C", unpacked, "--strip-components=1", "--wildcards", "-xf", SOURCES, "*/tools/perf/tests/*"],
                       check=True, timeout=300)
    return tests, ""


def is_private(folder):
    """Nobody else can put anything into it."""
    status = os.lstat(folder)
    return status.st_uid == os.getuid() and not status.st_mode & 0o022


def install_perf(program, folder):
    """Makes `folder/perf`: our program, or linux-perf with our workloads where it has no `test -w`."""
    place = os.path.join(folder, "perf")
    if program == OURS:
        os.symlink(program, place)
        return
    with open(place, "w", encoding="utf-8") as script:
        script.write(f"""#!/bin/sh
case "$1 $2" in
"test -w") exec '{OURS}' "$@" ;;
esac
exec '{program}' "$@"
""")
    os.chmod(place, 0o755)


def has_counters():
    """Whether this machine counts cycles."""
    done = subprocess.run([PERF, "stat", "-x,", "-e", "cycles", "true"], stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=60, check=False)
    return "<not" not in done.stderr and done.returncode == 0


def in_tracefs(name):
    """Whether this kernel has that file of tracefs, and lets root read it."""
    for folder in ("/sys/kernel/tracing", "/sys/kernel/debug/tracing"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                file.read(1)
                return True
        except OSError:
            pass
    return False


CONDITIONS = {
    "no-counters": lambda: not has_counters(),
    "no-kprobes": lambda: not in_tracefs("kprobe_events"),
    "no-filter-functions": lambda: not in_tracefs("available_filter_functions"),
    "no-hrtimer_init": lambda: not in_tracefs("events/timer/hrtimer_init/id"),
    "no-ping": lambda: shutil.which("ping") is None,
}


def read_reasons(kind):
    """Name of a test (6.12/NAME) → its reason, of those lines that hold on this machine: `KIND NAME [WHERE]: REASON`."""
    reasons, holds = {}, {}
    with open(REASONS, encoding="utf-8") as file:
        for line in file:
            if line.startswith("#") or not line.strip():
                continue
            words, reason = line.strip().split(": ", 1)
            what, name, *where = words.split()
            if what != kind:
                continue
            for condition in (word.strip("[]") for word in where):
                if condition not in holds:
                    holds[condition] = CONDITIONS[condition]()
            if not all(holds[word.strip("[]")] for word in where):
                continue
            assert name not in reasons, f"{REASONS}: {name} is named twice"
            reasons[name] = reason
    return reasons
