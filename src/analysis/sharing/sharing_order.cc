#include "analysis/sharing/sharing_order.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/sharing/access_counts.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Lines below this share of the ordering value are omitted.
constexpr double kSmallestShare = 0.001;

}  // namespace

u64 value_in_order(const AccessCounts& counts, SharingOrder order) {
  switch (order) {
    case SharingOrder::LocalHitm:
      return counts.local_hitm;
    case SharingOrder::RemoteHitm:
      return counts.remote_hitm;
    case SharingOrder::Peer:
      return counts.peer();
    case SharingOrder::TotalHitm:
      break;
  }
  return counts.hitm();
}

std::vector<SharedLine> contended_lines(std::vector<SharedLine> lines, const AccessCounts& all, SharingOrder order,
                                        bool show_all) {
  const u64 whole = value_in_order(all, order);
  std::erase_if(lines, [&](const SharedLine& line) {
    const u64 value = value_in_order(line.counts, order);
    return !show_all && (value == 0 || static_cast<double>(value) < kSmallestShare * static_cast<double>(whole));
  });
  std::ranges::stable_sort(lines, std::greater<>(), [&](const SharedLine& line) {
    return std::pair(value_in_order(line.counts, order), line.address);
  });
  for (SharedLine& line : lines) {
    std::erase_if(line.rows, [&](const SharingRow& row) {
      return value_in_order(row.counts, order) == 0 && row.counts.stores == 0;
    });
    std::ranges::stable_sort(line.rows, [&](const SharingRow& a, const SharingRow& b) {
      if (a.offset != b.offset) return a.offset < b.offset;
      return value_in_order(a.counts, order) > value_in_order(b.counts, order);
    });
  }
  return lines;
}

}  // namespace peregrine
