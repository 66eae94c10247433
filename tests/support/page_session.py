"""Runs the commands that a page of docs/ shows, as a reader would type them: in order, in one shell, in an empty folder.

A `console` block of a page has commands ("$ ") and lines of their output; "…" stands for lines, or the rest of a line, that
the page leaves out. The comment `<!-- key: TEXT, TEXT -->` before a block names its key lines: those that contain one of the
texts. A key line must be in the command's output, with any numbers (or "-" in their place), units and blanks.
"""
import dataclasses
import os
import re
import signal
import subprocess
import tempfile

MARK = "\x1e"  # begins and ends the output of a command
BLOCK = re.compile(r"(?:^<!-- key: (?P<keys>.*?) -->\n)?^```console\n(?P<text>.*?)^```", re.M | re.S)
# A number with its unit, hexadecimal or not, and the "-" that a table has in place of one.
NUMBER = re.compile(r"0x[0-9a-f]+|\d[\d.,]*(?:(?:ns|us|µs|ms|s|[BKMGTPE])\b)?|(?<!\S)-(?!\S)")


@dataclasses.dataclass
class Shown:
    """A command of a page, and the key lines of its output."""
    command: str
    keys: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Done:
    """A command that ran; `code` is None if it did not end in time."""
    command: str
    code: int | None
    text: str


def plain(line):
    """A line with 0 in place of each number, and single blanks."""
    return re.sub(r"([(\[]) ", r"\1", re.sub(r"\s+", " ", NUMBER.sub("0", line)).strip())


def has_line(output, shown):
    """Whether a key line is in the output."""
    parts = [plain(part) for part in shown.split("…")]
    for line in map(plain, output.splitlines()):
        at = 0
        for part in parts:
            found = line.find(part, at)
            if found < 0:
                break
            at = found + len(part)
        else:
            return True
    return False


def console_commands(page):
    """The commands of a page's console blocks. Raises ValueError if a key is in none of its block's lines."""
    commands = []
    for block in BLOCK.finditer(page):
        keys = [key.strip() for key in (block["keys"] or "").split(",") if key.strip()]
        found = set()
        for line in block["text"].splitlines():
            if line.startswith("$ "):
                commands.append(Shown(line[2:]))
                continue
            hits = [key for key in keys if key in line]
            found.update(hits)
            if hits:
                commands[-1].keys.append(line.strip())
        if missing := [key for key in keys if key not in found]:
            raise ValueError(f"no line of the block contains {', '.join(missing)}")
    return commands


def run_session(commands, folder, environment, seconds):
    """Runs the command lines in one bash in `folder`, with stderr in their output. Ends what they leave behind."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output, tempfile.NamedTemporaryFile("w", encoding="utf-8") as script:
        for command in commands:
            script.write(f"printf '{MARK}'\n{command}\nprintf '{MARK}%s{MARK}' $?\n")
        script.flush()
        shell = subprocess.Popen(["bash", script.name], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, start_new_session=True)
        try:
            shell.wait(seconds)
        except subprocess.TimeoutExpired:
            pass
        try:
            os.killpg(shell.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        shell.wait()
        output.seek(0)
        parts = output.read().split(MARK)[1:]
    results = [Done(command, int(code), text) for command, text, code in zip(commands, parts[0::3], parts[1::3])]
    if len(results) < len(commands):
        results.append(Done(commands[len(results)], None, parts[-1] if parts else ""))
    return results
