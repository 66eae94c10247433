#include "session/recording/recorded_calls.h"

#include <gtest/gtest.h>

#include "support/built_recording.h"
#include "support/perf_data_builder.h"

namespace peregrine {
namespace {

abi::Arch arch_named(const char* name) {
  support::PerfDataBuilder data;
  data.attr({{"sample", "tid,time"}}).feature("arch", {{"text", name}});
  return recorded_arch_or_host(support::open_built(data));
}

TEST(RecordedArch, IsThisMachinesIfUnknown) {
  EXPECT_EQ(arch_named("aarch64"), abi::Arch::Arm64);
  EXPECT_EQ(arch_named("s390x"), abi::Arch::S390);
  EXPECT_EQ(arch_named("pdp11"), abi::kHostArch);
}

}  // namespace
}  // namespace peregrine
