#include "cmd/probe_options.h"

#include "cmd/command_table.h"

namespace peregrine::cmd {

namespace {

constexpr Option kProbeOptions[] = {
    {.name = "add",
     .letter = 'a',
     .value = Value::Required,
     .metavar = "[EVENT=]FUNC[@SRC][+OFF|%return|:LINE|;PATTERN]|SRC:LINE|SRC;PATTERN [[NAME=]ARG ...]",
     .help = "put a probe there: its event then counts and records like a tracepoint",
     .store = set<&ProbeRequest::add>},
    {.name = "definition",
     .letter = 'D',
     .value = Value::Required,
     .metavar = "[EVENT=]FUNC[@SRC][+OFF|%return|:LINE|;PATTERN]|SRC:LINE|SRC;PATTERN [[NAME=]ARG ...]",
     .help = "print what the kernel would be told to make that probe; nothing is added",
     .store = set<&ProbeRequest::define>},
    {.name = "del",
     .letter = 'd',
     .value = Value::Required,
     .metavar = "[GROUP:]EVENT",
     .help = "remove these probes (globs)",
     .store = set<&ProbeRequest::remove>},
    {.name = "force",
     .letter = 'f',
     .help = "where the event's name is taken, add _1, _2, … to it",
     .store = set<&ProbeRequest::force>},
    {.name = "funcs",
     .letter = 'F',
     .value = Value::NextWord,
     .metavar = "[FILTER]",
     .help = "print the functions that can be probed",
     .store = set<&ProbeRequest::functions>,
     .implied = ""},
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "the kernel image with debug information",
     .store = set<&ProbeRequest::vmlinux>},
    {.name = "line",
     .letter = 'L',
     .value = Value::NextWord,
     .metavar = "FUNC[:FIRST[+NUM|-LAST]]|SRC[:FIRST[+NUM|-LAST]]",
     .help = "print the source; lines that can be probed have a number",
     .store = set<&ProbeRequest::line>,
     .implied = ""},
    {.name = "list",
     .letter = 'l',
     .value = Value::NextWord,
     .metavar = "[GROUP:]EVENT",
     .help = "print the probes that there are (globs)",
     .store = set<&ProbeRequest::list>,
     .implied = ""},
    {.name = "module",
     .letter = 'm',
     .value = Value::Required,
     .metavar = "modname|path",
     .help = "look into this module of the kernel",
     .store = set<&ProbeRequest::module>},
    {.name = "dry-run", .letter = 'n', .help = "do everything but add or remove", .store = set<&ProbeRequest::dry_run>},
    {.name = "quiet", .letter = 'q', .help = "print no messages", .store = set<&ProbeRequest::quiet>},
    {.name = "source",
     .letter = 's',
     .value = Value::Required,
     .metavar = "directory",
     .help = "the source files are below this folder",
     .store = set<&ProbeRequest::source>},
    {.name = "vars",
     .letter = 'V',
     .value = Value::NextWord,
     .metavar = "FUNC[@SRC][+OFF|%return|:LINE|;PATTERN]|SRC:LINE|SRC;PATTERN",
     .help = "print the variables that can be fetched there",
     .store = set<&ProbeRequest::variables>,
     .implied = ""},
    {.name = "verbose",
     .letter = 'v',
     .help = "say what the kernel is told, and with -L why a line cannot be probed",
     .store = count<&ProbeRequest::verbose>},
    {.name = "exec",
     .letter = 'x',
     .value = Value::Required,
     .metavar = "executable|path",
     .help = "look into this program or library",
     .store = set<&ProbeRequest::program>},
    {.name = "bootconfig",
     .help = "with -D: as the kernel's boot configuration has it",
     .store = set<&ProbeRequest::bootconfig>},
    {.name = "cache",
     .help = "with --add: keep the probes by name; with --list and --del: those that are kept",
     .store = set<&ProbeRequest::cache>},
    {.name = "verify",
     .help =
         "compare existing probes with what their definitions mean now, as after a new build of the program; nothing "
         "is added",
     .store = set<&ProbeRequest::verify>,
     .since = Since::Ours},
    {.name = "demangle", .help = "show names of C++ and Rust as in the source", .store = set<&ProbeRequest::demangle>},
    {.name = "demangle-kernel", .help = "those of the kernel too", .store = set<&ProbeRequest::demangle_kernel>},
    {.name = "externs", .help = "with --vars: global variables too", .store = set<&ProbeRequest::externals>},
    {.name = "filter",
     .value = Value::Required,
     .metavar = "[!]FILTER",
     .help = "with --vars and --funcs: names that are shown; globs, !, &, | and parentheses",
     .store = set<&ProbeRequest::filter>},
    {.name = "max-probes",
     .value = Value::Required,
     .metavar = "n",
     .help = "at most so many places for one definition (default: 128)",
     .store = set<&ProbeRequest::most_probes>},
    {.name = "no-inlines",
     .help = "only functions with code of their own, not where they are inlined",
     .store = set<&ProbeRequest::no_inlines>},
    {.name = "range",
     .help = "with --vars: in which code each variable can be fetched",
     .store = set<&ProbeRequest::ranges>},
    {.name = "symfs",
     .value = Value::Required,
     .metavar = "directory",
     .help = "files with symbols are below this folder",
     .store = set<&ProbeRequest::symfs>},
    {.name = "target-ns",
     .value = Value::Required,
     .metavar = "pid",
     .help = "paths are those that this process sees",
     .store = set<&ProbeRequest::target_namespace>},
};

constexpr std::string_view kProbeUsage[] = {
    "[<options>] <definition>...", "[<options>] --add <definition>...",    "--del [GROUP:]EVENT...",
    "--list [GROUP:]EVENT",        "[<options>] --line <lines>",           "[<options>] --vars <place>",
    "[<options>] --funcs",         "[<options>] --verify <definition>...",
};

constexpr std::string_view kProbeExamples[] = {
    "perf probe -x ./prog 'work n name:string'|an event at the start of a function, with two of its arguments",
    "perf probe -x ./prog 'work%return $retval'|at its end, with what it returns",
    "perf probe -x ./prog -L work|which of its lines can be probed",
    "perf probe -x ./prog 'work:6 o->in.x'|at its sixth line, with a member of what o points to",
    "perf probe -x libc.so.6 malloc|in a library, for all programs",
    "perf probe -l|what probes there are",
    "perf probe -d 'probe_prog:*'|remove them",
    "perf probe -x ./prog --verify 'work:6'|whether that probe is still at the sixth line of the program's current "
    "build",
};

}  // namespace

constinit const Command kProbe{
    .name = "probe",
    .summary = "Make tracepoints of functions and lines",
    .usage = kProbeUsage,
    .options = kProbeOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Puts events into running code: at the start or end of a function, at a line or an instruction of it, in the "
        "kernel or in any program or library. The event then is a tracepoint like others: record, stat, trace and "
        "script take it as GROUP:EVENT. It stays until it is removed with -d, and costs nothing while nobody records "
        "it.\n\n"
        "A definition is [[GROUP:]EVENT=]PLACE followed by arguments to fetch. PLACE is FUNC, FUNC+BYTES, FUNC:LINE "
        "(counted from the function's first line), FUNC%return, FUNC;PATTERN (lines whose text matches, blanks not "
        "counting), FILE:LINE or FILE;PATTERN, each perhaps with @FILE behind the function; or %PROVIDER:NAME for a "
        "marker that the program has itself (SDT).\n\n"
        "An argument is [NAME=]VALUE[:TYPE]. VALUE is a variable with -> . [] as in C, a cast ((struct x *)p), "
        "$retval, $comm, $stack, $stackN, %register, @symbol, or +OFFSET(VALUE) for memory; $params and $vars stand "
        "for all arguments and all variables. TYPE is u8…u64, s8…s64, x8…x64, u, s, x, string, ustring, symbol, or "
        "bBITS@START/WIDTH. Variables and lines need debug information, in the program or "
        "installed beside it.",
    .examples = kProbeExamples,
    .run = entry<ProbeRequest, run_probe>};

}  // namespace peregrine::cmd
