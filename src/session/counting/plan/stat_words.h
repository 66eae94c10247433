// Parsers for option values of `stat` and arguments of `iostat`.
#pragma once
#include <string_view>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "base/result.h"
#include "base/types.h"
#include "event/source.h"

namespace peregrine {

// "12,34": ids of BPF programs, at least 1; empty: none. Errors: Usage.
Result<std::vector<u32>> parse_bpf_programs(std::string_view text);
// "l1" to "L4"; empty: 0, the last level of the machine. Errors: Usage.
Result<u32> parse_cache_level(std::string_view text);
// mean, min, max or last. Errors: Usage.
Result<LatencyMode> parse_latency_mode(std::string_view text);
// Restricts the following events to one core type of a hybrid processor. Errors: Usage, the machine does not have this
// core type.
Result<> count_on_core_type(EventSources& sources, std::string_view type);
// Whether the first argument of `iostat` names PCI root ports: hexadecimal digits around a colon. A number alone counts
// only if the command follows `--`; it is then rejected as a port instead of being searched for as a program.
bool are_ports(std::string_view word, bool command_follows);

}  // namespace peregrine
