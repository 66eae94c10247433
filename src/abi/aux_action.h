// EventAttr::aux_action: how an event pauses or resumes the hardware trace of its group leader, and whether the leader
// starts paused (linux 6.13).
#pragma once
#include "base/types.h"

namespace peregrine::abi::aux_action {

inline constexpr u32 StartPaused = 1u << 0, Pause = 1u << 1, Resume = 1u << 2;

}  // namespace peregrine::abi::aux_action
