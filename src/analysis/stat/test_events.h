// Events for the tests in this folder.
#pragma once
#include "abi/attr.h"
#include "base/types.h"
#include "event/spec.h"

namespace peregrine::stat_test {

inline EventSpec event(const char* name, abi::EventType type, u64 config) {
  EventSpec spec;
  spec.name = name;
  spec.attr.type = static_cast<u32>(type);
  spec.attr.config = config;
  return spec;
}
inline EventSpec hardware(const char* name, abi::HardwareEvent which) {
  return event(name, abi::EventType::Hardware, static_cast<u64>(which));
}
inline EventSpec cycles() { return hardware("cycles", abi::HardwareEvent::Cycles); }
inline EventSpec instructions() { return hardware("instructions", abi::HardwareEvent::Instructions); }
inline EventSpec page_faults() { return event("page-faults", abi::EventType::Software, 2); }

}  // namespace peregrine::stat_test
