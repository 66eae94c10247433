#include "output/text/field/script_plan.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "output/text/field/script_field.h"
#include "output/text/field/script_field_rows.h"

namespace peregrine {
namespace {

namespace f = script_field;
constexpr u64 kLineFields = f::Sym | f::SymOff | f::Dso | f::DsoOff | f::SrcLine;

bool is_page_fault(const abi::EventAttr& attr) {
  if (attr.type != static_cast<u32>(abi::EventType::Software)) return false;
  const auto config = static_cast<abi::SoftwareEvent>(attr.config);
  return config == abi::SoftwareEvent::PageFaults || config == abi::SoftwareEvent::MinorFaults ||
         config == abi::SoftwareEvent::MajorFaults;
}

// Fields such as insn and disasm share a printer, which checks all of them at once.
bool share_printer(const ScriptField& one, const ScriptField& other) {
  return (one.start != nullptr && one.start == other.start) || (one.put != nullptr && one.put == other.put);
}

std::vector<const ScriptField*> columns_between(std::span<const ScriptField> rows, u64 fields, ColumnPlace first,
                                                ColumnPlace last) {
  std::vector<const ScriptField*> columns;
  for (auto place = static_cast<u8>(first); place <= static_cast<u8>(last); ++place) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((fields >> i & 1) == 0 || rows[i].place != static_cast<ColumnPlace>(place)) continue;
      const bool known =
          std::ranges::any_of(columns, [&](const ScriptField* column) { return share_printer(*column, rows[i]); });
      if (!known) columns.push_back(&rows[i]);
    }
  }
  return columns;
}

// The other columns of a branch are part of one printer, put_branch_record().
ScriptEvent::Columns line_columns(std::span<const ScriptField> rows, u64 fields, bool is_branch) {
  const auto last = is_branch ? ColumnPlace::Event : ColumnPlace::Cycles;
  return {.thread = columns_between(rows, fields, ColumnPlace::Thread, ColumnPlace::Thread),
          .start = columns_between(rows, fields, ColumnPlace::Misc, ColumnPlace::Time),
          .rest = columns_between(rows, fields, ColumnPlace::Period, last),
          .below = columns_between(rows, fields, ColumnPlace::SourceText, ColumnPlace::SourceText)};
}

bool are_in_sequence(std::span<const ScriptField> rows, u64 fields, bool is_branch) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if ((fields >> i & 1) == 0 || rows[i].sequence == InSequence::No) continue;
    if (rows[i].sequence == InSequence::Always || is_branch) return true;
  }
  return false;
}

}  // namespace

bool is_branch_record(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Hardware) && (attr.config & 0xffffffff) == 4 &&
         attr.sample_period == 1 && !attr.has(abi::attr_flag::Freq);
}

ScriptPlan::ScriptPlan(const data::Evlist& evlist, const std::vector<std::string>& names, const ScriptFields& fields,
                       const TraceFormats& formats, bool callchains) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  for (std::size_t i = 0; i < evlist.size(); ++i) {
    const abi::EventAttr& attr = evlist[i].attr;
    const ScriptType type = script_type(attr);
    ScriptEvent event;
    event.fields = fields.of(type);
    event.is_branch = is_branch_record(attr);
    event.columns = line_columns(fields.rows(), event.fields, event.is_branch);
    event.in_sequence = are_in_sequence(fields.rows(), event.fields, event.is_branch);
    event.name = std::string(width - names[i].size(), ' ') + names[i] + ": ";
    event.callchain = callchains && attr.samples(abi::sample_bit::Callchain);
    event.comm_padded = !(event.callchain && (event.fields & f::Ip) != 0);
    event.bpf_output = attr.type == static_cast<u32>(abi::EventType::Software) &&
                       attr.config == static_cast<u64>(abi::SoftwareEvent::BpfOutput);
    if (type == ScriptType::Tracepoint) event.format = formats.print_format(attr.config);
    if (event.format != nullptr) event.traced = formats.format(attr.config);
    if (attr.type == abi::kDecodedType) event.decoded = static_cast<abi::DecodedEvent>(attr.config);
    event.bare_name = names[i];
    event.address_has_symbol = is_page_fault(attr);
    event.shows_target =
        (event.fields & f::Addr) != 0 || (attr.samples(abi::sample_bit::Addr) && !fields.user_set(type));
    const u64 kind = event.fields & kLineFields;
    const auto known = std::find(line_kinds.begin(), line_kinds.end(), kind);
    event.line_kind = static_cast<u32>(known - line_kinds.begin());
    if (known == line_kinds.end()) line_kinds.push_back(kind);
    events.push_back(std::move(event));
  }
  // A pipe may announce events after its first samples, but whatever the user requests of them must be known by then.
  for (std::size_t type = 0; type < kScriptTypes; ++type)
    in_sequence = in_sequence || are_in_sequence(fields.rows(), fields.chosen(static_cast<ScriptType>(type)), false);
}

bool ScriptPlan::needs_single_worker() const {
  return relative || delta || in_sequence || check_order || event_switch.any() || !graph_functions.empty() ||
         std::ranges::any_of(events, &ScriptEvent::in_sequence);
}

bool ScriptPlan::names_cgroups() const {
  return std::ranges::any_of(events, [](const ScriptEvent& event) { return (event.fields & f::Cgroup) != 0; });
}

void ScriptPlan::take_events(ScriptPlan grown) {
  events = std::move(grown.events);
  line_kinds = std::move(grown.line_kinds);
  counters = std::move(grown.counters);
}

}  // namespace peregrine
