// Names that vendors and linux-perf have for events that libpfm4 spells otherwise, and not by the rule that
// tools/make_event_tables.cc applies. A row holds on the models whose table has an event of that other spelling; what
// it counts and how it is encoded comes from there. Constant tables.
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
