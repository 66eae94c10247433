// The options of diff. Filled by the parser, read by diff.cc.
#pragma once
#include <optional>
#include <string>

#include "analysis/diff/change.h"
#include "cmd/export/picture_options.h"
#include "cmd/recording/format_option.h"
#include "cmd/recording/recording.h"

namespace peregrine::cmd {

struct DiffOptions {
  SymbolOptions symbols{.stripped_functions = true};
  ChangeRule rule;
  bool cycles = false;         // -c cycles: of blocks, by branch stacks
  bool cycles_spread = false;  // --cycles-hist
  bool streams = false;        // --stream
  unsigned order = 1;          // -o: whose change orders the rows
  bool baseline_only = false;
  bool formula = false, periods = false;
  std::optional<bool> intervals;  // not said: where people read
  std::optional<std::string> sort;
  std::string comms, dsos, symbol_names, pids, tids, cpus, times;
  bool relative = false;
  std::string separator;
  FormatOptions format;  // --format, --output
  bool by_stack() const { return pictures.any() || format.is_profile(); }
  PictureOptions pictures;
  bool as_counted = false;  // pictures of what was counted, not of shares
  bool dump = false;        // -D
  bool quiet = false;
  int verbose = 0;

  // diff.* of perfconfig.
  Result<> configure(const Config& config);
};

// Shows what changed; diff.cc.
Result<int> diff(DiffOptions& options, Invocation& call);

}  // namespace peregrine::cmd
