"""One run of a subject under fail_call, and what is wrong with how it ended."""
import fnmatch
import glob
import hashlib
import os
import re
import shutil
import subprocess

from subject import BUILD, OURS

FAIL_CALL = os.path.join(BUILD, "bin", "fail_call")
SECONDS = 40
CRASHES = re.compile(r"AddressSanitizer|LeakSanitizer|runtime error:|terminate called|libc\+\+abi|double free|Assertion|stack smashing")
SHARE = 1.0  # percent: unnamed rows are different rows, and each is rounded
# Failures that must not change the result: the calls are repeated, or continue where they stopped.
PASSING = {"EINTR", "short"}
# After these errors, written data may be lost, because the kernel reports it only once.
SYNCS = ("fsync", "fdatasync")


class Run:
    """What was there after a run."""

    def __init__(self, folder):
        self.folder, self.code, self.end = folder, None, "no report"
        self.counts, self.failed, self.left = {}, "", []
        for line in read(os.path.join(folder, "..", os.path.basename(folder) + ".report")).splitlines():
            key, _, rest = line.partition(" ")
            if key == "count":
                call_class, error, count = rest.split()
                self.counts[call_class, error] = int(count)
            elif key == "failed":
                self.failed = rest
            elif key == "left":
                self.left.append(rest)
            elif key == "end":
                self.end = rest
        self.said, self.text = read(os.path.join(folder, "stderr")), read(os.path.join(folder, "stdout"))
        self.files = sorted(os.path.relpath(os.path.join(at, name), folder) for at, _, names in os.walk(folder) for name in names)
        self.folders = sorted(os.path.relpath(os.path.join(at, name), folder) for at, names, _ in os.walk(folder) for name in names)

    def lines(self):
        return {without_numbers(line) for line in self.said.splitlines() if line.strip()}

    def digest(self, patterns):
        total = hashlib.sha1()
        for path in sorted(path for pattern in ("stdout", *patterns) for path in glob.glob(os.path.join(self.folder, pattern))):
            with open(path, "rb") as file:
                total.update(file.read())
        return total.hexdigest()


def read(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def without_numbers(text):
    return re.sub(r"[0-9][0-9.,]*", "0", text)


def start(subject, folder, fault=(), variables=None):
    """Runs the subject in `folder`, a new one."""
    os.makedirs(os.path.join(folder, "tmp"))
    home = os.path.join(folder, "home")
    os.makedirs(home)
    env = dict(os.environ, HOME=home, XDG_CACHE_HOME=os.path.join(home, ".cache"), TMPDIR=os.path.join(folder, "tmp"),
               **(variables or {}))
    env.pop("DEBUGINFOD_URLS", None)
    env.pop("PYTHONUNBUFFERED", None)  # in that case, Python itself loses the rest of a short write
    command = [FAIL_CALL, "--report", folder + ".report", "--program", OURS, "--seconds", str(SECONDS), *fault, "--", *subject.command]
    with open(os.path.join(folder, "stdout"), "wb") as out, open(os.path.join(folder, "stderr"), "wb") as said:
        subprocess.run(command, cwd=folder, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=said, timeout=SECONDS + 60)
    return Run(folder)


def works_alone(subject, folder):
    """Whether the subject succeeds with nobody supervising its calls."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(os.path.join(folder, "home"))
    env = dict(os.environ, HOME=os.path.join(folder, "home"), TMPDIR=folder)
    env.pop("DEBUGINFOD_URLS", None)
    done = subprocess.run(subject.command, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS + 60)
    shutil.rmtree(folder, ignore_errors=True)
    return done.returncode == 0


def end(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.unlink(folder + ".report")


def whole(subject, run):
    """What subject.whole finds in all outputs of a run."""
    outputs = sorted(path for pattern in subject.pages for path in glob.glob(os.path.join(run.folder, pattern)))
    return subject.whole("".join([run.text, *map(read, outputs)]))


def incomplete(subject, calm, run):
    """What is missing in the other output of a run that succeeded with a message, or ""."""
    if subject.whole is None:
        return "another result, with exit code 0"
    expected, found = whole(subject, calm), whole(subject, run)
    same = len(expected) == len(found) and all(
        abs(a - b) <= SHARE if isinstance(a, float) and isinstance(b, float) else a == b for a, b in zip(expected, found))
    return "" if same else f"an incomplete result, with exit code 0: {found}, not {expected}"


def unreadable(path):
    """Why nobody can read a recording that a run left, or ""."""
    done = subprocess.run([OURS, "script", "-f", "-F", "comm,ip", "-i", path], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace", timeout=120)
    return "" if done.returncode == 0 else f"{os.path.basename(path)} ({os.path.getsize(path)} bytes) cannot be read: {done.stderr.strip()[:200]}"


def stack_of(text):
    """The first lines of a sanitiser's report, and the frames of our own code."""
    first = [line for line in text.splitlines() if CRASHES.search(line) or "what():" in line][:3]
    frames = [line for line in text.splitlines() if re.match(r" +#\d+ .*/src/", line)][:8]
    return "\n".join(f"    {line.strip()[:300]}" for line in first + frames)


def same_place(path):
    return without_numbers(path)


def is_cached(path):
    """Whether a path is what a cache is for: which files are in it depends on where the samples happened to be."""
    return path in ("home/.debug", "home/.cache") or path.startswith(("home/.debug/", "home/.cache/")) and not any(part.startswith(".") and part != ".build-id"
                                                                        for part in path.split("/")[2:])


def fault_of_run(subject, calm, run, error):
    """What is wrong with a run; `calm` is one that nothing disturbed."""
    if run.end in ("out of time", "no report"):
        return f"{run.end}"
    if crash := CRASHES.search(run.said):
        return f"crash: {crash[0]}\n" + stack_of(run.said)
    if run.end.startswith("killed") and run.end != calm.end:
        return f"{run.end}: {run.said[-300:]}"
    if run.left and not calm.left:
        return f"processes left: {run.left}"
    usual = {same_place(path) for path in calm.files + calm.folders}
    expected = lambda path: same_place(path) in usual or is_cached(path) or any(
        fnmatch.fnmatch(path, pattern) for pattern in (*subject.recordings, *subject.pages))
    if extra := [path for path in run.files + run.folders if not expected(path)]:
        return f"left behind: {' '.join(extra[:5])}"
    new_lines = run.lines() - calm.lines()
    succeeded = run.end == calm.end
    if not succeeded and not new_lines:
        return f"{run.end} without a message"
    if not succeeded and error in PASSING:
        return f"{run.end}: {run.said.strip()[-300:]}"
    if succeeded and error == "EIO" and run.failed.startswith(SYNCS):
        return "the disk refused what was written, and the command succeeded"
    if succeeded and subject.settled and run.digest(subject.pages) != calm.digest(subject.pages):
        if not new_lines:
            return "another result, in silence"
        if why := incomplete(subject, calm, run):
            return f"{why}; said: {run.said.strip()[-200:]}"
    for path in (path for pattern in subject.recordings for path in glob.glob(os.path.join(run.folder, pattern))):
        if (os.path.isdir(path) or os.path.getsize(path) > 0 or succeeded) and (why := unreadable(path)):
            return why
        if os.path.isfile(path) and os.path.getsize(path) == 0 and not path.endswith("/stdout"):
            return f"{os.path.basename(path)} is empty"
    if succeeded:
        for pattern in (*subject.recordings, *subject.pages):
            if not glob.glob(os.path.join(run.folder, pattern)):
                return f"success without {pattern}"
    return ""
