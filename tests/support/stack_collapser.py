"""Collapses linux-perf's script text into folded stacks, independently of peregrine: the tests' reference.

With its `published` options it does what FlameGraph's collapser does by default, and so can be proved on that project's
published inputs and results. Without them names stay as they are in the text, and every event's samples are kept apart.
"""
import re

HEADER = re.compile(r"^(\S.*?)\s+(\d+)/*(\d+)*\s+")
EVENT = re.compile(r":\s*(\d+)*\s+(\S+):\s*$")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((.*)\)")
# File names may contain blanks and brackets too: use the first one that may begin a file name.
PLAIN_FRAME = re.compile(r"^\s*(\w+) (.+?) \(([/\[].*)\)$")


class Options:
    def __init__(self, published=False, **marks):
        self.published = published  # shortens names, uses only the first event
        for name in ("addrs", "kernel", "jit", "inlined", "pid", "tid"):
            setattr(self, name, marks.get(name, False))
        if marks.get("all"):
            self.kernel = self.jit = True


def tidy(name):
    """Without arguments, quotes and what would end a frame."""
    name = name.replace(";", ":")
    if not re.search(r"\.\(.*\)\.", name):
        name = re.sub(r"\((?!anonymous namespace\)).*", "", name)
    return name.replace('"', "").replace("'", "")


def frame_name(found, process, options):
    address, name, module = found
    name = re.sub(r"\+0x[0-9a-f]+$", "", name)
    if name == "[unknown]":
        base = module if module == "[unknown]" else module.rsplit("/", 1)[-1]
        base = base.strip("[]") if not options.published or base == "[unknown]" else base
        name = f"[{base} <{address}>]" if options.addrs else f"[{base}]"
    if options.published:
        name = tidy(name)
        if process.startswith("java") and "/" in name:
            name = re.sub("^L", "", name)
    else:
        name = name.replace(";", ":")
    kernel = module.startswith("[") and "unknown" not in module or module.endswith("vmlinux")
    if not options.published:
        kernel = kernel and module != "[vdso]" or module.endswith((".ko", ".ko.xz"))
    if options.kernel and kernel:
        return name + "_[k]"
    if options.jit and re.search(r"/tmp/perf-\d+\.map", module):
        return name + "_[j]"
    return name


def label(header, options):
    comm, first, second = header
    pid, tid = (first, second) if second else ("?", first)
    if options.tid:
        comm += f"-{pid}/{tid}"
    elif options.pid:
        comm += f"-{pid}"
    return comm.replace(" ", "_")


def collapse(lines, options):
    """{event: {folded stack: weight}}; with published options, of the first event that the text names only."""
    sums, process, event, weight, frames, only = {}, None, "", 1, [], None
    for line in [*lines, *([] if options.published else [""])]:  # FlameGraph skips a final stack without an end
        line = line.rstrip("\n")
        if line.startswith("#"):
            continue
        if not line.strip():
            if process is not None:
                key = ";".join([process, *reversed(frames)])
                stacks = sums.setdefault(event, {})
                stacks[key] = stacks.get(key, 0) + weight
            process, frames = None, []
            continue
        header = HEADER.match(line)
        if header:
            told = EVENT.search(line)
            event, weight = (told[2], int(told[1] or 1)) if told else ("", 1)
            if options.published and told:
                only = only or event
                if event != only:
                    continue
            process = label(header.groups(), options)
            continue
        found = None if options.published else PLAIN_FRAME.match(line)
        found = found or FRAME.match(line)
        if found and process is not None and not found[2].startswith("("):
            frames.append(frame_name(found.groups(), process, options))
    return sums
