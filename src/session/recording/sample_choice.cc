#include "session/recording/sample_choice.h"

#include <algorithm>
#include <expected>
#include <optional>
#include <utility>

#include "abi/attr.h"
#include "base/number/number_list.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "sys/hardware/cpu.h"

namespace peregrine {

Result<EventSwitch> find_event_switch(const SwitchedEvents& wanted, const std::vector<std::string>& names) {
  const auto find = [&](const std::string& name, std::string_view way) -> Result<std::optional<u32>> {
    if (name.empty()) return std::nullopt;
    const auto at = std::ranges::find(names, name);
    if (at == names.end()) return fail(ErrorKind::NotFound, "switch-{} event not found ({})", way, name);
    return static_cast<u32>(at - names.begin());
  };
  const auto on = find(wanted.on, "on");
  if (!on) return std::unexpected(on.error());
  const auto off = find(wanted.off, "off");
  if (!off) return std::unexpected(off.error());
  return EventSwitch(*on, *off, wanted.show);
}

bool samples_have_cpus(const data::Evlist& evlist, SessionListener& listener) {
  const auto has_cpu = [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Cpu); };
  if (std::ranges::all_of(evlist, has_cpu)) return true;
  listener.verbatim("File does not contain CPU events. Remove -C option to proceed.\n");
  return false;
}

bool records_chains(const data::Evlist& evlist) {
  return std::ranges::any_of(evlist,
                             [](const data::Event& event) { return event.attr.samples(abi::sample_bit::Callchain); });
}

Result<bool> choose_cpus(const std::string& cpus, const data::Evlist& evlist, SampleFilter& filter,
                         SessionListener& listener) {
  if (cpus.empty()) return true;
  if (!samples_have_cpus(evlist, listener)) return false;
  auto numbers = parse_number_list(cpus, kHighestCpu);
  if (!numbers) return fail(ErrorKind::Usage, "Invalid cpu_list");
  filter.cpus = std::move(*numbers);
  return true;
}

Result<std::vector<TimeRange>> choose_times(std::string_view text, const data::Reader& reader) {
  if (text.empty()) return std::vector<TimeRange>();
  const auto& span = reader.header().features.sample_times;
  return parse_time_ranges(text, span ? span->first : 0, span ? span->last : 0);
}

void check_stitching(const data::Evlist& evlist, SessionListener& listener) {
  const auto has_call_stack = [](const data::Event& event) {
    return (event.attr.branch_sample_type & abi::branch_bit::CallStack) != 0;
  };
  if (std::ranges::any_of(evlist, has_call_stack)) return;
  listener.verbatim(
      "Warning:\nCan't find LBR callchain. Switch off --stitch-lbr.\n"
      "Please apply --call-graph lbr when recording.\n");
}

}  // namespace peregrine
