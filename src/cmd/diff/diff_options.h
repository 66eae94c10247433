// The options of diff. Filled by the parser, read by diff.cc.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cmd/recording/recording.h"
#include "session/diff/diff_request.h"
#include "session/export/output_format.h"
#include "session/export/picture_request.h"

namespace peregrine::cmd {

struct DiffOptions {
  SymbolOptions symbols{.stripped_functions = true};
  DiffRequest request;
  DiffLook look;
  std::optional<bool> intervals;  // unset: on a terminal
  OutputFormat format;            // --format, --output
  PictureRequest pictures;
  bool as_counted = false;  // pictures of counts instead of shares
  bool open = false;        // pictures, in a browser
  bool dump = false;        // -D
  int verbose = 0;

  static constexpr std::string_view kOpened = "--html or --flamegraph FILE";
  std::string opened_file() const { return std::string(pictures.file("")); }
  // Reads diff.* from perfconfig.
  Result<> configure(const Config& config);
};

// Shows the comparison; in diff.cc.
Result<int> diff(DiffOptions& options, Invocation& call);

}  // namespace peregrine::cmd
