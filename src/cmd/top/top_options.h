// The options of top: targets and events as for record, display as for report, and the refresh interval.
#pragma once
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cmd/record/record_options.h"
#include "cmd/report/report_options.h"
#include "session/live/live_settings.h"

namespace peregrine::cmd {

struct TopOptions {
  RecordCommandOptions record;
  ReportOptions report;
  LiveSettings settings;  // initial values
  bool dump_symbols = false;
  std::string disassembler_style, objdump;
  bool code_bytes = false, source = true;
  bool ignore_vmlinux = false;

  // Settings in perfconfig for top, and for recording.
  Result<> configure(const Config& config);
};

// The command itself, in top.cc.
Result<int> top(TopOptions& options, Invocation& call);

}  // namespace peregrine::cmd
