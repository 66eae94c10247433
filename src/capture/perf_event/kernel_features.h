// KernelFeatures: the attr features that the running kernel knows; drops one at a time on EINVAL.
#pragma once
#include <vector>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

class KernelFeatures {
 public:
  // Clears the dropped features in `attr`.
  void apply(abi::EventAttr& attr) const;
  // Drops the newest feature that `attr` uses. Returns false if none is left.
  bool give_up_next(const abi::EventAttr& attr);

 private:
  bool is_gone(u32 row, const abi::EventAttr& attr) const;

  u32 gone_ = 0;                     // one bit per row of the table in kernel_features.cc
  std::vector<u32> without_guests_;  // types of PMUs
};

}  // namespace peregrine
