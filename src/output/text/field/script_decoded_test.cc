#include "output/text/field/script_decoded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "abi/branch_flag.h"
#include "output/text/field/script_plan.h"
#include "support/byte_buffer.h"
#include "support/resolved_program.h"
#include "support/sample_lines.h"

namespace peregrine {
namespace {

namespace flag = abi::branch_flag;
using abi::DecodedEvent;
using support::ByteBuffer;

std::string flags_text(u32 flags) {
  ScriptText text;
  put_branch_flags(text, flags);
  return std::string(text.view());
}

TEST(BranchFlags, NameTheKindOfBranch) {
  struct Case {
    u32 flags;
    std::string_view text;
  };
  constexpr u32 kBranch = flag::IsBranch;
  constexpr Case kCases[] = {
      {kBranch, "  jmp                   "},
      {kBranch | flag::Conditional, "  jcc                   "},
      {kBranch | flag::Call, "  call                  "},
      {kBranch | flag::Return, "  return                "},
      {kBranch | flag::Call | flag::Syscall, "  syscall               "},
      {kBranch | flag::Return | flag::Syscall, "  sysret                "},
      {kBranch | flag::Call | flag::Interrupt, "  int                   "},
      {kBranch | flag::Return | flag::Interrupt, "  iret                  "},
      {kBranch | flag::Call | flag::Async | flag::Interrupt, "  hw int                "},
      {kBranch | flag::Abort, "  tx abrt               "},
      {kBranch | flag::TraceBegin, "  tr strt               "},
      {kBranch | flag::TraceEnd, "  tr end                "},
      {kBranch | flag::Call | flag::TraceEnd, "  tr end  call          "},
      {kBranch | flag::Return | flag::TraceBegin, "  tr strt return        "},
      {kBranch | flag::InTransaction, "  jmp             (x)   "},
      {kBranch | flag::Call | flag::TraceEnd | flag::InTransaction, "  tr end  call    (x)   "},
  };
  for (const Case& one : kCases) EXPECT_EQ(flags_text(one.flags), one.text) << one.flags;
}

TEST(BranchFlags, FillTheirColumnWhateverTheBitsAre) {
  for (u32 flags = 0; flags < 2048; ++flags) {
    const std::string text = flags_text(flags);
    EXPECT_EQ(text.size(), 24u) << flags << ": " << text;
    EXPECT_EQ(text.find("(x)") != std::string::npos, (flags & flag::InTransaction) != 0) << flags;
  }
}

// A 32-bit value and a 64-bit payload.
std::string decoded_text(DecodedEvent event, const ByteBuffer& raw) {
  ScriptText text;
  put_decoded(text, event, raw.bytes());
  return std::string(text.view());
}
std::string decoded_text(DecodedEvent event, u32 first, u64 payload) {
  return decoded_text(event, ByteBuffer().put32(first).put64(payload));
}

TEST(DecodedEvents, HaveTheirBitsAsNumbers) {
  struct Case {
    DecodedEvent event;
    u32 first;
    u64 payload;
    std::string_view text;
  };
  constexpr Case kCases[] = {
      {DecodedEvent::Ptwrite, 1, 0x100000001, " IP: 1 payload: 0x100000001 "},
      {DecodedEvent::Ptwrite, 2, 0, " IP: 0 payload: 0x0 "},
      {DecodedEvent::Ptwrite, 0, 0x6968, " IP: 0 payload: 0x6968 hi"},
      {DecodedEvent::Mwait, 0, 0x3'0000'0160, " hints: 0x60 extensions: 0x3 "},
      {DecodedEvent::PowerEntry, 0, 0x6a80, " hw: 1 cstate: 6 sub-cstate: 10 "},
      {DecodedEvent::PowerExit, 0, 0x865, " deepest cstate: 5 last cstate: 6 wake reason: 0x8 "},
      {DecodedEvent::CoreBusRatio, 20 | 16 << 16, 2'000'499, " cbr: 20 freq: 2000 MHz (125%) "},
      {DecodedEvent::CoreBusRatio, 8, 800'500, " cbr:  8 freq:  801 MHz "},
      {DecodedEvent::Synchronisation, 0, 0, " psb offs: 0 "},
      {DecodedEvent::Synchronisation, 0, 0x1ff0, " psb offs: 0x1ff0 "},
  };
  constexpr std::size_t kWidth = 34;
  for (const Case& one : kCases) {
    std::string padded(one.text);
    padded.resize(std::max(padded.size(), kWidth), ' ');
    EXPECT_EQ(decoded_text(one.event, one.first, one.payload), padded);
  }
}

TEST(DecodedEvents, AnExecutionStopHasNoPayload) {
  EXPECT_EQ(decoded_text(DecodedEvent::ExStop, ByteBuffer().put32(1)), " IP: 1                            ");
}

TEST(DecodedEvents, PayloadsAreTextOnlyIfAllTheirBytesAre) {
  const auto ends_in_text = [](u64 payload) { return !decoded_text(DecodedEvent::Ptwrite, 0, payload).ends_with(' '); };
  EXPECT_TRUE(ends_in_text(0x6867666564636261));  // "abcdefgh" makes the text wider than its column
  EXPECT_EQ(decoded_text(DecodedEvent::Ptwrite, 0, 0x6867666564636261), " IP: 0 payload: 0x6867666564636261 abcdefgh");
  EXPECT_FALSE(ends_in_text(0x686766656463621b)) << "an escape";
  EXPECT_FALSE(ends_in_text(0x6867666564636200)) << "a zero before the end";
  EXPECT_FALSE(ends_in_text(0xe867666564636261)) << "not ASCII";
}

TEST(DecodedEvents, CutOnesPrintNothing) {
  for (const auto event : {DecodedEvent::Ptwrite, DecodedEvent::Mwait, DecodedEvent::PowerEntry, DecodedEvent::ExStop,
                           DecodedEvent::PowerExit, DecodedEvent::CoreBusRatio, DecodedEvent::Synchronisation}) {
    SCOPED_TRACE(static_cast<int>(event));
    EXPECT_EQ(decoded_text(event, ByteBuffer()), "");
    EXPECT_EQ(decoded_text(event, ByteBuffer().zeros(3)), "");
    if (event != DecodedEvent::ExStop) {
      EXPECT_EQ(decoded_text(event, ByteBuffer().zeros(11)), "");
    }
  }
}

// Samples of `branches:u` with a period of 1, or from a trace decoder: from ip to addr.
class BranchRecords : public ::testing::Test {
 protected:
  BranchRecords() {
    lines.attr.type = static_cast<u32>(abi::EventType::Hardware);
    lines.attr.config = static_cast<u64>(abi::HardwareEvent::BranchInstructions);
    lines.attr.sample_period = 1;
    lines.sample.addr = support::ResolvedProgram::kInner;
  }
  void trace(u32 flags, u32 depth = 0) {
    lines.sample.fields |= abi::sample_bit::Traced;
    lines.sample.traced = {.flags = flag::IsBranch | flags, .depth = depth};
  }
  support::SampleLines lines;
};

TEST_F(BranchRecords, LeadFromAnAddressToAnother) {
  const std::string dso = " (" + lines.program.file() + ")";
  EXPECT_EQ(lines.print("event,ip,sym,symoff,dso,addr"),
            "cycles:u:            401010 outer+0x10" + dso + " =>           401100 inner+0x0" + dso + "\n");
  EXPECT_EQ(lines.print("ip,addr"), "           401010 =>           401100\n");
}

TEST_F(BranchRecords, NeedAPeriodOfOne) {
  EXPECT_TRUE(is_branch_record(lines.attr));
  lines.attr.flags = abi::attr_flag::Freq;
  EXPECT_FALSE(is_branch_record(lines.attr));
  lines.attr.flags = 0;
  lines.attr.sample_period = 2;
  EXPECT_FALSE(is_branch_record(lines.attr));
}

TEST_F(BranchRecords, FlagsAreThoseOfTheDecoder) {
  trace(flag::Call | flag::Syscall);
  EXPECT_EQ(lines.print("flags,event"), "cycles:u:   syscall               \n");
}

// How a call is recognized when the code is unknown: a branch to the start of a symbol.
TEST_F(BranchRecords, FlagsWithoutADecoderComeFromTheCode) {
  lines.sample.ip = 0x700000;
  EXPECT_EQ(lines.print("flags,event"), "cycles:u:   call                  \n");
  lines.sample.addr += 4;
  EXPECT_EQ(lines.print("flags,event"), "cycles:u:   jmp                   \n");
}

TEST_F(BranchRecords, CallsAreIndentedByTheirDepth) {
  trace(flag::Call, 2);
  const std::string text = lines.print("event,callindent,addr");
  EXPECT_TRUE(text.starts_with("cycles:u:         inner ")) << text;
  trace(flag::Return, 1);
  EXPECT_TRUE(lines.print("event,callindent,addr").starts_with("cycles:u:         outer ")) << "the one it left";
}

TEST_F(BranchRecords, InstructionsPerCycleNeedACountOfCycles) {
  trace(0);
  EXPECT_EQ(lines.print("event,ipc"), "cycles:u: \n");
  lines.sample.traced.instructions = 7;
  lines.sample.traced.cycles = 4;
  EXPECT_EQ(lines.print("event,ipc"), "cycles:u: \t IPC: 1.75 (7/4) \n");
  lines.sample.traced = {.instructions = 2, .cycles = 300};
  EXPECT_EQ(lines.print("event,ipc"), "cycles:u: \t IPC: 0.00 (2/300) \n");
}

}  // namespace
}  // namespace peregrine
