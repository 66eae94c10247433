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

// Whether these options select the screen, on a terminal.
bool wants_screen(const ReportOptions& options);
// Whether this terminal can show a screen: input and output are terminals, which are not dumb.
bool has_screen(const Invocation& call);
// `options`: settled. `symbol`: show this symbol's code first; empty: show the rows. Unsupported: impossible with this
// build or terminal.
Result<int> browse(const ReportOptions& options, const std::string& symbol, Invocation& call);
// The same if a screen is wanted and possible; nothing if text should be shown. Without --tui, a build without screens
// prints a note and continues.
std::optional<Result<int>> browse_if_wanted(const ReportOptions& options, const std::string& symbol, Invocation& call);

// Used to implement a command's `takes_screen`.
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

// NO_COLOR with any value disables colours.
bool wants_colors(const Invocation& call);

}  // namespace peregrine::cmd
