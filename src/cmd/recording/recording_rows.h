// Option table rows shared by commands that read recordings: each is a template over the path to
// the member that it sets, so that one help text serves all of them.
#pragma once
#include <string_view>

#include "base/result.h"
#include "cli/option/option.h"
#include "cli/option/store.h"

namespace peregrine::cmd {

// Headings used by several commands.
inline constexpr std::string_view kShownGroup = "Output", kCountedGroup = "Filters", kFilesGroup = "Files and symbols";

// The row with a heading of the manual page.
constexpr Option in(std::string_view group, Option row) {
  row.group = group;
  return row;
}

template <auto... Member>
inline constexpr Option kInputRow{.name = "input",
                                  .letter = 'i',
                                  .value = Value::Required,
                                  .metavar = "file",
                                  .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
                                  .store = set<Member...>};
// The value of --percentage: whether percentages are relative to the samples that filters keep.
inline Result<bool> parse_percentage(std::string_view value) {
  if (value == "relative" || value == "absolute") return value == "relative";
  return fail(ErrorKind::Usage, "invalid --percentage '{}': must be relative or absolute", value);
}
template <auto... Member>
inline constexpr Option kPercentageRow{
    .name = "percentage",
    .value = Value::Required,
    .metavar = "relative|absolute",
    .help = "show percentages of filtered samples (relative) or of all samples (absolute)",
    .store = set_parsed<&parse_percentage, Member...>};
template <auto... Member>
inline constexpr Option kForceRow{
    .name = "force", .letter = 'f', .help = "read the file regardless of its owner", .store = set<Member...>};
template <auto... Member>
inline constexpr Option kVmlinuxRow{.name = "vmlinux",
                                    .letter = 'k',
                                    .value = Value::Required,
                                    .metavar = "file",
                                    .help = "read kernel symbols from this image",
                                    .store = set_readable<Member...>};
template <auto... Member>
inline constexpr Option kKallsymsRow{.name = "kallsyms",
                                     .value = Value::Required,
                                     .metavar = "file",
                                     .help = "read kernel symbols from this copy of /proc/kallsyms",
                                     .store = set_readable<Member...>};
template <auto... Member>
inline constexpr Option kDebuginfodRow{
    .name = "debuginfod",
    .value = Value::Sticky,
    .metavar = "urls",
    .help = "fetch missing files from these debuginfod servers (default: DEBUGINFOD_URLS)",
    .store = set<Member...>,
    .implied = "",
    .since = Since::Ours};
template <auto... Member>
inline constexpr Option kSymfsRow{
    .name = "symfs",
    .value = Value::Required,
    .metavar = "directory[,layout]",
    .help = "look for binaries under this folder instead of /; with ,flat: directly in the folder",
    .store = set<Member...>};
template <auto... Member>
inline constexpr Option kDemangleRow{
    .name = "demangle",
    .help = "show C++ and Rust names as written in source (--no-demangle: as in the symbol table)",
    .store = set<Member...>};
template <auto... Member>
inline constexpr Option kDemangleKernelRow{
    .name = "demangle-kernel", .help = "also demangle the kernel's names", .store = set<Member...>};
template <auto... Member>
inline constexpr Option kStrippedFunctionsRow{
    .name = "stripped-functions",
    .help =
        "find functions of stripped programs in their unwind tables, and name them PROGRAM+0xSTART "
        "(--no-stripped-functions: show addresses, like linux-perf)",
    .store = set<Member...>,
    .since = Since::Ours};
template <auto... Member>
inline constexpr Option kSymbolsRow{.name = "symbols",
                                    .letter = 'S',
                                    .value = Value::Required,
                                    .metavar = "symbol[,symbol...]",
                                    .help = "use only samples in these symbols",
                                    .store = set<Member...>};
template <auto... Member>
inline constexpr Option kPidRow{.name = "pid",
                                .value = Value::Required,
                                .metavar = "pid[,pid...]",
                                .help = "use only samples from these processes",
                                .store = set<Member...>};
template <auto... Member>
inline constexpr Option kTidRow{.name = "tid",
                                .value = Value::Required,
                                .metavar = "tid[,tid...]",
                                .help = "use only samples from these threads",
                                .store = set<Member...>};
template <auto... Member>
inline constexpr Option kDsosRow{.name = "dsos",
                                 .letter = 'd',
                                 .value = Value::Required,
                                 .metavar = "dso[,dso...]",
                                 .help = "use only samples in these DSOs",
                                 .store = set<Member...>};
template <auto... Member>
inline constexpr Option kTimeRow{
    .name = "time",
    .value = Value::Required,
    .metavar = "str",
    .help = "use only these time spans: start,stop in seconds (separate several with spaces), or 10%-20% (with commas)",
    .store = set<Member...>};
template <auto... Member>
inline constexpr Option kTuiRow{
    .name = "tui", .help = "open the interactive screen (the default on a terminal)", .store = set<Member...>};
template <auto... Member>
inline constexpr Option kStitchLbrRow{.name = "stitch-lbr",
                                      .help = "join branch records of neighbouring samples into longer chains",
                                      .store = set<Member...>};
template <auto... Member>
inline constexpr Option kAccessingRow{
    .name = "accessing-insn",
    .help = "show data breakpoints (mem:) at the accessing instruction, not the next one",
    .store = set<Member...>,
    .since = Since::Ours};
template <auto... Member>
inline constexpr Option kFullSourcePathRow{
    .name = "full-source-path", .help = "show full paths of source files", .store = set<Member...>};
template <auto... Member>
inline constexpr Option kPrefixStripRow{.name = "prefix-strip",
                                        .value = Value::Required,
                                        .metavar = "N",
                                        .help = "with --prefix: first remove this many leading folders",
                                        .store = set<Member...>};
template <auto... Member>
inline constexpr Option kOutputRow{.name = "output",
                                   .letter = 'o',
                                   .value = Value::Required,
                                   .metavar = "file",
                                   .help = "write to this file instead of stdout",
                                   .store = set<Member...>,
                                   .since = Since::Ours};
template <auto... Member>
inline constexpr Option kReverseRow{.name = "reverse",
                                    .help = "draw the flame graph reversed, from sampled functions to their callers",
                                    .store = set<Member...>,
                                    .since = Since::Ours};
template <auto... Member>
inline constexpr Option kTitleRow{.name = "title",
                                  .value = Value::Required,
                                  .metavar = "text",
                                  .help = "set the title of the picture",
                                  .store = set<Member...>,
                                  .since = Since::Ours};
template <auto... Member>
inline constexpr Option kDumpRawTraceRow{
    .name = "dump-raw-trace", .letter = 'D', .help = "dump every record as numbers and bytes", .store = set<Member...>};

}  // namespace peregrine::cmd
