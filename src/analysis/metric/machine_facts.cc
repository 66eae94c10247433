#include "analysis/metric/machine_facts.h"

#include <optional>
#include <string>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/types.h"
#include "event/kind/machine_number.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "sys/hardware/cpu.h"
#include "sys/root.h"

namespace peregrine {

namespace {

std::optional<u64> register_value(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return std::nullopt;
  return parse_prefixed_number<u64>(text);
}

std::string running_cpu(const EventSources& sources) {
  if (!sources.cpuid.empty()) return sources.cpuid;
  const Root& root = sources.root();
  if (const auto midr = root.line("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1")) return *midr;
  return cpuid_pmu_text(cpu_identity(root));
}

}  // namespace

// MIDR_EL1 (Arm architecture manual): variant in bits 20 to 23, revision in bits 0 to 3. Later steppings of the named
// part match too.
bool is_same_cpu(std::string_view named, std::string_view running) {
  constexpr u64 kVariant = 0xf00000, kRevision = 0xf;
  const auto a = register_value(named), b = register_value(running);
  if (!a || !b) return named == running;
  constexpr u64 kPart = ~(kVariant | kRevision);
  const auto age = [](u64 value) { return (value & kVariant) >> 16 | (value & kRevision); };
  return (*a & kPart) == (*b & kPart) && age(*b) >= age(*a);
}

MetricFacts machine_facts(EventSources& sources, const CountedCpus& counted) {
  return {.literal = [&sources, counted](std::string_view name) { return machine_number(sources, counted, name); },
          .has_event =
              [&sources](std::string_view event) {
                EventList found;
                return parse_events(event, sources, found).has_value() && !found.empty();
              },
          .is_cpu = [&sources](std::string_view cpuid) { return is_same_cpu(cpuid, running_cpu(sources)); }};
}

}  // namespace peregrine
