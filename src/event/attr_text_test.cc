#include "event/attr_text.h"

#include <gtest/gtest.h>
#include <linux/perf_event.h>

#include <algorithm>
#include <optional>

namespace peregrine {
namespace {

// A reader of `evlist -v` must see every non-zero field.
TEST(AttrFields, EachFieldIsShownUnlessItIsZero) {
  struct Case {
    void (*set)(abi::EventAttr&);
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {[](auto& a) { a.type = 4; }, "type: 4"},
      {[](auto& a) { a.config = 0x1a8; }, "config: 0x1a8"},
      {[](auto& a) { a.sample_period = 4000; }, "{ sample_period, sample_freq }: 4000"},
      {[](auto& a) { a.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME; }, "sample_type: IP|TIME"},
      {[](auto& a) { a.read_format = PERF_FORMAT_GROUP; }, "read_format: GROUP"},
      {[](auto& a) { a.set_precise_ip(2); }, "precise_ip: 2"},
      {[](auto& a) { a.set(abi::attr_flag::Mmap2); }, "mmap2: 1"},
      {[](auto& a) { a.wakeup_events = 1; }, "{ wakeup_events, wakeup_watermark }: 1"},
      {[](auto& a) { a.bp_type = 3; }, "bp_type: 3"},
      {[](auto& a) { a.config1 = 0x1000; }, "{ bp_addr, config1 }: 0x1000"},
      {[](auto& a) { a.config2 = 8; }, "{ bp_len, config2 }: 0x8"},
      {[](auto& a) { a.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER; },
       "branch_sample_type: USER|ANY"},
      {[](auto& a) { a.sample_regs_user = 0xff; }, "sample_regs_user: 0xff"},
      {[](auto& a) { a.sample_stack_user = 8192; }, "sample_stack_user: 8192"},
      {[](auto& a) { a.clockid = 1; }, "clockid: 1"},
      {[](auto& a) { a.clockid = -2; }, "clockid: -2"},
      {[](auto& a) { a.sample_regs_intr = 1; }, "sample_regs_intr: 0x1"},
      {[](auto& a) { a.aux_watermark = 65536; }, "aux_watermark: 65536"},
      {[](auto& a) { a.sample_max_stack = 127; }, "sample_max_stack: 127"},
      {[](auto& a) { a.aux_sample_size = 4096; }, "aux_sample_size: 4096"},
      {[](auto& a) { a.aux_action = 1; }, "aux_start_paused: 1"},
      {[](auto& a) { a.aux_action = 6; }, "aux_pause: 1, aux_resume: 1"},
      {[](auto& a) { a.sig_data = 9; }, "sig_data: 9"},
      {[](auto& a) { a.config3 = 0x33; }, "config3: 0x33"},
      {[](auto& a) { a.config4 = 0x44; }, "config4: 0x44"},
  };
  for (const auto& [set, text] : kCases) {
    abi::EventAttr attr;
    attr.size = 0;
    EXPECT_EQ(attr_text(attr), "");
    set(attr);
    EXPECT_EQ(attr_text(attr), text);
  }
}

// Bits by the kernel's constants, named as in its header.
TEST(AttrBits, AreNamedLikeTheKernelsConstants) {
  struct Case {
    u64 bit;
    std::string_view name;
  };
  constexpr Case kSampled[] = {
      {PERF_SAMPLE_IP, "IP"},
      {PERF_SAMPLE_TID, "TID"},
      {PERF_SAMPLE_CALLCHAIN, "CALLCHAIN"},
      {PERF_SAMPLE_STREAM_ID, "STREAM_ID"},
      {PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK"},
      {PERF_SAMPLE_STACK_USER, "STACK_USER"},
      {PERF_SAMPLE_DATA_SRC, "DATA_SRC"},
      {PERF_SAMPLE_IDENTIFIER, "IDENTIFIER"},
      {PERF_SAMPLE_REGS_INTR, "REGS_INTR"},
      {PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR"},
      {PERF_SAMPLE_CGROUP, "CGROUP"},
      {PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT"},
  };
  for (const auto& [bit, name] : kSampled) EXPECT_EQ(sample_type_text(bit), name);
  constexpr Case kRead[] = {
      {PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED"},
      {PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING"},
      {PERF_FORMAT_ID, "ID"},
      {PERF_FORMAT_GROUP, "GROUP"},
  };
  for (const auto& [bit, name] : kRead) EXPECT_EQ(read_format_text(bit), name);
  constexpr Case kBranch[] = {
      {PERF_SAMPLE_BRANCH_HV, "HV"},
      {PERF_SAMPLE_BRANCH_ANY_RETURN, "ANY_RETURN"},
      {PERF_SAMPLE_BRANCH_COND, "COND"},
      {PERF_SAMPLE_BRANCH_CALL_STACK, "CALL_STACK"},
      {PERF_SAMPLE_BRANCH_CALL, "CALL"},
      {PERF_SAMPLE_BRANCH_NO_CYCLES, "NO_CYCLES"},
      {PERF_SAMPLE_BRANCH_HW_INDEX, "HW_INDEX"},
  };
  for (const auto& [bit, name] : kBranch) EXPECT_EQ(branch_type_text(bit), name);
}

TEST(AttrBits, AreJoinedFromTheLowestOn) {
  EXPECT_EQ(sample_type_text(PERF_SAMPLE_PERIOD | PERF_SAMPLE_IP | PERF_SAMPLE_TID), "IP|TID|PERIOD");
  EXPECT_EQ(sample_type_text(0), "");
  // Bits of newer kernels are omitted next to known ones.
  EXPECT_EQ(sample_type_text(PERF_SAMPLE_IP | u64{1} << 60), "IP");
}

TEST(AttrNumbers, HaveZerosAndFlagsToo) {
  abi::EventAttr attr;
  attr.config = 5;
  attr.clockid = -1;
  attr.set(abi::attr_flag::Freq);
  const auto numbers = attr_numbers(attr);
  const auto number = [&](std::string_view name) {
    const auto found = std::ranges::find(numbers, name, &std::pair<std::string_view, u64>::first);
    return found == numbers.end() ? std::optional<u64>() : found->second;
  };
  EXPECT_EQ(number("config"), 5u);
  EXPECT_EQ(number("type"), 0u);
  EXPECT_EQ(number("freq"), 1u);
  EXPECT_EQ(number("inherit"), 0u);
  EXPECT_EQ(number("clockid"), ~u64{0});
  EXPECT_EQ(number("nothing"), std::nullopt);
}

}  // namespace
}  // namespace peregrine
