#include "auxtrace/arm_spe/samples.h"

#include <array>

#include "auxtrace/arm_spe/data_source.h"
#include "auxtrace/arm_spe/packet.h"
#include "base/types.h"

namespace peregrine {
namespace {

struct EventShape {
  SpeEventKind kind;
  std::string_view name;
  bool ItraceOptions::* letter;
  u64 of_events;  // records with any of these bits become samples of this event
};
constexpr auto kShapes = std::to_array<EventShape>({
    {SpeEventKind::L1Miss, "l1d-miss", &ItraceOptions::first_level, spe_event::L1Refill},
    {SpeEventKind::L1Access, "l1d-access", &ItraceOptions::first_level, spe_event::L1Access},
    {SpeEventKind::LastLevelMiss, "llc-miss", &ItraceOptions::last_level, spe_event::LastLevelMiss},
    {SpeEventKind::LastLevelAccess, "llc-access", &ItraceOptions::last_level, spe_event::LastLevelAccess},
    {SpeEventKind::TlbMiss, "tlb-miss", &ItraceOptions::tlb, spe_event::TlbWalk},
    {SpeEventKind::TlbAccess, "tlb-access", &ItraceOptions::tlb, spe_event::TlbAccess},
    {SpeEventKind::BranchMiss, "branch-miss", &ItraceOptions::branches, spe_event::Mispredicted},
    {SpeEventKind::RemoteAccess, "remote-access", &ItraceOptions::remote, spe_event::Remote},
    {SpeEventKind::Memory, "memory", &ItraceOptions::memory, 0},
});

bool samples_instructions(const ItraceOptions& options) {
  return options.instructions && options.unit == ItraceUnit::Instructions;
}

// Fields of the recorded event's sample_type to keep; linux-perf fills in no others.
constexpr u64 kKept = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Time | abi::sample_bit::Addr |
                      abi::sample_bit::Id | abi::sample_bit::StreamId | abi::sample_bit::Cpu | abi::sample_bit::Period |
                      abi::sample_bit::Identifier | abi::sample_bit::DataSrc | abi::sample_bit::Weight |
                      abi::sample_bit::PhysAddr;
constexpr u64 kAlways = abi::sample_bit::Ip | abi::sample_bit::Tid | abi::sample_bit::Period | abi::sample_bit::Addr |
                        abi::sample_bit::DataSrc | abi::sample_bit::Weight;
constexpr u64 kKeptFlags = abi::attr_flag::ExcludeUser | abi::attr_flag::ExcludeKernel | abi::attr_flag::ExcludeHv |
                           abi::attr_flag::ExcludeHost | abi::attr_flag::ExcludeGuest | abi::attr_flag::SampleIdAll;

}  // namespace

SpeEvents spe_events(const ItraceOptions& options, const abi::EventAttr& recorded, u64 recorded_id) {
  abi::EventAttr attr;
  attr.sample_type = (recorded.sample_type & kKept) | kAlways;
  attr.flags = recorded.flags & kKeptFlags;
  attr.read_format = recorded.read_format;
  constexpr u64 kFirstOfOurs = 1'000'000'000;  // above the ids that the kernel assigned
  u64 id = recorded_id + kFirstOfOurs;
  if (id == 0) id = 1;
  SpeEvents made;
  const auto add = [&](SpeEventKind kind, std::string_view name) { made.events.push_back({kind, name, attr, id++}); };
  for (const EventShape& shape : kShapes)
    if (options.*shape.letter) add(shape.kind, shape.name);
  if (samples_instructions(options)) {
    attr.config = static_cast<u64>(abi::HardwareEvent::Instructions);
    attr.sample_period = options.period;
    add(SpeEventKind::Instructions, "instructions");
    if (options.period > 1)
      made.warning =
          "Arm SPE has a hardware-based sample period.\nAdditional instruction events will be discarded by --itrace\n";
  } else if (options.instructions) {
    made.warning = "Only instruction-based sampling period is currently supported by Arm SPE.\n";
  }
  return made;
}

void SpeSampler::add(const SpeRecord& record, std::vector<SpeSample>& out) {
  if (record.damaged) return;
  SpeSample sample = {.ip = record.from_ip,
                      .addr = record.virt_addr,
                      .phys_addr = record.phys_addr,
                      .weight = record.latency,
                      .data_src = spe_data_source(record, midr_)};
  for (const EventShape& shape : kShapes) {
    if (!(options_.*shape.letter)) continue;
    const bool memory = shape.kind == SpeEventKind::Memory;
    if (memory ? sample.data_src == 0 : (record.events & shape.of_events) == 0) continue;
    sample.event = shape.kind;
    out.push_back(sample);
    if (shape.kind == SpeEventKind::BranchMiss) {
      out.back().addr = record.to_ip;
      out.back().phys_addr = 0;
      out.back().data_src = 0;
    }
  }
  if (!samples_instructions(options_) || ++since_instruction_ < options_.period) return;
  since_instruction_ = 0;
  sample.event = SpeEventKind::Instructions;
  sample.period = options_.period;
  out.push_back(sample);
}

}  // namespace peregrine
