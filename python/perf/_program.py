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
    """What the program said on stderr, without its name."""
    lines = [line.partition(": ")[2] or line for line in text.strip().splitlines()]
    return "; ".join(lines) or "peregrine failed"


def run_program(arguments):
    """Its output. Raises ValueError with what it complains about."""
    done = subprocess.run([find_program(), *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise ValueError(complaint(done.stderr))
    return done.stdout
