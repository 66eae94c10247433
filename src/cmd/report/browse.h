// browse: the interactive screen of report and annotate. A separate thread reads the recording while the first rows
// are shown.
#pragma once
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/parser.h"
#include "cmd/report/report_options.h"

namespace peregrine::cmd {

// Whether these options want the screen, on a terminal.
bool wants_screen(const ReportOptions& options);
// Whether this terminal can be one: both ends, and TERM is not "dumb".
bool has_screen(const Invocation& call);
// `symbol`: whose code is shown first; empty: nobody's. Unsupported: this build or terminal cannot.
Result<int> browse(ReportOptions& options, const std::string& symbol, Invocation& call);
// The same where it is wanted and can be; nothing where text is to be shown. Without --tui a build that cannot says so
// and goes on.
std::optional<Result<int>> browse_if_wanted(ReportOptions& options, const std::string& symbol, Invocation& call);

// What a command's `takes_screen` is made of.
template <class Options, auto Wants>
bool screen(const Invocation& call) {
  if (!has_screen(call)) return false;
  Options options{};
  if constexpr (requires { options.configure(call.config); })
    if (!options.configure(call.config)) return false;
  const auto parsed =
      parse_options(call.command.options, call.command.words_at, call.arguments, &options, kOwner<Options>);
  return parsed && parsed->asked == Asked::Run && Wants(options);
}

// NO_COLOR, whatever it says, means none.
bool wants_colors(const Invocation& call);

}  // namespace peregrine::cmd
