#!/usr/bin/python3
"""The rules of the house, proved on the sources and on what was built from them.

  check_layers.py --build DIR [TREE]   one line per rule: `ok RULE`, or `not ok RULE: count` before the places
  check_layers.py --self-test          plants a violation of every rule in a scratch tree, and one clean tree

A rule is a generator of (subject, place and reason). Exceptions stand in tools/house_exceptions.txt, each with its
reason; one that is no longer needed is itself a failure. Directions come from src/layers.txt, which CMake reads too.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys
import tempfile

BANNED = {"util", "utils", "helper", "helpers", "common", "misc", "manager", "info", "my"}
COMMAND_LINE = {"cli", "cmd"}  # the rooms that use the terminal
MAX_LINES = 800
MAX_FILES = 30
PRINTING = {
    "stdout", "stderr", "printf", "vprintf", "__printf_chk", "puts", "putchar", "perror", "err", "errx", "warn", "warnx",
    "exit", "_exit", "_Exit", "quick_exit", "getenv", "secure_getenv", "std::cout", "std::cerr", "std::clog",
}


class Source:
    """One file of src/: its text, and the same text with comments and string contents blanked, line for line."""

    def __init__(self, tree, path):
        self.path = os.path.relpath(path, tree)
        self.parts = self.path.split(os.sep)[1:]
        self.room = self.parts[0] if len(self.parts) > 1 else ""
        self.folder = "/".join(self.parts[:-1])
        self.is_test = self.path.endswith("_test.cc")
        with open(path, encoding="utf-8", errors="replace") as file:
            self.text = file.read()
        self.code = blank(self.text)

    def lines(self):
        return enumerate(self.code.splitlines(), 1)


def blank(text):
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])*\'', re.S)

    def keep_shape(found):
        start = text.rfind("\n", 0, found.start()) + 1
        if text[start:found.start()].lstrip().startswith("#include"):
            return found[0]
        return "".join(c if c == "\n" else " " for c in found[0])

    return token.sub(keep_shape, text)


class Tree:
    """The sources of one checkout and, where there is a build, the archives of its rooms."""

    def __init__(self, top, build=None):
        self.top = top
        files = [file for end in ("h", "cc", "c") for file in glob.glob(f"{top}/src/**/*.{end}", recursive=True)]
        self.sources = [Source(top, file) for file in sorted(files)]
        self.levels, self.seen_by = read_layers(f"{top}/src/layers.txt")
        self.sentences = read_folders(f"{top}/src/folders.txt")
        self.archives = {os.path.basename(path)[len("libroom_"):-2]: path
                         for path in glob.glob(f"{build}/**/libroom_*.a", recursive=True)} if build else {}

    def below_command_line(self):
        return [source for source in self.sources if source.room not in ("", *COMMAND_LINE) and not source.is_test]


def read_layers(path):
    """`N: room…` → level of each room; `folder: a > b > c` → which sub-folders each sub-folder of a folder may see."""
    levels, seen_by = {}, {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            if not line:
                continue
            head, rest = line.split(":", 1)
            if head.isdigit():
                levels.update({room: int(head) for room in rest.split()})
                continue
            ranks = [rank.split() for rank in rest.split(">")]
            for i, rank in enumerate(ranks):
                for sub in rank:
                    seen_by.setdefault((head, sub), set()).update(s for lower in ranks[i + 1:] for s in lower)
    return levels, seen_by


def read_folders(path):
    """`folder: sentence` → what belongs into each folder of src/."""
    with open(path, encoding="utf-8") as file:
        lines = [line.partition(":") for line in file if line.strip() and not line.startswith("#")]
    return {folder.strip(): sentence.strip() for folder, _, sentence in lines}


def includes(source):
    for number, line in source.lines():
        found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        if found:
            yield number, found[1]


def rule_layers(tree):
    """A room includes its own files and those of rooms on lower lines, each by its room path."""
    for source in tree.sources:
        if source.room and source.room not in tree.levels:
            yield source.path, f"{source.path}: room {source.room} is not in src/layers.txt"
            continue
        own = tree.levels.get(source.room, 99)
        for number, name in includes(source):
            room = name.split("/")[0]
            if source.is_test and room == "support":
                continue
            place = f"{source.path}:{number}: includes {name}"
            if room not in tree.levels:
                yield source.path, f"{place}, which names no room"
            elif source.room == "" and room not in ("cmd", "base"):
                yield source.path, f"{place}: main sees only cmd"
            elif room != source.room and tree.levels[room] >= own:
                way = "upward" if tree.levels[room] > own else "sideways"
                yield source.path, f"{place}: {way}, {source.room} is on line {own} and {room} on {tree.levels[room]}"


def rule_sub_folders(tree):
    """Sub-folders of one folder see each other only as an order line of layers.txt says; tests may see them all."""
    for source in tree.sources:
        own = source.parts[:-1]
        for number, name in includes(source):
            other = name.split("/")[:-1]
            depth = len(os.path.commonprefix([own, other]))
            if source.is_test or depth in (0, len(own), len(other)):
                continue
            folder = "/".join(own[:depth])
            if other[depth] not in tree.seen_by.get((folder, own[depth]), set()):
                yield source.path, f"{source.path}:{number}: {folder}/{own[depth]} may not see {folder}/{other[depth]}"


def rule_folders(tree):
    """A folder holds at most 30 files besides tests, and src/folders.txt says what belongs there."""
    files = collections.Counter(source.folder for source in tree.sources
                                if source.folder and not source.is_test)
    for folder, count in sorted(files.items()):
        if count > MAX_FILES:
            yield folder, f"src/{folder}: {count} files"
        if folder not in tree.sentences:
            yield folder, f"src/{folder}: no line in src/folders.txt"
    for folder in sorted(set(tree.sentences) - set(files)):
        yield folder, f"src/folders.txt: {folder} holds no file"


def rule_cycles(tree):
    """No file includes itself by a detour."""
    graph = {source.path: {"src/" + name for _, name in includes(source)} for source in tree.sources}
    state = {}

    def visit(path, trail):
        state[path] = "open"
        for target in sorted(graph.get(path, ())):
            if state.get(target) == "open":
                yield path, " -> ".join([*trail[trail.index(target):], target])
            elif target not in state:
                yield from visit(target, [*trail, target])
        state[path] = "done"

    for path in sorted(graph):
        if path not in state:
            yield from visit(path, [path])


def words(name):
    return {word.lower() for part in name.split("_") for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", part)}


DECLARED = re.compile(
    r"\b(?:class|struct|union|enum(?:\s+class)?|namespace|using|concept)\s+(?P<type>\w+)"
    r"|^\s*(?!return\b|else\b|case\b|co_return\b)(?:[\w:<>,&*\[\]]+\s+)*[\w:<>,&*\]]+[\s&*]+(?:\w+::)*(?P<function>[a-z]\w*)\s*\(")


def rule_names(tree):
    """No file, type, function or namespace has a name that explains nothing; files are snake_case."""
    for source in tree.sources:
        stem = os.path.splitext(source.parts[-1])[0]
        for part in [*source.parts[:-1], stem]:
            if words(part) & BANNED:
                yield source.path, f"{source.path}: the name {part}"
            if not re.fullmatch(r"[a-z0-9_.]+", part):
                yield source.path, f"{source.path}: {part} is not snake_case"
        for number, line in source.lines():
            for found in DECLARED.finditer(line):
                name = found["type"] or found["function"]
                if words(name) & BANNED and not name.isupper():
                    yield name, f"{source.path}:{number}: the name {name}"


def symbols(archive):
    """(symbol, section) of every symbol that the archive's objects define or want, demangled."""
    listing = subprocess.run(["objdump", "-t", "-C", "-w", archive], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        found = re.match(r"[0-9a-f]{8,} (.{7}) (\S+)\s+[0-9a-f]{8,}\s+(?:\.hidden\s+|\.protected\s+)?(.+)$", line)
        if found:
            yield found[3], found[2], found[1]


def rule_globals(tree):
    """No room holds a variable that can change: nothing of ours in a writable section, thread-local ones included."""
    for room, archive in sorted(tree.archives.items()):
        for name, section, flags in symbols(archive):
            if not re.match(r"\.(data|bss|tdata|tbss)\b", section) or section.startswith(".data.rel.ro"):
                continue
            if "d" in flags or re.match(r"(std::|__odr_asan|__asan|___asan|__sancov|__prof|__llvm|DW\.ref\.|guard variable)", name):
                continue
            yield f"{room} {name}", f"{room}: {name} in {section}"


def rule_prints(tree):
    """Below cli nothing prints, ends the process or reads the environment: no object wants a symbol that does."""
    for room, archive in sorted(tree.archives.items()):
        if room in COMMAND_LINE:
            continue
        for name, section, _ in symbols(archive):
            plain = name.split("@")[0]
            if section == "*UND*" and (plain in PRINTING or re.match(r"fmt::v\d+::vprint\(fmt", plain)):
                yield f"{room} {plain}", f"{room}: wants {plain}"


def rule_print_sources(tree):
    """Below cli no line names a standard stream or a function that writes to one."""
    pattern = re.compile(r"\b(?:std::)?(?:printf|puts|putchar|vprintf)\s*\(|\bstd::(?:cout|cerr|clog)\b|\bstd(?:out|err)\b"
                         r"|\bwrite\(\s*(?:1|2|STD\w+_FILENO)\b|\bfmt::print\(\s*(?!\w+\s*,)")
    for source in tree.below_command_line():
        for number, line in source.lines():
            found = pattern.search(line)
            if found and not re.match(r"\s*#\s*include", line):
                yield source.path, f"{source.path}:{number}: {found[0].strip()}"


def rule_environment(tree):
    """In cli and cmd only config reads the environment."""
    for source in tree.sources:
        if source.room in ("", *COMMAND_LINE) and not source.is_test and not source.parts[-1].startswith("config"):
            for number, line in source.lines():
                if re.search(r"\b(?:secure_)?getenv\s*\(", line):
                    yield source.path, f"{source.path}:{number}: getenv"


def rule_size(tree):
    """No file is longer than 800 lines."""
    for source in tree.sources:
        count = source.text.count("\n")
        if count > MAX_LINES:
            yield source.path, f"{source.path}: {count} lines"


def rule_conditions(tree):
    """No #if outside arch/: what differs by architecture or library lives in a file of its own."""
    for source in tree.sources:
        if "arch" in source.parts[:-1]:
            continue
        for number, line in source.lines():
            if re.match(r"\s*#\s*(?:if|ifdef|ifndef|elif)\b", line):
                yield source.path, f"{source.path}:{number}: {line.strip()}"


def rule_headers(tree):
    """A header opens by saying what it is, and is read once by #pragma once."""
    for source in tree.sources:
        if not source.path.endswith(".h"):
            continue
        if not source.text.startswith(("//", "/*")):
            yield source.path, f"{source.path}:1: does not open with a comment"
        if "#pragma once" not in source.text and "arch" not in source.parts:
            yield source.path, f"{source.path}: no #pragma once"


def rule_leftovers(tree):
    """Nothing is marked as still to be done, and nothing is shared that could be owned."""
    for source in tree.sources:
        for number, line in enumerate(source.text.splitlines(), 1):
            if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line):
                yield source.path, f"{source.path}:{number}: {line.strip()}"
        for number, line in source.lines():
            if re.search(r"\bshared_ptr\b", line):
                yield source.path, f"{source.path}:{number}: shared_ptr"


def rule_regex(tree):
    """Expressions of users are matched by base/text/pattern: no std::regex, no regcomp, and RE2 in one file only."""
    pattern = re.compile(r"\bstd::(?:basic_)?regex|\breg(?:comp|exec)\s*\(|#\s*include\s*<(?:regex|regex\.h|re2/[^>]*)>|\bRE2\b")
    for source in tree.sources:
        for number, line in source.lines():
            found = pattern.search(line)
            if not found or source.is_test:
                continue
            if source.path == "src/base/text/pattern.cc" and ("re2" in found[0] or found[0] == "RE2"):
                continue
            yield source.path, f"{source.path}:{number}: {found[0].strip()}"


DEFINED = re.compile(r"(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)(?!\w|::)(?:\s+final)?(?:\s*:[^;{]*)?\s*\{")


def rule_one_definition(tree):
    """A type has one definition; in unnamed namespaces one in a room, whose files are compiled together."""
    seen = {}
    for source in tree.sources:
        if source.parts[0] in ("python", "perl") or source.path.endswith(".c"):
            continue
        spaces = []
        for number, line in source.lines():
            opened = re.match(r"(?:inline\s+)?namespace\b\s*([\w:]*)\s*\{", line)
            if opened:
                spaces += opened[1].split("::") if opened[1] else [f"<{source.room}>"]
                if line.rstrip().endswith("}"):
                    spaces.pop()
            elif line.startswith("}") and "namespace" in source.text.splitlines()[number - 1]:
                closed = re.search(r"namespace\s+([\w:]+)\s*$", source.text.splitlines()[number - 1])
                del spaces[-(closed[1].count("::") + 1 if closed else 1):]
            found = DEFINED.match(line)
            if not found:
                continue
            local = any(space.startswith("<") for space in spaces)
            name = "::".join([*spaces, found[1]])
            first = seen.setdefault((name, source.is_test and local), source.path)
            if first != source.path:
                yield found[1], f"{source.path}:{number}: {found[1]} is defined in {first} as well"


RULES = {name[len("rule_"):].replace("_", "-"): rule for name, rule in list(globals().items()) if name.startswith("rule_")}


def read_exceptions(path):
    """Lines `RULE SUBJECT # reason` → {(rule, subject): used}."""
    exceptions = {}
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            for line in file:
                text, _, reason = line.partition(" # ")
                if not text.strip() or text.startswith("#"):
                    continue
                if not reason.strip():
                    raise SystemExit(f"{path}: no reason after ' # ': {line.strip()}")
                exceptions[tuple(text.strip().split(" ", 1))] = False
    return exceptions


def check(top, build):
    tree = Tree(top, build)
    exceptions = read_exceptions(f"{top}/tools/house_exceptions.txt")
    failed = False
    for name, rule in RULES.items():
        places = []
        for subject, place in rule(tree):
            if (name, subject) in exceptions:
                exceptions[(name, subject)] = True
            elif place not in places:
                places.append(place)
        if name in ("globals", "prints") and not tree.archives:
            exceptions = {key: used for key, used in exceptions.items() if key[0] != name}
            print(f"skip {name}: no room archives under {build}")
            continue
        failed |= bool(places)
        print(f"not ok {name}: {len(places)}: {rule.__doc__}" if places else f"ok {name}")
        for place in places:
            print(f"  {place}")
    stale = [" ".join(key) for key, used in exceptions.items() if not used]
    failed |= bool(stale)
    print(f"not ok exceptions: no longer needed: {'; '.join(stale)}" if stale else "ok exceptions")
    return 1 if failed else 0


CLEAN = {
    "src/layers.txt": "0: base\n1: sys abi\n7: cli\n8: cmd\nsys: outer > inner\n",
    "src/folders.txt": "base: X.\nsys/outer: X.\nsys/inner: X.\ncli/frame: X.\n",
    "src/base/result.h": "// What it is.\n#pragma once\nint value();\n",
    "src/base/result.cc": '#include "base/result.h"\nint value() { return 1; }\nconst int kTable[] = {1, 2};\n',
    "src/sys/outer/cpu.h": '// What it is, "printf(" and stdout in a comment.\n#pragma once\n#include "base/result.h"\n'
                           '#include "sys/inner/node.h"\ninline const char* text() { return "std::cout"; }\n',
    "src/sys/inner/node.h": "// What it is.\n#pragma once\n",
    "src/cli/frame/config.cc": "#include <cstdlib>\nconst char* home() { return getenv(\"HOME\"); }\n",
    "src/main.cc": '#include "base/result.h"\nint main() { return value(); }\n',
}

PLANTED = {
    "layers": [{"src/base/up.cc": '#include "sys/inner/node.h"\n'}, {"src/abi/side.cc": '#include "sys/inner/node.h"\n'},
               {"src/sys/bare.cc": '#include "node.h"\n'}, {"src/main.cc": '#include "sys/inner/node.h"\nint main() {}\n'},
               {"src/extra/new.cc": "int x();\n"}],
    "sub-folders": [{"src/sys/inner/node.cc": '#include "sys/outer/cpu.h"\n'},
                    {"src/sys/inner/a/node.cc": '#include "sys/inner/b/node.h"\n'}],
    "folders": [{f"src/base/x{i}.cc": "int x();\n" for i in range(30)}, {"src/base/new/x.cc": "int x();\n"},
                {"src/folders.txt": "base: X.\nsys/outer: X.\nsys/inner: X.\ncli/frame: X.\nsys/gone: X.\n"}],
    "cycles": [{"src/sys/a.h": '// A.\n#pragma once\n#include "sys/b.h"\n', "src/sys/b.h": '// B.\n#pragma once\n#include "sys/a.h"\n'}],
    "names": [{"src/base/string_util.cc": "int x();\n"}, {"src/base/x.cc": "class ThreadManager {};\n"},
              {"src/base/x.cc": "namespace misc {}\n"}, {"src/base/x.cc": "int common_part(int a) { return a; }\n"},
              {"src/base/x.cc": "std::vector<int>& Foo::my_rows() const;\n"}, {"src/base/Upper.cc": "int x();\n"}],
    "globals": [{"src/base/x.cc": "int counter = 3;\n"}, {"src/base/x.cc": "static int calls;\nint next() { return ++calls; }\n"},
                {"src/base/x.cc": "int next() { static thread_local int n; return ++n; }\n"}],
    "prints": [{"src/base/x.cc": '#include <cstdio>\nvoid f(int x) { printf("%d", x); }\n'},
               {"src/base/x.cc": '#include <iostream>\nvoid f() { std::cerr << 1; }\n'},
               {"src/base/x.cc": "#include <cstdlib>\nvoid f() { exit(1); }\n"},
               {"src/base/x.cc": '#include <cstdlib>\nchar* f() { return getenv("HOME"); }\n'},
               {"src/base/x.cc": '#include <cstdio>\nvoid f(const char* s) { fputs(s, stderr); }\n'}],
    "print-sources": [{"src/base/x.h": "// X.\n#pragma once\ninline void f() { std::cout << 1; }\n"},
                      {"src/base/x.h": '// X.\n#pragma once\ninline void f() { fmt::print("x"); }\n'},
                      {"src/base/x.h": "// X.\n#pragma once\ninline void f() { write(1, 0, 0); }\n"}],
    "environment": [{"src/cmd/record/record.cc": '#include <cstdlib>\nconst char* f() { return getenv("X"); }\n'}],
    "size": [{"src/base/x.cc": "\n" * 801}],
    "conditions": [{"src/base/x.cc": "#ifdef __x86_64__\n#endif\n"}],
    "headers": [{"src/base/x.h": "#pragma once\nint x();\n"}, {"src/base/x.h": "// X.\nint x();\n"}],
    "leftovers": [{"src/base/x.cc": "// TO" "DO: later\n"}, {"src/base/x.cc": "#include <memory>\nstd::shared_ptr<int> f();\n"}],
    "one-definition": [{"src/base/x.h": "// X.\n#pragma once\nnamespace p {\nstruct X {\n};\n}  // namespace p\n",
                        "src/sys/y.h": "// Y.\n#pragma once\nnamespace p {\nclass X {\n};\n}  // namespace p\n"},
                       {"src/base/x.cc": "namespace {\nstruct X {\n};\n}  // namespace\n",
                        "src/base/y.cc": "namespace {\nenum class X { A };\n}  // namespace\n"}],
    "regex": [{"src/base/x.cc": "#include <regex>\n"}, {"src/base/x.cc": "bool f(std::regex& r);\n"},
              {"src/base/x.cc": "int f(regex_t* r) { return regcomp(r, 0, 0); }\n"}, {"src/sys/x.cc": "#include <re2/re2.h>\n"},
              {"src/base/text/pattern.cc": "#include <regex.h>\n"}],
}


def broken_rules(files, rules, compiled):
    """Those of the rules that a scratch tree of these files breaks; the compiled ones become archives of their rooms."""
    with tempfile.TemporaryDirectory() as top:
        for path, text in files.items():
            os.makedirs(os.path.dirname(f"{top}/{path}"), exist_ok=True)
            with open(f"{top}/{path}", "w", encoding="utf-8") as file:
                file.write(text)
        for path in compiled:
            made = f"{top}/{path}.o"
            subprocess.run(["c++", "-std=c++20", f"-I{top}/src", "-c", f"{top}/{path}", "-o", made], check=True)
            subprocess.run(["ar", "qc", f"{top}/libroom_{path.split('/')[1]}.a", made], check=True)
        tree = Tree(top, top)
        return {name for name in rules if any(True for _ in RULES[name](tree))}


def self_test():
    broken = broken_rules(CLEAN, RULES, ["src/base/result.cc", "src/cli/frame/config.cc"])
    print(f"not ok self-test/clean: a clean tree breaks {sorted(broken)}" if broken else "ok self-test/clean")
    failed = bool(broken)
    for name in RULES:
        missed = [planted for planted in PLANTED.get(name, [])
                  if not broken_rules(CLEAN | planted, [name], planted if name in ("globals", "prints") else [])]
        bad = bool(missed) or name not in PLANTED
        failed |= bad
        print(f"not ok self-test/{name}: not seen: {missed}" if bad else f"ok self-test/{name}")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", nargs="?", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--build", help="build folder with the rooms' archives")
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    return self_test() if options.self_test else check(options.tree, options.build)


if __name__ == "__main__":
    sys.exit(main())
