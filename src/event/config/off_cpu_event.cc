#include "event/config/off_cpu_event.h"

#include <utility>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;
constexpr u64 kGiven =
    bit::Identifier | bit::Ip | bit::Tid | bit::Time | bit::Id | bit::Cpu | bit::Period | bit::Callchain | bit::Cgroup;

}  // namespace

void add_off_cpu_event(EventList& list) {
  EventSpec spec;
  spec.name = kOffCpuName;
  spec.attr.type = static_cast<u32>(abi::EventType::Software);
  spec.attr.config = static_cast<u64>(abi::SoftwareEvent::BpfOutput);
  spec.leader = list.size();
  list.push_back(std::move(spec));
}

bool is_off_cpu_event(const EventSpec& spec) {
  return spec.name == kOffCpuName && spec.attr.type == static_cast<u32>(abi::EventType::Software) &&
         spec.attr.config == static_cast<u64>(abi::SoftwareEvent::BpfOutput);
}

void settle_off_cpu_event(EventSpec& spec) {
  abi::EventAttr& attr = spec.attr;
  attr.sample_type = (attr.sample_type & kGiven) | bit::Ip | bit::Tid | bit::Time | bit::Period;
  attr.set(abi::attr_flag::Freq, false);
  attr.set(abi::attr_flag::WriteBackward, false);
  attr.sample_period = 1;
  attr.sample_regs_user = attr.sample_regs_intr = attr.branch_sample_type = 0;
  attr.sample_stack_user = 0;
}

}  // namespace peregrine
