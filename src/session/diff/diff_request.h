// DiffRequest: what to compare between recordings, and how to show the comparison. Immutable while a session uses
// it.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/diff/change.h"
#include "analysis/hist/key/columns.h"
#include "base/result.h"
#include "data/header/evlist.h"
#include "session/report/report_request.h"

namespace peregrine {

struct DiffRequest {
  SampleSelection selection;  // `times`: for all files, or separate spans per file, separated by colons
  ChangeRule rule;
  bool cycles = false;         // cycles of code blocks, from branch stacks
  bool cycles_spread = false;  // with their confidence and spread
  bool streams = false;        // hot chains of branches
  bool by_stack = false;       // whole stacks, for flame graphs
  unsigned order = 1;          // the side that determines the order of rows; 0: the baseline
  bool baseline_only = false;
  std::optional<std::string> sort;  // keys
  bool relative = false;            // percentages of the filtered samples
};

struct DiffLook {
  bool formula = false, periods = false;
  bool intervals = false;   // confidence of each change
  std::string separator;    // of columns; empty: columns are padded
  bool quiet = false;       // rows only
  bool list_files = false;  // name the files even if there are only two
  std::string format;       // csv, json or jsonl; empty: text
};

// Parses delta, delta-abs, ratio, wdiff:W1,W2 or cycles. Errors: Usage.
Result<> choose_comparison(std::string_view text, DiffRequest& request);
// Errors: Usage, `recording` has no branch stacks, but the request compares them.
Result<> check_branch_stacks(const DiffRequest& request, const data::Evlist& evlist, std::string_view recording);
// The columns that identify rows. Errors: Usage, an unknown key, or no key.
Result<Columns> diff_columns(const DiffRequest& request);
// Keys of code blocks.
Columns block_columns();
// The part of `times` that applies to one file.
std::string times_of_file(const std::string& times, std::size_t file);

}  // namespace peregrine
