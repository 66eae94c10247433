// Parts of report's option table: pictures, and the appearance of code. The latter only affect screens, because text
// shows no code.
#pragma once
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/recording/recording_rows.h"
#include "cmd/report/report_options.h"
#include "cmd/sandbox/page_opener.h"
#include "session/export/picture_request.h"
#include "session/report/report_request.h"

namespace peregrine::cmd {

// Accepted without effect.
Result<> accept_report_row(ReportOptions& options, const Use& use);
Result<> set_report_color(ReportOptions& options, const Use& use);  // --stdio-color
Result<> check_percent_type(ReportOptions& options, const Use& use);

inline constexpr Option kReportPictureRows[] = {
    {.name = "flamegraph",
     .value = Value::Required,
     .metavar = "file",
     .help = "write a flame graph, a self-contained SVG, to this file (further events: files next to it; -G: callers "
             "on top)",
     .store = set<&ReportOptions::pictures, &PictureRequest::flame_graph>,
     .group = "Pictures",
     .since = Since::Ours},
    {.name = "html",
     .value = Value::Required,
     .metavar = "file",
     .help = "write an HTML page to this file: flame graph, functions, callers and callees, code, timeline",
     .store = set<&ReportOptions::pictures, &PictureRequest::html>,
     .group = "Pictures",
     .since = Since::Ours},
    {.name = "heatmap",
     .value = Value::Required,
     .metavar = "file",
     .help = "write an HTML page that opens with a heat map (seconds by fractions of a second)",
     .store = set<&ReportOptions::pictures, &PictureRequest::heat_map>,
     .group = "Pictures",
     .since = Since::Ours},
    in("Pictures", kOpenRow<&ReportOptions::open>),
    in("Pictures", kReverseRow<&ReportOptions::pictures, &PictureRequest::reversed>),
    {.name = "flamechart",
     .help = "order the flame graph by time, from left to right",
     .store = set<&ReportOptions::pictures, &PictureRequest::chart>,
     .group = "Pictures",
     .since = Since::Ours},
    {.name = "colors",
     .value = Value::Required,
     .metavar = "palette",
     .help = "colour the flame graph by kind of code (kind) or by dso, or in hot, blue, green or grey",
     .store = set<&ReportOptions::pictures, &PictureRequest::colors>,
     .group = "Pictures",
     .since = Since::Ours,
     .words = [] { return std::vector<std::string_view>{"kind", "dso", "hot", "blue", "green", "grey"}; }},
    in("Pictures", kTitleRow<&ReportOptions::pictures, &PictureRequest::title>),
};

inline constexpr Option kReportCodeRows[] = {
    {.name = "inline",
     .help = "show inlined functions in call chains (default; --no-inline: do not)",
     .store = set<&ReportOptions::request, &ReportRequest::chains, &ChainRequest::inlined>},
    {.name = "addr2line",
     .value = Value::Required,
     .metavar = "PROGRAM",
     .help = "accepted and ignored: source lines need no external program",
     .store = call<accept_report_row>},
    {.name = "source", .help = "mix source lines with the assembly", .store = call<accept_report_row>},
    {.name = "asm-raw", .help = "show instruction bytes", .store = call<accept_report_row>},
    {.name = "stdio-color",
     .value = Value::Required,
     .metavar = "mode",
     .help = "use colours: always, never or auto",
     .store = call<set_report_color>},
    {.name = "ignore-vmlinux", .help = "do not look for a kernel image", .store = call<accept_report_row>},
    {.name = "modules",
     .letter = 'm',
     .help = "with -k: use the symbols of the modules loaded now",
     .store = call<accept_report_row>},
    {.name = "disable-order", .help = "process records in file order", .store = call<accept_report_row>},
    {.name = "ns", .help = "show times in nanoseconds", .store = call<accept_report_row>},
    {.name = "pretty",
     .value = Value::Required,
     .metavar = "key",
     .help = "set the output style: normal or raw",
     .store = call<accept_report_row>},
    {.name = "raw-trace",
     .help = "print tracepoint fields without their print formats",
     .store = set<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::raw_trace>},
    kFullSourcePathRow<&ReportOptions::request, &ReportRequest::grouping, &RowGrouping::full_source_path>,
    {.name = "objdump",
     .value = Value::Required,
     .metavar = "path",
     .help = "disassemble with this objdump",
     .store = call<accept_report_row>},
    {.name = "disassembler-style",
     .letter = 'M',
     .value = Value::Required,
     .metavar = "disassembler style",
     .help = "use this assembly syntax: intel, att",
     .store = call<accept_report_row>,
     .words = [] { return std::vector<std::string_view>{"att", "intel"}; }},
    {.name = "percent-type",
     .value = Value::Required,
     .metavar = "local-period",
     .help = "compute percentages in annotated code as local-period, local-hits, global-period, global-hits",
     .store = call<check_percent_type>,
     .words =
         [] { return std::vector<std::string_view>{"local-period", "local-hits", "global-period", "global-hits"}; }},
    {.name = "prefix",
     .value = Value::Required,
     .metavar = "prefix",
     .help = "prepend this to source paths",
     .store = set<&ReportOptions::source_prefix>},
    kPrefixStripRow<&ReportOptions::source_prefix_strip>,
    {.name = "samples",
     .value = Value::Required,
     .metavar = "n",
     .help = "keep this many samples per row for browsing",
     .store = set<&ReportOptions::browsed_samples>},
};

}  // namespace peregrine::cmd
