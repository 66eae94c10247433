#include "cmd/diff/diff_options.h"

#include <string_view>
#include <vector>

#include "analysis/hist/key/columns.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/report/report_options.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sandbox/page_opener.h"
#include "session/export/output_format.h"
#include "session/report/report_request.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {

namespace {

Result<> set_compute(DiffOptions& options, const Use& use) {
  if (!use.negated) return choose_comparison(use.value, options.request);
  options.request.rule = {};
  options.request.cycles = false;
  return {};
}

Result<> accept_diff_row(DiffOptions&, const Use&) { return {}; }

constexpr std::string_view kPictures = "Pictures";

constexpr Option kDiffOptions[] = {
    {.name = "compute",
     .letter = 'c',
     .value = Value::Required,
     .metavar = "delta,delta-abs,ratio,wdiff:w1,w2,cycles",
     .help = "compare rows by delta: percentage points, largest gain first; delta-abs: percentage points, largest "
             "change first (default); ratio: new/old period; wdiff: new*w2 - old*w1; cycles: cycles of code blocks, "
             "from branch stacks",
     .store = call<set_compute>,
     .group = kShownGroup,
     .words = [] { return std::vector<std::string_view>{"delta", "delta-abs", "ratio", "wdiff", "cycles"}; }},
    {.name = "order",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "n",
     .help = "sort by the change in the Nth file after the baseline (default: 1; 0: by the baseline)",
     .store = set<&DiffOptions::request, &DiffRequest::order>,
     .group = kShownGroup},
    {.name = "baseline-only",
     .letter = 'b',
     .help = "show only rows that exist in the baseline",
     .store = set<&DiffOptions::request, &DiffRequest::baseline_only>,
     .group = kShownGroup},
    {.name = "interval",
     .help = "show the 95% confidence interval of each change, and whether it is significant (default: on a terminal)",
     .store = set<&DiffOptions::intervals>,
     .group = kShownGroup,
     .since = Since::Ours},
    {.name = "period",
     .letter = 'p',
     .help = "show the compared periods",
     .store = set<&DiffOptions::look, &DiffLook::periods>,
     .group = kShownGroup},
    {.name = "formula",
     .letter = 'F',
     .help = "show how each change is computed",
     .store = set<&DiffOptions::look, &DiffLook::formula>,
     .group = kShownGroup},
    {.name = "sort",
     .letter = 's',
     .value = Value::Required,
     .metavar = "key[,key2...]",
     .help = "identify rows by these keys, as in report (default: dso,symbol)",
     .store = set<&DiffOptions::request, &DiffRequest::sort>,
     .group = kShownGroup,
     .words = column_words},
    in(kShownGroup, kPercentageRow<&DiffOptions::request, &DiffRequest::relative>),
    {.name = "field-separator",
     .letter = 't',
     .value = Value::Required,
     .metavar = "separator",
     .help = "separate columns by this character; in names it becomes a dot",
     .store = set<&DiffOptions::look, &DiffLook::separator>,
     .group = kShownGroup},
    {.name = "flamegraph",
     .value = Value::Required,
     .metavar = "file",
     .help = "write a flame graph of the last recording to this file, coloured by the change since the first",
     .store = set<&DiffOptions::pictures, &PictureRequest::flame_graph>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "html",
     .value = Value::Required,
     .metavar = "file",
     .help = "write an HTML page to this file: the same flame graph, with functions, callers and callees",
     .store = set<&DiffOptions::pictures, &PictureRequest::html>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "as-counted",
     .help = "colour pictures by absolute values instead of each file's percentages",
     .store = set<&DiffOptions::as_counted>,
     .group = kPictures,
     .since = Since::Ours},
    {.name = "inverted",
     .help = "draw the flame graph as an icicle, callers on top",
     .store = set<&DiffOptions::pictures, &PictureRequest::inverted>,
     .group = kPictures,
     .since = Since::Ours},
    in(kPictures, kOpenRow<&DiffOptions::open>),
    in(kPictures, kReverseRow<&DiffOptions::pictures, &PictureRequest::reversed>),
    in(kPictures, kTitleRow<&DiffOptions::pictures, &PictureRequest::title>),
    in(kShownGroup, kDumpRawTraceRow<&DiffOptions::dump>),
    {.name = "format",
     .value = Value::Required,
     .metavar = "folded|csv|json|jsonl",
     .help = "write the rows in a machine-readable format (docs/formats.md)",
     .store = call<set_format<FormatUser::Diff, DiffOptions>>,
     .since = Since::Ours},
    {.name = "output",
     .value = Value::Required,
     .metavar = "file",
     .help = "write to this file instead of stdout",
     .store = set<&DiffOptions::format, &OutputFormat::output>,
     .since = Since::Ours},
    kCsvSafeRow<&DiffOptions::format>,
    {.name = "quiet",
     .letter = 'q',
     .help = "print only the rows",
     .store = set<&DiffOptions::look, &DiffLook::quiet>,
     .group = kShownGroup},
    {.name = "verbose",
     .letter = 'v',
     .help = "print file names and full paths of binaries",
     .store = count<&DiffOptions::verbose>,
     .group = kShownGroup},
    {.name = "comms",
     .letter = 'C',
     .value = Value::Required,
     .metavar = "comm[,comm...]",
     .help = "use only samples of these programs",
     .store = set<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::comms>,
     .group = kCountedGroup},
    in(kCountedGroup, kDsosRow<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::dsos>),
    in(kCountedGroup, kSymbolsRow<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::symbols>),
    in(kCountedGroup, kPidRow<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::pids>),
    in(kCountedGroup, kTidRow<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::tids>),
    {.name = "cpu",
     .value = Value::Required,
     .metavar = "cpu",
     .help = "use only samples from these CPUs: 0-3,8",
     .store = set<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::cpus>,
     .group = kCountedGroup},
    {.name = "time",
     .value = Value::Required,
     .metavar = "str",
     .help = "use only this time span: start,stop in seconds, or 10%-20%; separate the spans for different files with "
             "colons",
     .store = set<&DiffOptions::request, &DiffRequest::selection, &SampleSelection::times>,
     .group = kCountedGroup},
    {.name = "force",
     .letter = 'f',
     .help = "read files regardless of their owner",
     .store = set<&DiffOptions::symbols, &SymbolOptions::force>,
     .group = kFilesGroup},
    in(kFilesGroup, kKallsymsRow<&DiffOptions::symbols, &SymbolOptions::kallsyms>),
    in(kFilesGroup, kSymfsRow<&DiffOptions::symbols, &SymbolOptions::symfs>),
    in(kFilesGroup, kStrippedFunctionsRow<&DiffOptions::symbols, &SymbolOptions::stripped_functions>),
    {.name = "modules",
     .letter = 'm',
     .help = "accepted and ignored: symbols of loaded modules are always found",
     .store = call<accept_diff_row>,
     .group = kFilesGroup},
    {.name = "cycles-hist",
     .help = "with -c cycles: show the confidence of each change, and the spread of the block's cycles",
     .store = set<&DiffOptions::request, &DiffRequest::cycles_spread>,
     .group = kShownGroup},
    {.name = "stream",
     .help = "show the hottest branch chains of two files, and which they have in common",
     .store = set<&DiffOptions::request, &DiffRequest::streams>,
     .group = kShownGroup},
};

constexpr std::string_view kDiffUsage[] = {"[<options>] [old_file] [new_file...]"};
constexpr std::string_view kDiffExamples[] = {
    "perf diff|changes from perf.data.old to perf.data",
    "perf diff -c ratio -p before.data after.data|cost of each function as a multiple of its old cost",
    "perf diff -s dso --interval a.data b.data c.data|three recordings by library, and which changes are significant",
};

}  // namespace

constinit const Command kDiff{
    .name = "diff",
    .summary = "Compare recordings",
    .usage = kDiffUsage,
    .options = kDiffOptions,
    .paging = Paging::ToTerminal,
    .description =
        "Compares two or more recordings: shows their rows side by side, and how much each recording differs from the "
        "first, the baseline. Use it to see what became faster or slower in a new version of a program. Without "
        "arguments, it compares perf.data.old with perf.data. Functions are matched by name, so the recordings may be "
        "of different builds.\n\n"
        "Recordings are random samples, so percentages always differ a little. On a terminal, or with --interval, each "
        "change is shown with its 95% confidence interval and is marked significant or not.",
    .examples = kDiffExamples,
    .run = entry<DiffOptions, opening<DiffOptions, confined<DiffOptions, diff>>>,
};

ReaderNeeds needs_of(const DiffOptions& options, const Invocation& call) {
  ReaderNeeds needs{.inputs = call.words, .outputs = {options.format.output}};
  needs.inputs.emplace_back();  // perf.data, and perf.data.old next to it
  add_picture_needs(options.pictures, needs);
  return needs;
}

Result<> DiffOptions::configure(const Config& config) {
  if (const auto compute = config.find("diff.compute")) {
    PEREGRINE_TRY(set_compute(*this, {.value = *compute, .has_value = true}));
  }
  if (const auto text = config.find("diff.order"))
    request.order = leading_number<decltype(request.order)>(*text).value_or(request.order);
  return configure_percentage(config, request.relative);
}

}  // namespace peregrine::cmd
