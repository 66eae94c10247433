// GroupTable: the parts of a hist entry's key other than frame and chain (event, comm, tid, cpu, …), each distinct
// combination stored once under a 32-bit id, except with append().
//
// All groups have the same number of 64-bit values, the event index first; the sort keys (sort_key.h) define the
// others, so a report by comm does not pay for tids. One table per worker.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "analysis/flat_index.h"
#include "base/container/id.h"
#include "base/types.h"

namespace peregrine {

using GroupId = Id<struct GroupTag>;

class GroupTable {
 public:
  explicit GroupTable(std::size_t values_per_group) : stride_(values_per_group) {}

  // `values` has exactly stride() values.
  GroupId intern(std::span<const u64> values) {
    if (last_.valid() && same(last_.value, values)) return last_;
    const u32 id = index_.find_or_add(
        hash(values), static_cast<u32>(size()), [&](u32 row) { return same(row, values); },
        [&](u32 row) { return hash(values_of(row)); });
    if (id == size()) values_.insert(values_.end(), values.begin(), values.end());
    return last_ = GroupId(id);
  }
  // Adds a group without looking for an equal one, which intern() would do: for values that are expected to be
  // distinct, such as times.
  GroupId append(std::span<const u64> values) {
    has_appended_ = true;
    if (last_.valid() && same(last_.value, values)) return last_;
    last_ = GroupId(static_cast<u32>(size()));
    values_.insert(values_.end(), values.begin(), values.end());
    return last_;
  }
  bool has_appended() const { return has_appended_; }
  std::span<const u64> operator[](GroupId id) const { return values_of(id.value); }
  std::size_t size() const { return values_.size() / stride_; }
  std::size_t stride() const { return stride_; }

 private:
  std::span<const u64> values_of(u32 row) const { return {values_.data() + row * stride_, stride_}; }
  // A loop: calling memcmp for a few values takes longer.
  bool same(u32 row, std::span<const u64> values) const {
    const u64* const known = values_.data() + row * stride_;
    for (std::size_t at = 0; at < stride_; ++at)
      if (known[at] != values[at]) return false;
    return true;
  }
  static u64 hash(std::span<const u64> values) {
    u64 result = 0;
    for (const u64 value : values) result = mix_bits(result ^ value) + 0x9e3779b97f4a7c15u;
    return result;
  }

  std::size_t stride_;
  std::vector<u64> values_;
  FlatIndex index_;
  GroupId last_;
  bool has_appended_ = false;
};

}  // namespace peregrine
