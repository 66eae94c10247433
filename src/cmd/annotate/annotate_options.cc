#include "cmd/annotate/annotate_options.h"

#include <algorithm>
#include <expected>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/report/browse.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/export/output_format.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

Result<PercentType> parse_percent_type(std::string_view word) {
  static constexpr std::pair<std::string_view, PercentType> kTypes[] = {
      {"local-period", {PercentBase::Symbol, PercentOf::Period}},
      {"local-hits", {PercentBase::Symbol, PercentOf::Samples}},
      {"global-period", {PercentBase::Recording, PercentOf::Period}},
      {"global-hits", {PercentBase::Recording, PercentOf::Samples}},
  };
  const auto* found = std::ranges::find(kTypes, word, &std::pair<std::string_view, PercentType>::first);
  if (found != std::end(kTypes)) return found->second;
  return fail(ErrorKind::Usage,
              "invalid --percent-type '{}': must be local-period, local-hits, global-period or global-hits", word);
}

Result<> set_annotate_limit(AnnotateOptions& options, const Use& use) {
  const auto limit = limit_of(use);
  if (!limit) return std::unexpected(limit.error());
  options.counted.percent_limit = *limit;
  return {};
}

Result<> set_color(AnnotateOptions& options, const Use& use) {
  const auto mode = color_mode_of(use);
  if (!mode) return std::unexpected(mode.error());
  options.screen.color = *mode;
  return {};
}

Result<> set_data_type(AnnotateOptions& options, const Use& use) {
  options.counted.types.members = !use.negated;
  options.counted.types.type = use.negated ? std::string_view() : use.value;
  return {};
}

Result<> set_annotate_group(AnnotateOptions& options, const Use& use) {
  options.counted.group = !use.negated;
  options.counted.group_given = true;
  return {};
}

Result<> refuse_gtk(AnnotateOptions&, const Use& use) {
  if (use.negated) return {};
  return fail(ErrorKind::Unsupported, "--gtk is not supported; use --stdio");
}

Result<> ask_annotate_traces(AnnotateOptions& options, const Use& use) {
  return options.traces.take(use.value, use.negated);
}

Result<> accept_annotate_row(AnnotateOptions&, const Use&) { return {}; }

constexpr std::string_view kLookGroup = "Format";

constexpr Option kAnnotateOptions[] = {
    in(kFilesGroup, kInputRow<&AnnotateOptions::input>),
    in(kFilesGroup, kForceRow<&AnnotateOptions::symbols, &SymbolOptions::force>),
    in(kCountedGroup, kAccessingRow<&AnnotateOptions::counted, &AnnotateCounted::accessing>),
    {.name = "vmlinux",
     .letter = 'k',
     .value = Value::Required,
     .metavar = "file",
     .help = "read kernel symbols and code from this image",
     .store = set_readable<&AnnotateOptions::symbols, &SymbolOptions::vmlinux>,
     .group = kFilesGroup},
    in(kFilesGroup, kDebuginfodRow<&AnnotateOptions::symbols, &SymbolOptions::servers>),
    {.name = "symfs",
     .value = Value::Required,
     .metavar = "directory[,layout]",
     .help =
         "look for binaries and sources under this folder instead of /; with ,flat: binaries directly in the folder",
     .store = set<&AnnotateOptions::symbols, &SymbolOptions::symfs>,
     .group = kFilesGroup},
    {.name = "prefix",
     .value = Value::Required,
     .metavar = "prefix",
     .help = "prepend this to source paths",
     .store = set<&AnnotateOptions::code, &AnnotateCode::source_prefix>,
     .group = kFilesGroup},
    in(kFilesGroup, kPrefixStripRow<&AnnotateOptions::code, &AnnotateCode::source_prefix_strip>),
    {.name = "addr2line",
     .value = Value::Required,
     .metavar = "path",
     .help = "accepted and ignored: source lines need no external program",
     .store = call<accept_annotate_row>,
     .group = kFilesGroup,
     .since = Since::Ours},
    {.name = "objdump",
     .value = Value::Required,
     .metavar = "path",
     .help = "disassemble with this objdump instead of the built-in disassembler",
     .store = set<&AnnotateOptions::code, &AnnotateCode::objdump>,
     .group = kFilesGroup},
    in(kFilesGroup, kDemangleRow<&AnnotateOptions::symbols, &SymbolOptions::demangle>),
    in(kFilesGroup, kDemangleKernelRow<&AnnotateOptions::symbols, &SymbolOptions::demangle_kernel>),
    in(kFilesGroup, kStrippedFunctionsRow<&AnnotateOptions::symbols, &SymbolOptions::stripped_functions>),
    {.name = "symbol",
     .letter = 's',
     .value = Value::Required,
     .metavar = "symbol",
     .help = "show only this symbol (same as the argument)",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::symbol>,
     .group = kCountedGroup},
    {.name = "dsos",
     .letter = 'd',
     .value = Value::Required,
     .metavar = "dso[,dso...]",
     .help = "show only symbols in these binaries",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::dsos>,
     .group = kCountedGroup},
    {.name = "cpu",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "cpu",
     .help = "use only samples from these CPUs: 0-3,8",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::cpus>,
     .group = kCountedGroup},
    {.name = "percent-limit",
     .value = Value::Required,
     .metavar = "percent",
     .help = "hide symbols below this percentage of their event",
     .store = call<set_annotate_limit>,
     .group = kCountedGroup},
    {.name = "skip-missing",
     .help = "do not report symbols without code",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::skip_missing>,
     .group = kCountedGroup},
    {.name = "percent-type",
     .value = Value::Required,
     .metavar = "local-period",
     .help = "show percentages of the symbol (local-period, local-hits) or of the event (global-period, global-hits), "
             "by period or by sample count",
     .store = set_parsed<&parse_percent_type, &AnnotateOptions::numbers, &AnnotateNumbers::percent_type>,
     .group = kShownGroup,
     .words =
         [] { return std::vector<std::string_view>{"local-period", "local-hits", "global-period", "global-hits"}; }},
    {.name = "show-nr-samples",
     .letter = 'n',
     .help = "show sample counts instead of percentages",
     .store = set<&AnnotateOptions::numbers, &AnnotateNumbers::show_samples>,
     .group = kShownGroup},
    {.name = "show-total-period",
     .help = "show total periods instead of percentages",
     .store = set<&AnnotateOptions::numbers, &AnnotateNumbers::show_period>,
     .group = kShownGroup},
    {.name = "group",
     .help = "show a group's events, or all events, side by side (--no-group: one page per event)",
     .store = call<set_annotate_group>,
     .group = kShownGroup},
    {.name = "source",
     .help = "mix source lines with the assembly (--no-source: assembly only)",
     .store = set<&AnnotateOptions::code, &AnnotateCode::source>,
     .group = kShownGroup},
    {.name = "asm-raw",
     .help = "show instruction bytes",
     .store = set<&AnnotateOptions::code, &AnnotateCode::code_bytes>,
     .group = kShownGroup},
    {.name = "print-line",
     .letter = 'l',
     .help = "show source lines of hot instructions, and list the hottest lines first",
     .store = set<&AnnotateOptions::code, &AnnotateCode::places>,
     .group = kShownGroup},
    {.name = "full-paths",
     .letter = 'P',
     .help = "show full paths of binaries and sources",
     .store = set<&AnnotateOptions::code, &AnnotateCode::full_paths>,
     .group = kShownGroup},
    {.name = "data-type",
     .value = Value::Sticky,
     .metavar = "type",
     .help = "show data types (all, or this one) instead of functions: each member with the samples that access it",
     .store = call<set_data_type>,
     .implied = "",
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "type-stat",
     .help = "count samples with a known data type, and show why the others have none",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::types, &AccessedTypes::counts>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "insn-stat",
     .help = "count samples with a known data type, by instruction kind",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::types, &AccessedTypes::instructions>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "code-with-type",
     .help = "show the accessed type and member after each instruction",
     .store = set<&AnnotateOptions::code, &AnnotateCode::code_with_type>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "skip-empty",
     .help = "with --data-type: hide events that never access the type",
     .store = set<&AnnotateOptions::counted, &AnnotateCounted::types, &AccessedTypes::skip_empty>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "format",
     .value = Value::Required,
     .metavar = "csv|json|jsonl",
     .help = "write instructions and samples in a machine-readable format (docs/formats.md)",
     .store = call<set_format<FormatUser::Annotate, AnnotateOptions>>,
     .group = kShownGroup,
     .since = Since::Ours},
    in(kShownGroup, kOutputRow<&AnnotateOptions::format, &OutputFormat::output>),
    in(kShownGroup, kCsvSafeRow<&AnnotateOptions::format>),
    {.name = "quiet",
     .letter = 'q',
     .help = "print no warnings",
     .store = set<&AnnotateOptions::quiet>,
     .group = kShownGroup},
    {.name = "verbose",
     .letter = 'v',
     .help = "also list the sampled addresses",
     .store = count<&AnnotateOptions::verbose>,
     .group = kShownGroup},
    {.name = "dump-raw-trace",
     .letter = 'D',
     .help = "dump every record as numbers and bytes instead",
     .store = set<&AnnotateOptions::dump>,
     .group = kShownGroup},
    {.name = "disassembler-style",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "disassembler style",
     .help = "use this x86 assembly syntax: att (default) or intel; others need --objdump",
     .store = set<&AnnotateOptions::code, &AnnotateCode::disassembler_style>,
     .group = kLookGroup,
     .words = [] { return std::vector<std::string_view>{"att", "intel"}; }},
    {.name = "stdio",
     .help = "print plain text",
     .store = set<&AnnotateOptions::screen, &AnnotateScreenChoice::stdio>,
     .group = kLookGroup},
    {.name = "stdio2",
     .help = "print plain text with arrows, labels and names instead of addresses",
     .store = set<&AnnotateOptions::screen, &AnnotateScreenChoice::stdio2>,
     .group = kLookGroup},
    {.name = "tui",
     .help = "open the interactive screen (the default on a terminal)",
     .store = set<&AnnotateOptions::screen, &AnnotateScreenChoice::tui>,
     .group = kLookGroup},
    {.name = "stdio-color",
     .value = Value::Required,
     .metavar = "mode",
     .help = "use colours: always, never, or auto (on a terminal)",
     .store = call<set_color>,
     .group = kLookGroup},

    {.name = "gtk", .help = "not supported; use --stdio", .store = call<refuse_gtk>, .shown = Shown::Hidden},
    // Accepted without effect.
    {.name = "ignore-vmlinux", .help = "do not look for a kernel image", .store = call<accept_annotate_row>},
    {.name = "modules",
     .letter = 'm',
     .help = "with -k: use the symbols of the modules loaded now",
     .store = call<accept_annotate_row>},
    {.name = "itrace",
     .value = Value::Sticky,
     .metavar = "opts",
     .help = kItraceHelp,
     .store = call<ask_annotate_traces>,
     .implied = ""},
};

constexpr std::string_view kAnnotateUsage[] = {"[<options>] [<symbol>]"};
constexpr std::string_view kAnnotateDescription =
    "Disassembles the functions with the most samples, hottest first, and shows each instruction's share of the "
    "samples next to the source lines. Use it after report to see which lines of a hot function take the time.\n\n"
    "A sample is often charged to the instruction after the slow one, because the processor reports the address late "
    "(skid). Precise events reduce this: `perf record -e cycles:pp`.\n\n"
    "Source lines are shown if the binary has debug information and the source files are at the recorded paths (see "
    "--prefix and --symfs).";
constexpr std::string_view kAnnotateExamples[] = {
    "perf annotate --stdio|all sampled functions, the hottest first",
    "perf annotate --stdio -l work|the function `work`, with a list of its hottest lines",
    "perf annotate --stdio2 -d libc.so.6|the functions of one library",
    "perf annotate --data-type=task_struct|the most accessed members of that structure",
    "perf annotate --stdio -M intel --no-source work|Intel syntax, assembly only",
};

}  // namespace

ReaderNeeds needs_of(const AnnotateOptions& options, const Invocation& call) {
  ReaderNeeds needs{.inputs = {options.input},
                    .outputs = {options.format.output},
                    .objdump = options.code.objdump,
                    .screen = wants_code_screen(options) && has_screen(call),
                    .kernel_code = true};
  if (options.code.source_prefix) needs.inputs.push_back(*options.code.source_prefix);
  return needs;
}

Result<> AnnotateOptions::configure(const Config& config) {
  const auto flag = [&](const char* key, bool& member, bool inverted = false) -> Result<> {
    const auto value = config.flag(key, member != inverted);
    if (!value) return std::unexpected(value.error());
    member = *value != inverted;
    return {};
  };
  PEREGRINE_TRY(flag("annotate.hide_src_code", code.source, true));
  code.source_frame = code.source;
  PEREGRINE_TRY(flag("annotate.show_nr_samples", numbers.show_samples));
  PEREGRINE_TRY(flag("annotate.show_total_period", numbers.show_period));
  PEREGRINE_TRY(flag("annotate.use_offset", code.use_offsets));
  code.disassembler_style = config.text("annotate.disassembler_style", "");
  code.objdump = config.text("annotate.objdump", "");
  return {};
}

constinit const Command kAnnotate{
    .name = "annotate",
    .summary = "Show source and assembly of hot functions, line by line",
    .usage = kAnnotateUsage,
    .options = kAnnotateOptions,
    .paging = Paging::ToTerminal,
    .takes_screen = screen<AnnotateOptions, wants_code_screen>,
    .description = kAnnotateDescription,
    .examples = kAnnotateExamples,
    .run = entry<AnnotateOptions, confined<AnnotateOptions, annotate>>,
};

bool wants_code_screen(const AnnotateOptions& options) {
  const bool text = options.screen.stdio || options.screen.stdio2 || options.dump || options.code.places ||
                    options.input == "-" || options.counted.types.any() || !options.code.objdump.empty() ||
                    !options.format.name.empty();
  return options.screen.tui || !text;
}

ReportOptions AnnotateOptions::browsed() const {
  ReportOptions report;
  report.input = input;
  report.symbols = symbols;
  report.request.selection.dsos = counted.dsos;
  report.request.selection.cpus = counted.cpus;
  report.request.look.percent_limit = counted.percent_limit;
  report.request.grouping.children = false;
  report.source_prefix = code.source_prefix;
  report.source_prefix_strip = code.source_prefix_strip;
  report.verbose = verbose;
  report.tui = screen.tui;
  report.code_with_type = code.code_with_type;
  report.request.accessing = counted.accessing;
  return report;
}

}  // namespace peregrine::cmd
