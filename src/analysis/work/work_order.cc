#include "analysis/work/work_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "base/text/words.h"
#include "base/types.h"

namespace peregrine {

namespace {

using WorkWord = std::pair<std::string_view, WorkKey>;
constexpr std::array kRuntimeWords{WorkWord{"runtime", WorkKey::Total}, WorkWord{"max", WorkKey::Most},
                                   WorkWord{"count", WorkKey::Count}};
constexpr std::array kDelayWords{WorkWord{"avg", WorkKey::Average}, WorkWord{"max", WorkKey::Most},
                                 WorkWord{"count", WorkKey::Count}};
constexpr std::pair<std::string_view, UsageKey> kUsageWords[] = {
    {"rate", UsageKey::Runtime}, {"runtime", UsageKey::Runtime}, {"tid", UsageKey::Tid}};

Error unknown_key(std::string_view word, std::string hint) {
  return Error{ErrorKind::Usage, fmt::format("Unknown --sort key: `{}'", word)}.with_hint(std::move(hint));
}

u64 work_value(const WorkRow& row, WorkKey key) {
  switch (key) {
    case WorkKey::Total:
      return row.total;
    case WorkKey::Average:
      return row.average();
    case WorkKey::Most:
      return row.most;
    case WorkKey::Count:
      return row.count;
  }
  return 0;
}

}  // namespace

Result<WorkKinds> parse_work_kinds(std::string_view words) {
  constexpr std::array<std::string_view, kWorkKinds> kNames = {"irq", "softirq", "workqueue"};
  WorkKinds kinds{};
  for (const std::string& word : split_words(words)) {
    const auto found = std::ranges::find(kNames, word);
    if (found == kNames.end())
      return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown kind of work '{}'", word)}.with_hint(
          "must be one of irq, softirq, workqueue"));
    kinds[static_cast<std::size_t>(found - kNames.begin())] = true;
  }
  if (std::ranges::find(kinds, true) == kinds.end()) kinds.fill(true);
  return kinds;
}

Result<std::vector<WorkKey>> parse_work_keys(std::string_view words, KernelWork::Sum sum) {
  const std::span<const WorkWord> known = sum == KernelWork::Sum::Runtimes ? std::span<const WorkWord>(kRuntimeWords)
                                                                           : std::span<const WorkWord>(kDelayWords);
  std::vector<WorkKey> keys;
  for (const std::string& word : split_words(words)) {
    const auto found = std::ranges::find(known, word, &WorkWord::first);
    if (found == known.end())
      return std::unexpected(
          unknown_key(word, fmt::format("must be one of {}", fmt::join(known | std::views::keys, ", "))));
    keys.push_back(found->second);
  }
  if (keys.empty()) std::ranges::copy(known | std::views::values, std::back_inserter(keys));
  return keys;
}

void sort_work(std::vector<WorkRow>& rows, const std::vector<WorkKey>& keys) {
  std::ranges::sort(rows, [&](const WorkRow& a, const WorkRow& b) {
    for (const WorkKey key : keys)
      if (work_value(a, key) != work_value(b, key)) return work_value(a, key) > work_value(b, key);
    return std::tie(a.kind, a.cpu, a.id) < std::tie(b.kind, b.cpu, b.id);
  });
}

Result<std::vector<UsageKey>> parse_usage_keys(std::string_view words) {
  std::vector<UsageKey> keys;
  for (const std::string& word : split_words(words)) {
    const auto* const found = std::ranges::find(kUsageWords, word, &std::pair<std::string_view, UsageKey>::first);
    if (found == std::end(kUsageWords)) return std::unexpected(unknown_key(word, "must be one of rate, runtime, tid"));
    keys.push_back(found->second);
  }
  return keys;
}

void sort_usage(std::vector<TaskUsage>& tasks, const std::vector<UsageKey>& keys) {
  std::ranges::stable_sort(tasks, [&](const TaskUsage& a, const TaskUsage& b) {
    for (const UsageKey key : keys) {
      if (key == UsageKey::Tid && a.tid != b.tid) return a.tid < b.tid;
      if (key == UsageKey::Runtime && a.runtime != b.runtime) return a.runtime > b.runtime;
    }
    return false;
  });
}

}  // namespace peregrine
