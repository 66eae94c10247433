// The options of annotate: struct and table. Filled by the parser, read by annotate.cc.
#pragma once
#include <optional>
#include <string>

#include "analysis/annotate/symbol_hits.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cmd/recording/recording.h"
#include "cmd/report/report_options.h"
#include "session/annotate/annotate_session.h"
#include "session/export/output_format.h"
#include "session/recording/trace_choice.h"

namespace peregrine::cmd {

// Which samples to count, and which to show.
struct AnnotateCounted {
  std::string dsos, cpus, symbol;
  double percent_limit = 0;
  bool accessing = false;
  bool group = true, group_given = false;
  bool skip_missing = false;
  AccessedTypes types;  // --data-type, --type-stat, --insn-stat, --skip-empty
};

// How instructions and their source appear.
struct AnnotateCode {
  bool source = true;
  bool source_frame = true;  // annotate.hide_src_code also hides the code around source lines in --stdio2
  std::optional<std::string> source_prefix;
  std::optional<unsigned> source_prefix_strip;
  std::string disassembler_style;
  std::string objdump;
  bool code_bytes = false;
  bool code_with_type = false;              // show what each instruction accesses
  bool places = false, full_paths = false;  // -l, -P
  bool use_offsets = true;                  // annotate.use_offset: addresses in --stdio2 are relative to the symbol
};

// The numbers before each line.
struct AnnotateNumbers {
  PercentType percent_type;
  bool show_samples = false, show_period = false;
};

struct AnnotateScreenChoice {
  bool stdio = false, stdio2 = false, tui = false;
  ColorMode color = ColorMode::Auto;
};

struct AnnotateOptions {
  std::string input;
  SymbolOptions symbols{.stripped_functions = true};
  TraceChoice traces;
  AnnotateCounted counted;
  AnnotateCode code;
  AnnotateNumbers numbers;
  AnnotateScreenChoice screen;
  OutputFormat format;  // --format, -o
  bool dump = false;    // -D
  bool quiet = false;
  int verbose = 0;

  // Shows the same recording on report's screen.
  ReportOptions browsed() const;
  // Reads annotate.* from perfconfig.
  Result<> configure(const Config& config);
};

// Whether these options select the screen, on a terminal.
bool wants_code_screen(const AnnotateOptions& options);

// Shows the recording; in annotate.cc.
Result<int> annotate(AnnotateOptions& options, Invocation& call);

}  // namespace peregrine::cmd
