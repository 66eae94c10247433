#include "event/kind/name.h"

#include <gtest/gtest.h>

#include "event/attr_text.h"

namespace peregrine {
namespace {

abi::EventAttr attr(u32 type, u64 config, u64 flags = abi::attr_flag::ExcludeGuest) {
  abi::EventAttr result;
  result.type = type;
  result.config = config;
  result.flags = flags;
  return result;
}

TEST(EventName, FromTheAttrAlone) {
  EXPECT_EQ(event_name(attr(0, 0)), "cycles");
  EXPECT_EQ(event_name(attr(0, 4)), "branches");
  EXPECT_EQ(event_name(attr(0, 10)), "unknown-hardware");
  EXPECT_EQ(event_name(attr(0, u64{4} << 32)), "cpu/cycles/");
  EXPECT_EQ(event_name(attr(1, 3)), "context-switches");
  EXPECT_EQ(event_name(attr(1, 10)), "unknown-software");
  EXPECT_EQ(event_name(attr(2, 5)), "unknown tracepoint");
  EXPECT_EQ(event_name(attr(3, 0x10000)), "L1-dcache-load-misses");
  EXPECT_EQ(event_name(attr(3, 0x203)), "dTLB-prefetches");
  EXPECT_EQ(event_name(attr(3, 0x101)), "invalid-cache");
  EXPECT_EQ(event_name(attr(3, 7)), "unknown-ext-hardware-cache-type");
  EXPECT_EQ(event_name(attr(3, 0x300)), "unknown-ext-hardware-cache-op");
  EXPECT_EQ(event_name(attr(3, 0x20000)), "unknown-ext-hardware-cache-result");
  EXPECT_EQ(event_name(attr(4, 0x80a2)), "raw 0x80a2");
  EXPECT_EQ(event_name(attr(0xffffffff, 0)), "unknown attr type: -1");
  auto breakpoint = attr(5, 0);
  breakpoint.bp_type = 3;
  breakpoint.config1 = 0x1000;
  EXPECT_EQ(event_name(breakpoint), "mem:0x1000:rw");
}

TEST(EventName, Modifiers) {
  namespace flag = abi::attr_flag;
  EXPECT_EQ(modifier_suffix(attr(0, 0, 0)), ":HG");
  EXPECT_EQ(modifier_suffix(attr(0, 0, flag::ExcludeHost)), ":G");
  EXPECT_EQ(modifier_suffix(attr(0, 0, flag::ExcludeUser)), ":kh");
  EXPECT_EQ(modifier_suffix(attr(0, 0, flag::ExcludeKernel | flag::ExcludeHv | flag::ExcludeGuest)), ":uH");
  auto precise = attr(1, 0);
  precise.set_precise_ip(3);
  EXPECT_EQ(event_name(precise), "cpu-clock:pppH");
  precise.set(flag::ExcludeGuest, false);
  EXPECT_EQ(event_name(precise), "cpu-clock:ppp");
}

TEST(AttrText, EveryFieldInOrder) {
  abi::EventAttr all;
  all.type = 1;
  all.config = 2;
  all.sample_period = 3;
  all.sample_type = (1u << 25) - 1;
  all.read_format = 31;
  all.flags = (u64{1} << 38) - 1;
  all.wakeup_events = 3;
  all.bp_type = 2;
  all.config1 = 5;
  all.config2 = 6;
  all.branch_sample_type = 9;
  all.sample_regs_user = 7;
  all.sample_stack_user = 8;
  all.clockid = -3;
  all.sample_regs_intr = 9;
  all.aux_watermark = 10;
  all.sample_max_stack = 11;
  all.aux_sample_size = 12;
  all.sig_data = 13;
  EXPECT_EQ(
      attr_text(all),
      "type: 1, size: 128, config: 0x2, { sample_period, sample_freq }: 3, sample_type: "
      "IP|TID|TIME|ADDR|READ|CALLCHAIN|ID|CPU|PERIOD|STREAM_ID|RAW|BRANCH_STACK|REGS_USER|STACK_USER|IDENTIFIER|REGS_"
      "INTR|"
      "DATA_SRC|WEIGHT|PHYS_ADDR|AUX|CGROUP|DATA_PAGE_SIZE|CODE_PAGE_SIZE|WEIGHT_STRUCT, read_format: "
      "TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING|ID|GROUP|LOST, disabled: 1, inherit: 1, pinned: 1, exclusive: 1, "
      "exclude_user: "
      "1, exclude_kernel: 1, exclude_hv: 1, exclude_idle: 1, mmap: 1, comm: 1, freq: 1, inherit_stat: 1, "
      "enable_on_exec: 1, "
      "task: 1, watermark: 1, precise_ip: 3, mmap_data: 1, sample_id_all: 1, exclude_host: 1, exclude_guest: 1, "
      "exclude_callchain_kernel: 1, exclude_callchain_user: 1, mmap2: 1, comm_exec: 1, use_clockid: 1, context_switch: "
      "1, "
      "write_backward: 1, namespaces: 1, ksymbol: 1, bpf_event: 1, aux_output: 1, cgroup: 1, text_poke: 1, build_id: "
      "1, "
      "inherit_thread: 1, remove_on_exec: 1, sigtrap: 1, { wakeup_events, wakeup_watermark }: 3, bp_type: 2, { "
      "bp_addr, "
      "config1 }: 0x5, { bp_len, config2 }: 0x6, branch_sample_type: USER|ANY, sample_regs_user: 0x7, "
      "sample_stack_user: 8, "
      "clockid: -3, sample_regs_intr: 0x9, aux_watermark: 10, sample_max_stack: 11, aux_sample_size: 12, sig_data: 13");
}

}  // namespace
}  // namespace peregrine
