// --format NAME[,suboption...], --output and --csv-safe of report, script, annotate and diff. Main thread only.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "session/export/output_format.h"
#include "session/export/output_target.h"

namespace peregrine::cmd {

template <auto... Member>
inline constexpr Option kCsvSafeRow{
    .name = "csv-safe",
    .help = "with CSV: prefix cells that a spreadsheet would run as formulas with an apostrophe",
    .store = set<Member..., &OutputFormat::csv_safe>,
    .since = Since::Ours};

template <FormatUser User, class Options>
Result<> set_format(Options& options, const Use& use) {
  if (use.negated) {
    OutputFormat usual;
    usual.output = std::move(options.format.output);
    usual.csv_safe = options.format.csv_safe;
    options.format = std::move(usual);
    return {};
  }
  return choose_format(User, use.value, options.format);
}

// The formats of a command, for completion.
template <FormatUser User>
std::vector<std::string_view> words_of_formats() {
  return format_words(User);
}

// Calls `run` with its output in the file of `format`, if any, and with safe cells if requested. `separator`: the value
// of --field-separator, may be empty. `input`: the recording named by its option. Errors: Usage, the file is the
// recording, or --csv-safe without CSV; those of write_output().
Result<int> write_into(const OutputFormat& format, Writing writing, const std::string& separator,
                       const std::string& input, Invocation& call, const std::function<Result<int>(Invocation&)>& run);

}  // namespace peregrine::cmd
