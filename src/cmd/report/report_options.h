// The options of report: struct and table. Filled by the parser, read by report.cc.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "analysis/hist/row/graph_options.h"
#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cmd/recording/recording.h"
#include "session/export/output_format.h"
#include "session/export/picture_request.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"
#include "session/report/report_request.h"

namespace peregrine::cmd {

enum class ColorMode { Auto, Always, Never };

struct ReportOptions {
  std::string input;
  SymbolOptions symbols{.stripped_functions = true};
  TraceChoice traces;
  SwitchedEvents switching;
  ReportRequest request;
  // shown instead of tables, or in addition
  PictureRequest pictures;
  bool open = false;    // in a browser
  OutputFormat format;  // --format, -o
  bool header = false, header_only = false, info = false;
  bool dump = false;  // -D
  bool stats = false, tasks = false, mmaps = false;
  bool symbols_report = false;
  bool stdio = false, tui = false;
  ColorMode color = ColorMode::Auto;
  // for screens
  bool code_with_type = false;  // for annotate: instructions with their data types
  std::optional<std::string> source_prefix;
  std::optional<unsigned> source_prefix_strip;
  int browsed_samples = 0;
  int verbose = 0;

  static constexpr std::string_view kOpened = "--html, --heatmap or --flamegraph FILE";
  std::string opened_file() const { return std::string(pictures.file("")); }
  // Reads report.* from perfconfig.
  Result<> configure(const Config& config);
  // A copy with the request completed by options and settings that are not only its own. Use its result.
  ReportOptions settled(const Config& config) const;
};

// Settings that top has too: call-graph.*, except how chains are recorded; hist.percentage. Errors: Usage.
Result<> configure_graph(const Config& config, GraphOptions& graph);
Result<> configure_percentage(const Config& config, bool& relative);
// Option values that top has too.
Result<u32> parse_group_member(std::string_view value);  // --group-sort-idx
// The value of --stdio-color. Errors: Usage.
Result<ColorMode> color_mode_of(const Use& use);
inline bool wants_color(ColorMode mode, bool terminal) {
  return mode == ColorMode::Always || (mode == ColorMode::Auto && terminal);
}
// The value of --percent-limit; 0 if negated. Errors: Usage.
Result<double> limit_of(const Use& use);
Result<> set_percent_limit(ReportOptions& options, const Use& use);

// Shows the recording; in report.cc.
Result<int> report(ReportOptions& options, Invocation& call);

}  // namespace peregrine::cmd
