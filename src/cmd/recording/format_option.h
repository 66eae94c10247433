// --format NAME[,suboption...] and -o FILE: output of report, script, annotate and diff for other programs.
//
// One table lists the formats of each command, and the suboptions of each format. Main thread only.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/frame/command.h"
#include "session/export/profile_format.h"

namespace peregrine::cmd {

enum class FormatUser : u8 { Report = 1, Script = 2, Annotate = 4, Diff = 8 };

struct FormatOptions : ProfileFormat {
  std::string output;                // -o; empty: stdout
  std::vector<std::string> columns;  // of binary rows; none: the usual ones
  bool csv_safe = false;             // --csv-safe

  // Stacks with weights, for profile viewers.
  bool is_profile() const;
};

template <auto... Member>
inline constexpr Option kCsvSafeRow{
    .name = "csv-safe",
    .help = "with CSV: prefix cells that a spreadsheet would run as formulas with an apostrophe",
    .store = set<Member..., &FormatOptions::csv_safe>,
    .since = Since::Ours};

// Error (Usage): no such format, not of this command (with those it has, and who has it), a word it does not take.
Result<> choose_format(FormatUser user, std::string_view text, FormatOptions& options);
template <FormatUser User, class Options>
Result<> set_format(Options& options, const Use& use) {
  return choose_format(User, use.value, options.format);
}
// "folded|speedscope|…"
std::string format_names(FormatUser user);

// Error (Usage): the file to write is the recording itself, `input` or by default perf.data.
Result<> check_output(const std::string& path, const std::string& input);
// Runs `run` with its output in that file, which check_output() lets pass; with an empty path or "-", as called. The
// file is whole or not at all (Whole); or it can be followed, as what the lines of a pipe become (AsItGoes). With
// --csv-safe its cells are made safe on the way (`separator`: of --field-separator, may be empty), or an error (Usage)
// without CSV.
enum class Writing : u8 { Whole, AsItGoes };
Result<int> write_into(const FormatOptions& format, Writing writing, const std::string& separator,
                       const std::string& input, Invocation& call, const std::function<Result<int>(Invocation&)>& run);

}  // namespace peregrine::cmd
