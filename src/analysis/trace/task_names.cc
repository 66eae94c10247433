#include "analysis/trace/task_names.h"

namespace peregrine {

std::string_view TaskNames::of(Pid tid) {
  const auto found = names_.find(tid);
  if (found != names_.end()) return found->second;
  if (!live_) return {};
  return names_[tid] = comm_of(root_, tid).value_or("");
}

}  // namespace peregrine
