#include "output/text/report/branch_text.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/types.h"
#include "output/text/field/script_values.h"

namespace peregrine {
namespace {

constexpr unsigned kConditional = 1, kMostBranchTypes = 16;

// Joins words in parentheses; empty if there are none.
class WordList {
 public:
  void add(std::string_view word) { text_.append(text_.empty() ? " (" : " ").append(word); }
  std::string close() && { return text_.empty() ? std::string() : std::move(text_) + ")"; }

 private:
  std::string text_;
};

void add_kinds(u32 kinds, WordList& words) {
  if ((kinds & kBranchForward) != 0) words.add("COND_FWD");
  if ((kinds & kBranchBackward) != 0) words.add("COND_BWD");
  if ((kinds & kBranchCrosses2M) != 0) words.add("CROSS_2M");
  if ((kinds & kBranchCrosses4K) != 0) words.add("CROSS_4K");
  for (unsigned type = 0; type < kMostBranchTypes; ++type)
    if (type != kConditional && (kinds >> type & 1) != 0) words.add(branch_type_name(type));
}

}  // namespace

std::string branch_text(const BranchSums& sums) {
  if (sums.ends == 0) return " (calltrace)";
  const auto share = [&](u64 count) { return 100.0 * static_cast<double>(count) / static_cast<double>(sums.ends); };
  WordList words;
  if (sums.target) {
    add_kinds(sums.kinds, words);
    if (sums.predicted < sums.ends) words.add(fmt::format("predicted:{:.1f}%", share(sums.predicted)));
    if (sums.aborted != 0) words.add(fmt::format("abort:{:.1f}%", share(sums.aborted)));
  } else {
    if (const u64 cycles = sums.cycles / sums.ends; cycles != 0) words.add(fmt::format("cycles:{}", cycles));
    if (const u64 rounds = sums.left == 0 ? 0 : sums.rounds / sums.left; rounds != 0) {
      words.add(fmt::format("iter:{}", rounds));
      words.add(fmt::format("avg_cycles:{}", sums.round_cycles / sums.rounds));
    }
  }
  return std::move(words).close();
}

}  // namespace peregrine
