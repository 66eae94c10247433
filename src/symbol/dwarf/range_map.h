// RangeMap: maps an address to the innermost of many ranges; stored as disjoint sorted segments.
//
// Each range has a level. A deeper range nests in one of the level above (an inlined function in its caller) and hides
// it. If ranges of one level overlap, the one that starts first wins. Immutable after build().
#pragma once
#include <algorithm>
#include <cstddef>
#include <vector>

#include "base/types.h"

namespace peregrine {

class RangeMap {
 public:
  static constexpr u32 kNobody = 0xffffffffu;
  struct Range {
    u64 begin, end;
    u32 owner;
    u32 level;
  };

  static RangeMap build(std::vector<Range> ranges) {
    std::ranges::stable_sort(ranges, [](const Range& a, const Range& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.level < b.level;
    });
    RangeMap map;
    std::vector<Range> open;  // each nested in the one before
    const auto close_until = [&](u64 address) {
      while (!open.empty() && open.back().end <= address) {
        const u64 end = open.back().end;
        open.pop_back();
        map.mark(end, open.empty() ? kNobody : open.back().owner);
      }
    };
    for (Range range : ranges) {
      if (!map.starts_.empty()) range.begin = std::max(range.begin, map.starts_.back());
      close_until(range.begin);
      if (!open.empty()) {
        range.end = std::min(range.end, range.level > open.back().level ? open.back().end : range.end);
        if (range.level <= open.back().level) {  // not nested: the remaining part comes after it
          range.begin = open.front().end;
          if (open.size() > 1 || range.begin >= range.end) continue;
          close_until(range.begin);
        }
      }
      if (range.begin >= range.end) continue;
      map.mark(range.begin, range.owner);
      open.push_back(range);
    }
    close_until(~u64{0});
    map.starts_.shrink_to_fit();
    map.owners_.shrink_to_fit();
    return map;
  }

  u32 find(u64 address) const {
    const auto next = std::ranges::upper_bound(starts_, address);
    return next == starts_.begin() ? kNobody : owners_[static_cast<std::size_t>(next - starts_.begin()) - 1];
  }
  // Visits the segments, starting with the one that covers `address`.
  template <class Visit>  // bool(u64 start, u32 owner)
  void walk(u64 address, const Visit& visit) const {
    auto at = static_cast<std::size_t>(std::ranges::upper_bound(starts_, address) - starts_.begin());
    for (at = at == 0 ? 0 : at - 1; at < starts_.size(); ++at)
      if (!visit(starts_[at], owners_[at])) return;
  }
  std::size_t size() const { return starts_.size(); }

 private:
  void mark(u64 address, u32 owner) {
    if (!starts_.empty() && starts_.back() == address)
      owners_.back() = owner;
    else if (starts_.empty() || owners_.back() != owner) {
      starts_.push_back(address);
      owners_.push_back(owner);
    }
  }

  std::vector<u64> starts_;
  std::vector<u32> owners_;
};

}  // namespace peregrine
