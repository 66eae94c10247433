"""The program that this module came with: it knows words of events and reads recordings."""
import os
import shutil
import subprocess


def find_program():
    """$PEREGRINE, else beside the installed module, else `peregrine` in PATH."""
    here = os.path.dirname(os.path.realpath(__file__))
    beside = os.path.normpath(os.path.join(here, "../../../../bin/peregrine"))
    for path in (os.environ.get("PEREGRINE"), beside, shutil.which("peregrine")):
        if path and os.access(path, os.X_OK):
            return path
    raise FileNotFoundError(2, "peregrine is neither beside this module nor in PATH; PEREGRINE may name it")


def complaint(text):
    """What the program said on stderr as one sentence, without its name and without its usage."""
    place, reason, hint, others = "", "", "", []
    name = os.path.basename(find_program()) + ": "
    for line in text.splitlines():
        words = line.strip()
        if words.startswith(("Usage: ", "Run '")):
            break
        if words.startswith("event syntax error: "):
            place = words.partition(": ")[2]
        elif words.startswith("\\___ "):
            reason = words[len("\\___ "):]
        elif words.startswith("hint: "):
            hint = words[len("hint: "):]
        elif words and not words.startswith("Error:"):
            others.append(words.removeprefix(name))
    said = f"{reason} in {place}" if reason else "; ".join(others) or "peregrine failed"
    return f"{said} ({hint})" if hint else said


def run_program(arguments):
    """Its output. Raises ValueError with what it complains about."""
    done = subprocess.run([find_program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(complaint(done.stderr))
    return done.stdout
