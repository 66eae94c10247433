#include "event/spec.h"

#include <cstddef>

namespace peregrine {

void join_group(EventList& list) {
  for (auto& spec : list) spec.leader = 0;
  if (!list.empty()) list.front().group_size = list.size();
}

void break_group(EventList& list, std::size_t leader) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (list[i].leader != leader) continue;
    list[i].leader = i;
    list[i].group_size = 1;
  }
}

}  // namespace peregrine
