// Tests which sessions share the counters of an event; tests/live covers opening them.
#include "capture/bpf/counting/cpu_event.h"

#include <gtest/gtest.h>

#include "base/types.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

abi::EventAttr shared_cycles() {
  abi::EventAttr attr;
  attr.config = static_cast<u64>(abi::HardwareEvent::Cycles);
  attr.set(flag::ExcludeHv);
  return attr;
}

TEST(SharedEventKey, IgnoresFieldsOfOneSession) {
  const SharedEventKey key = shared_event_key(shared_cycles());
  for (const u64 own : {flag::Disabled, flag::EnableOnExec, flag::Inherit, flag::InheritStat}) {
    abi::EventAttr attr = shared_cycles();
    attr.set(own);
    EXPECT_EQ(shared_event_key(attr), key) << own;
  }
  abi::EventAttr attr = shared_cycles();
  attr.read_format = abi::read_bit::Group | abi::read_bit::Id;
  attr.sample_type = abi::sample_bit::Identifier;
  attr.sample_period = 1000;
  EXPECT_EQ(shared_event_key(attr), key) << "formats and periods do not change a count";
}

// The size depends on the newest feature that a kernel knows, not on the counted event.
TEST(SharedEventKey, IgnoresTheSizeOfTheAttr) {
  abi::EventAttr attr = shared_cycles();
  attr.size = 72;
  attr.unknown_tail.assign(8, std::byte{});
  EXPECT_EQ(shared_event_key(attr), shared_event_key(shared_cycles()));
}

TEST(SharedEventKey, DiffersWhereTheCountDoes) {
  const SharedEventKey key = shared_event_key(shared_cycles());
  struct Case {
    const char* what;
    void (*change)(abi::EventAttr&);
  };
  const Case cases[] = {
      {"type", [](abi::EventAttr& attr) { attr.type = 4; }},
      {"config", [](abi::EventAttr& attr) { ++attr.config; }},
      {"config1", [](abi::EventAttr& attr) { attr.config1 = 1; }},
      {"config2", [](abi::EventAttr& attr) { attr.config2 = 1; }},
      {"user space only", [](abi::EventAttr& attr) { attr.set(flag::ExcludeKernel); }},
      {"kernel only", [](abi::EventAttr& attr) { attr.set(flag::ExcludeUser); }},
      {"with the hypervisor", [](abi::EventAttr& attr) { attr.set(flag::ExcludeHv, false); }},
      {"without guests", [](abi::EventAttr& attr) { attr.set(flag::ExcludeGuest); }},
      {"pinned", [](abi::EventAttr& attr) { attr.set(flag::Pinned); }},
  };
  for (const Case& each : cases) {
    abi::EventAttr attr = shared_cycles();
    each.change(attr);
    EXPECT_NE(shared_event_key(attr), key) << each.what;
  }
}

}  // namespace
}  // namespace peregrine
