#include "event/config/off_cpu_event.h"

#include "abi/attr.h"
#include "base/types.h"
#include "event/config/bpf_output_event.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;
constexpr u64 kGiven =
    bit::Identifier | bit::Ip | bit::Tid | bit::Time | bit::Id | bit::Cpu | bit::Period | bit::Callchain | bit::Cgroup;

}  // namespace

void add_off_cpu_event(EventList& list) { add_bpf_output_event(list, kOffCpuName); }

bool is_off_cpu_event(const EventSpec& spec) { return is_bpf_output_event(spec, kOffCpuName); }

void settle_off_cpu_event(EventSpec& spec) {
  settle_bpf_output_event(spec, kGiven, bit::Ip | bit::Tid | bit::Time | bit::Period);
}

}  // namespace peregrine
