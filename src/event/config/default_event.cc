#include "event/config/default_event.h"

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

EventSpec default_record_event(bool may_see_kernel, bool amd) {
  EventSpec spec;
  spec.name = may_see_kernel ? "cycles" : "cycles:u";
  spec.attr.type = static_cast<u32>(abi::EventType::Hardware);
  spec.attr.config = static_cast<u64>(abi::HardwareEvent::Cycles);
  spec.attr.set(abi::attr_flag::ExcludeGuest, !amd);
  spec.attr.set(abi::attr_flag::ExcludeKernel, !may_see_kernel);
  spec.precise_max = true;
  return spec;
}

EventSpec dummy_event() {
  EventSpec spec;
  spec.name = "dummy:HG";
  spec.attr.type = static_cast<u32>(abi::EventType::Software);
  spec.attr.config = static_cast<u64>(abi::SoftwareEvent::Dummy);
  spec.attr.sample_period = 1;
  return spec;
}

}  // namespace peregrine
