// EventAttr::aux_action: what an event does to the hardware trace of its group's leader, and whether that leader starts
// tracing at all (linux 6.13).
#pragma once
#include "base/types.h"

namespace peregrine::abi::aux_action {

inline constexpr u32 StartPaused = 1u << 0, Pause = 1u << 1, Resume = 1u << 2;

}  // namespace peregrine::abi::aux_action
