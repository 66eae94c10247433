"""Programs in a terminal, for tests: tmux draws, we strike keys and wait for text, never for a while.

A server of its own, below TMPDIR, so that nobody else's sessions are touched. One Terminal a program.
"""
import os
import shlex
import shutil
import subprocess
import tempfile
import time

DEADLINE = 40  # seconds; sanitised builds on busy machines are slow


class Failed(Exception):
    """Why a case is not ok."""


class Missing(Exception):
    """What a case needs and this machine lacks."""


def expect(condition, why):
    if not condition:
        raise Failed(why)


class Terminal:
    def __init__(self, command, columns=80, rows=24, environment=None, term=None):
        if shutil.which("tmux") is None:
            raise Missing("tmux")
        self.folder = tempfile.mkdtemp(prefix="tmux-")
        self.socket = os.path.join(self.folder, "socket")
        given = {"LC_ALL": "C.UTF-8", **(environment or {})}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in given.items())
        if term:
            words += f" TERM={term}"
        # The pane stays after the program has ended, and shows its exit code.
        shell = f"env {words} {command}; echo \"[ended $?]\"; read line"
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(columns), "-y", str(rows), shell)
        self.tmux("set", "-g", "escape-time", "0")

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], capture_output=True, text=True, timeout=DEADLINE,
                              env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}, check=False)
        if done.returncode != 0:
            raise Failed(f"tmux {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def keys(self, *keys):
        for key in keys:
            self.tmux("send-keys", key)

    def text(self, colors=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if colors else []))

    def resize(self, columns, rows):
        self.tmux("resize-window", "-x", str(columns), "-y", str(rows))

    def wait_until(self, holds, what):
        end = time.monotonic() + DEADLINE
        while True:
            text = self.text()
            if holds(text):
                return text
            if time.monotonic() > end:
                raise Failed(f"{what}: the screen is\n{text}")
            time.sleep(0.05)

    def wait_for(self, *words):
        return self.wait_until(lambda text: all(word in text for word in words), f"waited for {words}")

    def wait_for_end(self, code=0):
        return self.wait_for(f"[ended {code}]")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)
        shutil.rmtree(self.folder, ignore_errors=True)
