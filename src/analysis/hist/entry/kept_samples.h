// KeptSamples: a few samples of each entry of a Hists for inspection: those with the smallest hashes of their ordinals,
// so that the selection does not depend on the number of workers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/flat_index.h"
#include "base/types.h"

namespace peregrine {

struct KeptSample {
  u64 time = 0;
  u64 ordinal = 0;  // position in time order
  u32 pid = 0, tid = 0;
  i32 cpu = -1;  // -1: not recorded
};

// Sorts by hash and keeps the first `most`.
inline void keep_few(std::vector<KeptSample>& samples, std::size_t most) {
  std::ranges::sort(samples, {}, [](const KeptSample& sample) { return mix_bits(sample.ordinal); });
  if (samples.size() > most) samples.resize(most);
}

class KeptSamples {
 public:
  bool empty() const { return by_entry_.empty(); }
  void add(u32 entry, std::span<const KeptSample> samples, std::size_t most) {
    most_ = most;
    if (entry >= by_entry_.size()) by_entry_.resize(entry + 1);
    std::vector<KeptSample>& own = by_entry_[entry];
    own.insert(own.end(), samples.begin(), samples.end());
    if (own.size() >= 2 * most) keep_few(own, most);
  }
  void merge(u32 entry, const KeptSamples& from, u32 from_entry) {
    if (const auto samples = from.of(from_entry); !samples.empty()) add(entry, samples, from.most_);
  }
  // May return more than requested; the reader calls keep_few().
  std::span<const KeptSample> of(u32 entry) const {
    return entry < by_entry_.size() ? std::span<const KeptSample>(by_entry_[entry]) : std::span<const KeptSample>();
  }
  std::size_t most() const { return most_; }

 private:
  std::vector<std::vector<KeptSample>> by_entry_;
  std::size_t most_ = 0;
};

}  // namespace peregrine
