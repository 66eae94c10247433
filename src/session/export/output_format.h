// OutputFormat: --format of report, script, annotate and diff, for other programs, and the output file. A table lists
// the formats of each command and the suboptions of each format.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/file/content_kind.h"
#include "base/result.h"
#include "base/types.h"
#include "session/export/profile_format.h"

namespace peregrine {

// The command that writes.
enum class FormatUser : u8 { Report = 1, Script = 2, Annotate = 4, Diff = 8 };

struct OutputFormat : ProfileFormat {
  std::string output;                // file; empty or "-": standard output
  std::vector<std::string> columns;  // of format binary; empty: the default ones
  bool csv_safe = false;             // make cells safe for spreadsheets

  // Stacks with weights, for profile viewers.
  bool is_profile() const;
  // The first bytes of the output file, which decide which existing files it may replace.
  ContentKind content() const;
};

// Parses NAME[,suboption...] into `format`, and keeps its `output` and `csv_safe`. Errors: Usage, the format is unknown
// or belongs to another command, or a suboption is unknown.
Result<> choose_format(FormatUser user, std::string_view text, OutputFormat& format);
// The formats of a command.
std::vector<std::string_view> format_words(FormatUser user);
// "folded, speedscope, ...": the same formats as text.
std::string format_names(FormatUser user);

}  // namespace peregrine
