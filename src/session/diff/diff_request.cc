#include "session/diff/diff_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "analysis/hist/key/sort_key.h"
#include "base/number/parse_number.h"
#include "base/text/words.h"
#include "base/types.h"

namespace peregrine {

namespace {

Result<i64> parse_diff_weight(std::string_view text) {
  if (text.empty()) return fail(ErrorKind::Usage, "wdiff requires two weights, the baseline's first: wdiff:1,2");
  const auto weight = parse_number<i64>(text);
  if (weight && *weight != 0) return *weight;
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid weight '{}'", text)}.with_hint(
      "expected two numbers, the baseline's first: wdiff:1,2"));
}

Result<ChangeRule> parse_change_rule(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = text.substr(std::min(colon + 1, text.size()));
  ChangeRule rule;
  if (name == "wdiff") {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const auto was = parse_diff_weight(rest.substr(0, comma));
    if (!was) return std::unexpected(was.error());
    const auto is = parse_diff_weight(rest.substr(std::min(comma + 1, rest.size())));
    if (!is) return std::unexpected(is.error());
    return ChangeRule{.kind = ChangeKind::Weighted, .old_weight = *was, .new_weight = *is};
  }
  if (name == "delta")
    rule.kind = ChangeKind::Delta;
  else if (name == "delta-abs")
    rule.kind = ChangeKind::DeltaAbsolute;
  else if (name == "ratio")
    rule.kind = ChangeKind::Ratio;
  else
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown comparison `{}'", name)}.with_hint(
        "must be delta, delta-abs, ratio, wdiff:W1,W2 or cycles"));
  if (!rest.empty()) return fail(ErrorKind::Usage, "{} takes no weights: `{}'", name, rest);
  return rule;
}

}  // namespace

Result<> choose_comparison(std::string_view text, DiffRequest& request) {
  request.rule = {};
  request.cycles = text == "cycles";
  if (request.cycles) return {};
  auto rule = parse_change_rule(text);
  if (!rule) return std::unexpected(std::move(rule.error()));
  request.rule = *rule;
  return {};
}

Result<> check_branch_stacks(const DiffRequest& request, const data::Evlist& evlist, std::string_view recording) {
  if (!request.streams && !request.cycles) return {};
  const auto has_branches = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::BranchStack); };
  if (std::ranges::any_of(evlist, has_branches)) return {};
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("{} has no branch stacks, which {} compares", recording,
                                                             request.cycles ? "-c cycles" : "--stream")}
                             .with_hint("record with: perf record -b"));
}

Result<Columns> diff_columns(const DiffRequest& request) {
  auto columns = parse_columns({.sort = request.sort, .default_sort = "dso,symbol"});
  if (!columns) return std::unexpected(std::move(columns.error()));
  if (columns->keys.empty()) return fail(ErrorKind::Usage, "-s needs at least one grouping key");
  if (request.by_stack) columns->keys = {SortKey::Comm};
  if (request.cycles || request.streams) return parse_columns({.default_sort = "dso,symbol"});
  return columns;
}

Columns block_columns() { return *parse_columns({.sort = "addr_from,addr_to,cycles", .branches = true}); }

std::string times_of_file(const std::string& times, std::size_t file) {
  const std::vector<std::string> parts = split_words(times, ':');
  if (!times.contains(':')) return times;
  if (times.starts_with(':')) return file == 0 || file > parts.size() ? std::string() : parts[file - 1];
  return file < parts.size() ? parts[file] : std::string();
}

}  // namespace peregrine
