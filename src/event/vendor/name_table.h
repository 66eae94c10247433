// Vendor and linux-perf names of events that libpfm4 spells differently, beyond the rule in tools/make_event_tables.cc.
// A row applies to models with the libpfm4 name in their table, which supplies description and encoding. Constant
// tables.
#pragma once
#include <span>
#include <string_view>

namespace peregrine {

struct NameRow {
  std::string_view name;   // "ex_ret_instr"
  std::string_view other;  // "RETIRED_INSTRUCTIONS"
};

std::span<const NameRow> amd_names();
std::span<const NameRow> intel_names();

}  // namespace peregrine
