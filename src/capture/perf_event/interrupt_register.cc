#include "capture/perf_event/interrupt_register.h"

#include "abi/arch/registers.h"
#include "abi/attr.h"
#include "base/fd.h"
#include "capture/perf_event/event_matrix.h"

namespace peregrine {

u64 interrupt_register_mask() {
  const auto& table = abi::register_table(abi::kHostArch);
  if (table.vector_mask == 0) return table.default_mask;
  abi::EventAttr attr;
  attr.sample_period = 1;
  attr.sample_type = abi::sample_bit::RegsIntr;
  attr.sample_regs_intr = table.vector_mask;
  attr.set_precise_ip(1);
  attr.set(abi::attr_flag::Disabled);
  attr.set(abi::attr_flag::ExcludeKernel);
  const Fd trial(open_event(attr, 0, -1, -1));
  return trial ? table.default_mask | table.vector_mask : table.default_mask;
}

}  // namespace peregrine
