#include "pipeline/decode/intel_pt/intel_pt_events.h"

#include <string>
#include <utility>

#include "abi/attr.h"
#include "base/types.h"
#include "data/header/evlist.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

abi::EventAttr attr_of_samples(const abi::EventAttr& traced, bool per_cpu) {
  abi::EventAttr attr = trace_sample_attr(traced);
  attr.sample_type |= bit::Time | (per_cpu ? traced.sample_type & bit::Cpu : 0);
  return attr;
}

}  // namespace

IntelPtEvents IntelPtEvents::add(TraceOutput& out, const data::Evlist& evlist, u32 traced, const IntelPtFacts& facts,
                                 const ItraceOptions& options) {
  IntelPtEvents events;
  abi::EventAttr attr = attr_of_samples(evlist[traced].attr, facts.per_cpu);
  if (options.branches) {
    abi::EventAttr its = attr;
    its.config = static_cast<u64>(abi::HardwareEvent::BranchInstructions);
    its.sample_type |= bit::Addr | bit::Period;
    events.branches = out.add_event(traced, "", its);
  }
  if (options.callchain) attr.sample_type |= bit::Callchain;
  if (options.last_branch) {
    attr.sample_type |= bit::BranchStack;
    attr.branch_sample_type |= abi::branch_bit::HwIndex;
  }
  attr.config = static_cast<u64>(abi::HardwareEvent::Instructions);
  events.period = options.unit == ItraceUnit::Nanoseconds ? facts.duration_in_ticks(options.period) : options.period;
  if (options.instructions) {
    abi::EventAttr its = attr;
    its.sample_type |= bit::Period;
    its.sample_period = events.period;
    events.instructions = out.add_event(traced, "", its);
  }
  if (options.transactions) events.transactions = out.add_event(traced, "transactions", attr);
  const auto add = [&](abi::DecodedEvent config, std::string name) {
    abi::EventAttr its = attr;
    its.type = abi::kDecodedType;
    its.sample_type |= bit::Raw;
    its.config = static_cast<u64>(config);
    return out.add_event(traced, std::move(name), its);
  };
  if (options.ptwrites) events.ptwrite = add(abi::DecodedEvent::Ptwrite, "ptwrite");
  if (!options.power) return events;
  events.cbr = add(abi::DecodedEvent::CoreBusRatio, "cbr");
  events.psb = add(abi::DecodedEvent::Synchronisation, "psb");
  events.mwait = add(abi::DecodedEvent::Mwait, "mwait");
  events.pwre = add(abi::DecodedEvent::PowerEntry, "pwre");
  events.exstop = add(abi::DecodedEvent::ExStop, "exstop");
  events.pwrx = add(abi::DecodedEvent::PowerExit, "pwrx");
  return events;
}

}  // namespace peregrine
