// The options of script: struct and table. Filled by the parser, read by script.cc.
#pragma once
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/recording/recording.h"
#include "session/export/output_format.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"
#include "session/script/script_lines_request.h"
#include "session/script/script_summary.h"

namespace peregrine::cmd {

struct ScriptOptions {
  std::string input;
  SymbolOptions symbols;
  ScriptLinesRequest lines;
  SummaryRequest summary;  // requests answered without samples
  std::vector<std::string> field_warnings;
  std::string comms, pids, tids, cpus, times;
  bool header = false, header_only = false, info = false;
  bool show_kernel_path = false;
  TraceChoice traces;
  bool guest_code = false;
  SwitchedEvents switching;
  OutputFormat format;  // --format, -o
  bool per_event = false;
  bool all_cpus = false;  // for scripts that record
  std::string script;     // -s
  std::string generated;  // -g: the language
  bool list = false;      // -l
  std::string dlfilter;
  std::vector<std::string> dlfilter_arguments;
  bool list_dlfilters = false;
  int verbose = 0;
};

// Prints the recording; in script.cc.
Result<int> script(ScriptOptions& options, Invocation& call);

}  // namespace peregrine::cmd
