#include "event/config/bpf_output_event.h"

#include <utility>

#include "abi/attr.h"

namespace peregrine {

namespace bit = abi::sample_bit;

void add_bpf_output_event(EventList& list, std::string_view name) {
  EventSpec spec;
  spec.name = name;
  spec.attr.type = static_cast<u32>(abi::EventType::Software);
  spec.attr.config = static_cast<u64>(abi::SoftwareEvent::BpfOutput);
  spec.leader = list.size();
  list.push_back(std::move(spec));
}

bool is_bpf_output_event(const EventSpec& spec, std::string_view name) {
  return spec.name == name && spec.attr.type == static_cast<u32>(abi::EventType::Software) &&
         spec.attr.config == static_cast<u64>(abi::SoftwareEvent::BpfOutput);
}

void settle_bpf_output_event(EventSpec& spec, u64 possible, u64 required) {
  abi::EventAttr& attr = spec.attr;
  attr.sample_type = (attr.sample_type & possible) | required;
  attr.set(abi::attr_flag::Freq, false);
  attr.set(abi::attr_flag::WriteBackward, false);
  attr.sample_period = 1;
  attr.sample_regs_user = attr.sample_regs_intr = attr.branch_sample_type = 0;
  attr.sample_stack_user = 0;
}

void settle_file_names_event(EventSpec& spec) {
  settle_bpf_output_event(spec, bit::Identifier | bit::Ip | bit::Id | bit::Cpu | bit::Period,
                          bit::Tid | bit::Time | bit::Raw);
}

}  // namespace peregrine
