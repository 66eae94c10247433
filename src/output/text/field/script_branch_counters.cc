#include "output/text/field/script_branch_counters.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "base/number/parse_number.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr unsigned kWidestCounter = 8;  // bits; hardware has 2, and more would print too many letters

// Returns 0 if the capability is missing, invalid or too wide.
unsigned width_in(const std::vector<std::pair<std::string, std::string>>& capabilities) {
  for (const auto& [name, value] : capabilities) {
    if (name != "branch_counter_width") continue;
    std::string_view text = value;
    const auto width = take_number<unsigned>(text);
    if (width && *width <= kWidestCounter) return *width;
  }
  return 0;
}

}  // namespace

unsigned branch_counter_width(const data::Features& features) {
  constexpr unsigned kUsualWidth = 2;
  unsigned width = features.cpu_pmu_caps ? width_in(*features.cpu_pmu_caps) : 0;
  if (features.pmu_caps)
    for (const auto& pmu : *features.pmu_caps)
      if (width == 0) width = width_in(pmu.pairs);
  return width == 0 ? kUsualWidth : width;
}

BranchCounters::BranchCounters(const data::Evlist& evlist, const std::vector<std::string>& names,
                               const data::Features& features, bool verbose)
    : width_(branch_counter_width(features)), verbose_(verbose) {
  constexpr unsigned kLetters = 26;
  for (u32 event = 0; event < evlist.size(); ++event) {
    leaders_.push_back(evlist[event].leader);
    if ((evlist[event].attr.branch_sample_type & abi::branch_bit::Counters) == 0) continue;
    const auto letter = static_cast<char>('A' + counters_.size() % kLetters);
    counters_.push_back({event, evlist[event].leader, letter, names[event]});
  }
}

std::string BranchCounters::legend() const {
  if (verbose_ || counters_.empty()) return {};
  std::string text = "# Branch counter abbr list:\n";
  for (const Counter& counter : counters_)
    fmt::format_to(std::back_inserter(text), "# {} = {}\n", counter.name, counter.letter);
  return text + "# '-' No event occurs\n# '+' Event occurrences may be lost due to branch counter saturated\n";
}

void BranchCounters::append(std::string& text, u32 event, u64 word) const {
  const u64 highest = (u64{1} << width_) - 1;
  const std::size_t before = text.size();
  unsigned shift = 0;
  for (const Counter& counter : counters_) {
    if (shift >= 64) break;  // no more counters in this branch
    if (event >= leaders_.size() || counter.leader != leaders_[event]) continue;
    const u64 count = word >> shift & highest;
    shift += width_;
    if (verbose_) {
      fmt::format_to(std::back_inserter(text), "{}{} {}", text.size() == before ? "" : " ", counter.name, count);
      continue;
    }
    text.append(count, counter.letter);
    if (count == highest) text += '+';
  }
  if (text.size() == before) text += '-';
}

}  // namespace peregrine
