// RecorderFailure: why a `record` of the daemon failed, in the output that it left.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

struct RecorderFailure {
  std::string reason;  // empty: the output does not say
  std::string hint;    // the advice that goes with it
};

// `program`: the name at the start of its messages.
RecorderFailure failure_in(std::string_view output, std::string_view program);

}  // namespace peregrine
