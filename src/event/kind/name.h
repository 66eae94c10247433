// linux-perf's event names derived from attrs: for files without EVENT_DESC, and events that were not specified by
// name. Pure.
#pragma once
#include <string>
#include <string_view>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

// "cycles:u", "cpu-clock:pppH", "L1-dcache-load-misses", "raw 0x80a2", "mem:0x1000:rw", "unknown tracepoint" …
std::string event_name(const abi::EventAttr& attr);
// ":uppH" or "", the part after the name.
std::string modifier_suffix(const abi::EventAttr& attr);
// Without suffix; "" if there is no such config.
std::string_view hardware_name(u64 config);
std::string_view software_name(u64 config);
// "L1-dcache-load-misses", or "" for a combination that does not exist.
std::string cache_name(u64 config);

}  // namespace peregrine
