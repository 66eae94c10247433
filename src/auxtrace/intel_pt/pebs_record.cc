#include "auxtrace/intel_pt/pebs_record.h"

#include <algorithm>

namespace peregrine::auxtrace {

bool PebsRecord::is_known(u64 group) {
  return group == Registers || group == Basic || group == Memory || (group >= Branches0 && group <= Branches2) ||
         group == Vectors;
}

void PebsRecord::set(u64 group, unsigned item, u64 value) {
  if (!is_known(group) || item >= kItems) return;
  has_[group] |= u32{1} << item;
  values_[group][item] = value;
}

std::optional<u64> PebsRecord::item(Group group, unsigned item) const {
  if (item >= kItems || (has_[group] >> item & 1) == 0) return std::nullopt;
  return values_[group][item];
}

bool PebsRecord::empty() const {
  return std::ranges::all_of(has_, [](u32 items) { return items == 0; });
}

}  // namespace peregrine::auxtrace
