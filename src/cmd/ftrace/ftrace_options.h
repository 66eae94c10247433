// The options of ftrace, and their table.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"
#include "session/ftrace/ftrace_request.h"

namespace peregrine::cmd {

struct FtraceOptions {
  FtraceRequest request;
  std::optional<std::string> list;  // -F: a glob; "*" for all
  bool list_tracers = false;
  std::string output;          // -o
  std::string name = "trace";  // of the trace that start … remove refer to
};

Result<int> run_ftrace(FtraceOptions& options, Invocation& call);

}  // namespace peregrine::cmd
