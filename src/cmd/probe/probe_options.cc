#include "cmd/probe/probe_options.h"

#include <string_view>

#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"

namespace peregrine::cmd {

namespace {

constexpr Option kProbeOptions[] = {
    {.name = "add",
     .letter = 'a',
     .value = Value::Required,
     .metavar = "[EVENT=]FUNC[@SRC][+OFF|%return|:LINE|;PATTERN]|SRC:LINE|SRC;PATTERN [[NAME=]ARG ...]",
     .help = "add this probe; its event can be counted and recorded like a tracepoint",
     .store = set<&ProbeRequest::add>},
    {.name = "definition",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "[EVENT=]FUNC[@SRC][+OFF|%return|:LINE|;PATTERN]|SRC:LINE|SRC;PATTERN [[NAME=]ARG ...]",
     .help = "print the definition for the kernel without adding the probe",
     .store = set<&ProbeRequest::define>},
    {.name = "del",
     .letter = 'd',
     .value = Value::Required,
     .metavar = "[GROUP:]EVENT",
     .help = "remove these probes (globs)",
     .store = set<&ProbeRequest::remove>},
    {.name = "force",
     .letter = 'f',
     .help = "if the event name is taken, append _1, _2, …",
     .store = set<&ProbeRequest::force>},
    {.name = "funcs",
     .letter = 'F',
     .value = Value::NextWord,
     .metavar = "[FILTER]",
     .help = "list the functions that can be probed",
     .store = set<&ProbeRequest::functions>,
     .implied = ""},
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "use this kernel image with debug information",
     .store = set<&ProbeRequest::vmlinux>},
    {.name = "line",
     .letter = 'L',
     .value = Value::NextWord,
     .metavar = "FUNC[:FIRST[+NUM|-LAST]]|SRC[:FIRST[+NUM|-LAST]]",
     .help = "print the source, numbering the lines that can be probed",
     .store = set<&ProbeRequest::line>,
     .implied = ""},
    {.name = "list",
     .letter = 'l',
     .value = Value::NextWord,
     .metavar = "[GROUP:]EVENT",
     .help = "list existing probes (globs)",
     .store = set<&ProbeRequest::list>,
     .implied = ""},
    {.name = "module",
     .letter = 'm',
     .value = Value::Required,
     .metavar = "modname|path",
     .help = "probe this kernel module",
     .store = set<&ProbeRequest::module>},
    {.name = "dry-run",
     .letter = 'n',
     .help = "do everything except adding or removing probes",
     .store = set<&ProbeRequest::dry_run>},
    {.name = "quiet", .letter = 'q', .help = "print no messages", .store = set<&ProbeRequest::quiet>},
    {.name = "source",
     .letter = 's',
     .value = Value::Required,
     .metavar = "directory",
     .help = "look for source files under this folder",
     .store = set<&ProbeRequest::source>},
    {.name = "vars",
     .letter = 'V',
     .value = Value::NextWord,
     .metavar = "FUNC[@SRC][+OFF|%return|:LINE|;PATTERN]|SRC:LINE|SRC;PATTERN",
     .help = "list the variables available to a probe at this place",
     .store = set<&ProbeRequest::variables>,
     .implied = ""},
    {.name = "verbose",
     .letter = 'v',
     .help = "show the definitions passed to the kernel; with -L: why lines cannot be probed",
     .store = count<&ProbeRequest::verbose>},
    {.name = "exec",
     .letter = 'x',
     .value = Value::Required,
     .metavar = "executable|path",
     .help = "probe this program or library",
     .store = set<&ProbeRequest::program>},
    {.name = "bootconfig",
     .help = "with -D: print in the format of the kernel's boot configuration",
     .store = set<&ProbeRequest::bootconfig>},
    {.name = "cache",
     .help = "with --add: save the probes by name; with --list and --del: use saved probes",
     .store = set<&ProbeRequest::cache>},
    {.name = "verify",
     .help = "compare existing probes with their definitions, e.g. after a rebuild; add nothing",
     .store = set<&ProbeRequest::verify>,
     .since = Since::Ours},
    {.name = "demangle", .help = "show C++ and Rust names as written in source", .store = set<&ProbeRequest::demangle>},
    {.name = "demangle-kernel",
     .help = "also demangle the kernel's names",
     .store = set<&ProbeRequest::demangle_kernel>},
    {.name = "externs", .help = "with --vars: include global variables", .store = set<&ProbeRequest::externals>},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "[!]FILTER",
     .help = "with --vars and --funcs: show only matching names; globs, !, &, | and parentheses",
     .store = set<&ProbeRequest::filter>},
    {.name = "max-probes",
     .value = Value::Required,
     .metavar = "n",
     .help = "reject definitions that match more than this many places (default: 128)",
     .store = set<&ProbeRequest::most_probes>},
    {.name = "no-inlines", .help = "skip inlined instances of functions", .store = set<&ProbeRequest::no_inlines>},
    {.name = "range",
     .help = "with --vars: show the code ranges where each variable is available",
     .store = set<&ProbeRequest::ranges>},
    {.name = "symfs",
     .value = Value::Required,
     .metavar = "directory",
     .help = "look for files with symbols under this folder",
     .store = set<&ProbeRequest::symfs>},
    {.name = "target-ns",
     .value = Value::Required,
     .metavar = "pid",
     .help = "resolve paths in the mount namespace of this process",
     .store = set<&ProbeRequest::target_namespace>},
};

constexpr std::string_view kProbeUsage[] = {
    "[<options>] <definition>...", "[<options>] --add <definition>...",    "--del [GROUP:]EVENT",
    "--list [GROUP:]EVENT",        "[<options>] --line <lines>",           "[<options>] --vars <place>",
    "[<options>] --funcs",         "[<options>] --verify <definition>...",
};

constexpr std::string_view kProbeExamples[] = {
    "perf probe -x ./prog 'work n name:string'|probe the entry of a function, with two arguments",
    "perf probe -x ./prog 'work%return $retval'|probe its return, with the return value",
    "perf probe -x ./prog -L work|show which of its lines can be probed",
    "perf probe -x ./prog 'work:6 o->in.x'|probe its sixth line, with a member of the struct that o points to",
    "perf probe -x libc.so.6 malloc|probe a library function in all programs",
    "perf probe -l|list existing probes",
    "perf probe -d 'probe_prog:*'|remove all probes of prog",
    "perf probe -x ./prog --verify 'work:6'|check that the probe is still at the sixth line after a rebuild",
};

}  // namespace

constinit const Command kProbe{
    .name = "probe",
    .summary = "Add probes at functions and source lines",
    .usage = kProbeUsage,
    .options = kProbeOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Adds events to running code: at the start or end of a function, or at one of its lines or instructions, in "
        "the kernel or in a program or library (-x). The event then works like a tracepoint: use it as GROUP:EVENT in "
        "record, stat, trace and script. It stays until -d removes it, and costs nothing while nobody records it.\n\n"
        "A definition is [[GROUP:]EVENT=]PLACE, followed by the arguments to record. PLACE is one of:\n"
        "FUNC, FUNC+BYTES: the start of a function, or an instruction in it\n"
        "FUNC:LINE: a line, counted from the function's first\n"
        "FUNC%return: the function's return\n"
        "FUNC;PATTERN: lines with matching text, ignoring whitespace\n"
        "FILE:LINE, FILE;PATTERN: the same for a source file\n"
        "%PROVIDER:NAME: a marker in the program (SDT)\n"
        "FUNC@FILE in place of FUNC selects the function of one source file.\n\n"
        "An argument is [NAME=]VALUE[:TYPE]. VALUE is one of:\n"
        "a variable, with -> . [] as in C\n"
        "((struct x *)p): a cast\n"
        "$retval, $comm, $stack, $stackN\n"
        "%register\n"
        "@symbol\n"
        "+OFFSET(VALUE): memory at that address\n"
        "$params, $vars: all parameters, all variables\n"
        "TYPE is u8…u64, s8…s64, x8…x64, u, s, x, string, ustring, symbol, or bBITS@START/WIDTH.\n\n"
        "Variables and lines need debug information, in the program or installed separately.",
    .examples = kProbeExamples,
    .run = entry<ProbeRequest, run_probe>};

}  // namespace peregrine::cmd
