#include "pipeline/decode/vm_times.h"

#include <gtest/gtest.h>

namespace peregrine {
namespace {

TEST(VmTimes, ParsesOffsetsAndGuests) {
  const auto options = parse_vm_time_options("dry-run 0xffffe42722c64c41 17:0x1bff6a,5");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->dry_run);
  ASSERT_EQ(options->offsets.size(), 2u);
  EXPECT_EQ(options->offsets[0].ticks, 0xffffe42722c64c41u);
  EXPECT_TRUE(options->offsets[0].vmcs.empty());
  EXPECT_EQ(options->offsets[1].ticks, 17u);
  EXPECT_EQ(options->offsets[1].vmcs, (std::vector<u64>{0x1bff6a, 5}));
  EXPECT_TRUE(parse_vm_time_options("")->offsets.empty());
}

TEST(VmTimes, RejectsWhatIsNoOffset) {
  for (const char* text : {"dry", "0x", "1:", "1:a", "1 2", "1 dry-run", "1:2,,3"})
    EXPECT_FALSE(parse_vm_time_options(text)) << text;
}

}  // namespace
}  // namespace peregrine
