// EventRole: what an event of a known tracepoint means for the lanes of a timeline, besides being an event.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {

enum class EventRole : u8 {
  None,
  CallBegins,  // raw_syscalls, syscalls
  CallEnds,
  InterruptBegins,
  InterruptEnds,
  SoftirqBegins,
  SoftirqEnds,
  VectorBegins,  // irq_vectors
  VectorEnds,
  RequestBegins,  // block
  RequestEnds,
  IdleState,
  Frequency,
};

// The fields that a role reads; null if the format lacks it.
struct RoleFields {
  EventRole role = EventRole::None;
  std::string_view name;  // of the slice, where the tracepoint's name says it: "read" of sys_enter_read
  std::array<const TraceField*, 4> fields{};
};

// `format` must outlive the result.
RoleFields role_of(const TraceFormat& format);

}  // namespace peregrine
