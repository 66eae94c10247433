// Hand-made stacks: how the unwinder uses rules, memory and registers.
#include "unwind/unwinder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <string_view>

#include "abi/arch/registers.h"
#include "symbol/cfi/cfi_table_builder.h"
#include "unwind/expression.h"

namespace peregrine {
namespace {

using ::testing::ElementsAre;

constexpr u64 kStack = 0x7ffc0000;
constexpr unsigned kRsp = 7, kRbp = 6, kRip = 16;

// Code from 0x1000 to 0x9fff; rules as added.
class Code : public CodeLookup {
 public:
  CfiState& add(u64 start, u64 size, i32 cfa_offset, unsigned cfa_register = kRsp) {
    Run& run = runs_.emplace_back(Run{start, size, {}, 16, false});
    run.state.cfa_register = static_cast<u8>(cfa_register);
    run.state.cfa_value = cfa_offset;
    run.state.put(kRip, CfiRuleKind::AtOffset, -8);
    return run.state;
  }
  void returns_in(unsigned reg) { runs_.back().return_register = reg; }
  void is_signal_frame() { runs_.back().signal_frame = true; }
  i32 expression(std::string_view bytes) { return builder_.expression(std::as_bytes(std::span(bytes))).value(); }
  void trampoline_at(u64 pc) { trampoline_ = pc; }

  CodeAt at(u64 pc, PcKind kind) override {
    if (!built_) build();
    CodeAt code;
    code.executable = pc >= 0x1000 && pc < 0xa000;
    code.trampoline = pc == trampoline_;
    if (code.trampoline) return code;
    code.table = &table_;
    code.rules = table_.find(pc);
    if (kind == PcKind::Return && !(code.rules != nullptr && code.rules->signal_frame)) {
      code.rules = table_.find(pc - 1);
    }
    return code;
  }
  u64 bias(u64) override { return 0; }
  bool read(u64 address, std::span<std::byte> out) override {
    if (address != 0x5000) return false;
    std::ranges::fill(out, std::byte{0});
    out[0] = std::byte{0x42};
    return true;
  }

 private:
  struct Run {
    u64 start, size;
    CfiState state;
    u32 return_register;
    bool signal_frame;
  };
  void build() {
    for (const Run& run : runs_) {
      builder_.begin(run.start, run.size);
      builder_.row(run.start, run.state, run.return_register, run.signal_frame);
      builder_.end();
    }
    table_ = builder_.build();
    built_ = true;
  }
  std::deque<Run> runs_;
  CfiTableBuilder builder_{ByteOrder::Little};
  CfiTable table_;
  u64 trampoline_ = 0;
  bool built_ = false;
};

struct Sampled {
  abi::Arch arch = abi::Arch::X86;
  u64 registers_abi = 2;
  u64 pc = 0;
  std::map<unsigned, u64> registers;  // by DWARF number
  std::map<u64, u64> stack;           // words by offset from the stack pointer
  std::size_t stack_size = 0x100;
  bool cut = false;
  UnwindLimits limits{.callers_minus_one = false};
};

struct Unwound {
  UnwindStop stop;
  std::vector<u64> frames;
};

Unwound unwind(Code& code, Sampled from) {
  const UnwindArch& arch = *unwind_arch(from.arch, from.registers_abi);
  std::vector<std::byte> bytes(from.stack_size);
  for (const auto& [offset, word] : from.stack) std::memcpy(bytes.data() + offset, &word, arch.word_size);
  from.registers.try_emplace(arch.stack_register, kStack);
  u64 mask = u64{1} << arch.perf_pc;
  std::map<unsigned, u64> by_perf{{arch.perf_pc, from.pc}};
  for (const auto& [reg, value] : from.registers) {
    by_perf[arch.perf_numbers[reg]] = value;
    mask |= u64{1} << arch.perf_numbers[reg];
  }
  std::vector<u64> values;
  for (const auto& [bit, value] : by_perf) values.push_back(value);
  UnwindInput input;
  EXPECT_TRUE(make_unwind_input(arch, mask, values, bytes, from.cut, ByteOrder::Little, input));
  Unwound result;
  result.stop = Unwinder(code).unwind(input, from.limits, result.frames);
  return result;
}

TEST(Unwinder, FollowsRulesToTheOutermostFrame) {
  Code code;
  code.add(0x1000, 0x100, 16);
  code.add(0x2000, 0x100, 32).put(kRbp, CfiRuleKind::AtOffset, -16);
  code.add(0x3000, 0x100, 16, kRbp).put(kRip, CfiRuleKind::Undefined);
  const Unwound result = unwind(code, {.pc = 0x1010, .stack = {{8, 0x2010}, {0x20, 0x1234}, {0x28, 0x3010}}});
  EXPECT_EQ(result.stop, UnwindStop::Ended) << int(result.stop);
  EXPECT_THAT(result.frames, ElementsAre(0x1010, 0x2010, 0x3010));
}

TEST(Unwinder, GivesCallersByTheirCallsLastByte) {
  Code code;
  code.add(0x1000, 0x100, 16);
  const Sampled sampled{.pc = 0x1010, .stack = {{8, 0x2100}}, .limits = {.callers_minus_one = true}};
  EXPECT_THAT(unwind(code, sampled).frames, ElementsAre(0x1010, 0x20ff));
}

TEST(Unwinder, FindsTheRulesOfACallThatNeverReturns) {
  Code code;
  code.add(0x1000, 0x100, 8);
  code.add(0x2000, 0x100, 16);  // its last instruction is the call
  code.add(0x2100, 0x100, 64);
  code.add(0x3000, 0x100, 8).put(kRip, CfiRuleKind::Undefined);
  const Unwound result = unwind(code, {.pc = 0x1000, .stack = {{0, 0x2100}, {16, 0x3001}}});
  EXPECT_THAT(result.frames, ElementsAre(0x1000, 0x2100, 0x3001));
}

TEST(Unwinder, TellsACutDumpFromBadMemory) {
  Code code;
  code.add(0x1000, 0x100, 0x1000);
  EXPECT_EQ(unwind(code, {.pc = 0x1010, .cut = true}).stop, UnwindStop::CutOff);
  EXPECT_EQ(unwind(code, {.pc = 0x1010, .cut = false}).stop, UnwindStop::BadMemory);
}

TEST(Unwinder, StopsAtTheLimitAndWhereNothingMoves) {
  Code code;
  code.add(0x1000, 0x100, 8);
  std::map<u64, u64> stack;
  for (u64 at = 0; at < 0x100; at += 8) stack[at] = 0x1010;
  const Unwound limited = unwind(code, {.pc = 0x1010, .stack = stack, .limits = {.frames = 5}});
  EXPECT_EQ(limited.stop, UnwindStop::DepthLimit);
  EXPECT_EQ(limited.frames.size(), 5u);
  Code still;
  still.add(0x1000, 0x100, 0);
  EXPECT_EQ(unwind(still, {.pc = 0x1010, .registers = {{kRsp, kStack}}}).stop, UnwindStop::BadMemory);
}

TEST(Unwinder, FollowsFramePointersWhereNoCfiIs) {
  Code code;
  code.add(0x2000, 0x100, 16).put(kRip, CfiRuleKind::Undefined);
  const Sampled good{.pc = 0x1010, .registers = {{kRbp, kStack + 0x10}}, .stack = {{0x10, 0}, {0x18, 0x2010}}};
  EXPECT_THAT(unwind(code, good).frames, ElementsAre(0x1010, 0x2010));
  Sampled no_code = good;
  no_code.stack[0x18] = 0xffff0000;  // not executable
  EXPECT_EQ(unwind(code, no_code).stop, UnwindStop::NoCfi);
  Sampled below = good;
  below.registers[kRbp] = kStack - 0x10;
  EXPECT_EQ(unwind(code, below).stop, UnwindStop::NoCfi);
}

TEST(Unwinder, StepsOverASignalToTheExactInstruction) {
  Code code;
  code.add(0x1000, 0x100, 8);
  code.add(0x2000, 0x100, 0x60);  // the trampoline returns here by CFI
  code.is_signal_frame();
  code.add(0x3000, 0x100, 8).put(kRip, CfiRuleKind::Undefined);
  const Sampled sampled{.pc = 0x1010, .stack = {{0, 0x2000}, {0x60, 0x3000}}, .limits = {.callers_minus_one = true}};
  EXPECT_THAT(unwind(code, sampled).frames, ElementsAre(0x1010, 0x1fff, 0x3000));
}

TEST(Unwinder, KnowsATrampolineByItsBytes) {
  Code code;
  code.add(0x1000, 0x100, 8);
  code.add(0x3000, 0x100, 8).put(kRip, CfiRuleKind::Undefined);
  code.trampoline_at(0x2000);
  // rip is 168 bytes after the ucontext, which is at the stack pointer after the handler returns.
  const Unwound result = unwind(code, {.pc = 0x1010, .stack = {{0, 0x2000}, {8 + 168, 0x3000}, {8 + 160, kStack}}});
  EXPECT_THAT(result.frames, ElementsAre(0x1010, 0x2000, 0x3000));
}

TEST(Unwinder, EvaluatesExpressionsOfStackAndCode) {
  Code code;
  CfiState& state = code.add(0x1000, 0x100, 0);
  state.cfa_register = CfiRules::kExpression;
  state.cfa_value = code.expression(std::string_view("\x77\x08\x06", 3));  // *(rsp + 8)
  CfiState& other = code.add(0x2000, 0x100, 8);
  other.put(kRip, CfiRuleKind::IsExpression, code.expression(std::string_view("\x0a\x00\x50\x06", 4)));  // *0x5000
  const Unwound result = unwind(code, {.pc = 0x1010, .stack = {{8, kStack + 0x20}, {0x18, 0x2010}}});
  EXPECT_THAT(result.frames, ElementsAre(0x1010, 0x2010, 0x42));
}

TEST(Unwinder, UnwindsThirtyTwoBitPrograms) {
  Code code;
  CfiState& state = code.add(0x1000, 0x100, 8, 4);
  state.put(kRip, CfiRuleKind::SameValue);
  state.put(8, CfiRuleKind::AtOffset, -4);
  code.returns_in(8);
  const Unwound result = unwind(code, {.registers_abi = 1, .pc = 0x1010, .stack = {{4, 0x2010}}});
  EXPECT_THAT(result.frames, ElementsAre(0x1010, 0x2010));
}

TEST(Unwinder, TakesSignaturesOffArmReturnAddresses) {
  Code code;
  CfiState& leaf = code.add(0x1000, 0x100, 0, 31);
  leaf.put(kRip, CfiRuleKind::SameValue);
  code.returns_in(30);
  CfiState& caller = code.add(0x2000, 0x100, 16, 31);
  caller.put(kRip, CfiRuleKind::SameValue);
  caller.put(30, CfiRuleKind::AtOffset, -8);
  code.returns_in(30);
  const Unwound result = unwind(
      code, {.arch = abi::Arch::Arm64, .pc = 0x1010, .registers = {{30, 0x2010}}, .stack = {{8, 0x00a1000000003010}}});
  EXPECT_THAT(result.frames, ElementsAre(0x1010, 0x2010, 0x3010));
}

ExpressionResult evaluate(std::string_view bytes) {
  Code code;
  const FrameRegisters registers;
  const StackMemory stack(kStack, {}, ByteOrder::Little, 8, false);
  const ExpressionContext context{registers, stack, code};
  return evaluate_expression(std::as_bytes(std::span(bytes)), std::nullopt, context);
}

TEST(Expression, Calculates) {
  EXPECT_EQ(evaluate("\x35\x33\x1c").value, 2u);                                   // 5 - 3
  EXPECT_EQ(evaluate("\x35\x33\x16\x1c").value, ~u64{1});                          // swapped
  EXPECT_EQ(evaluate("\x3b\x3b\x2a\x33\x24").value, 8u);                           // (11 >= 11) << 3, as in a PLT
  EXPECT_EQ(evaluate(std::string_view("\x31\x28\x01\x00\x32\x33", 6)).value, 3u);  // a branch over the 2
  EXPECT_EQ(evaluate("\x09\xf8\x33\x1b").value, ~u64{1});                          // -8 / 3
}

TEST(Expression, EndsWhateverItIsGiven) {
  EXPECT_EQ(evaluate("").fault, ExpressionFault::Malformed);
  EXPECT_EQ(evaluate("\x22").fault, ExpressionFault::Malformed);
  EXPECT_EQ(evaluate("\x31\x30\x1b").fault, ExpressionFault::Malformed);  // 1 / 0
  EXPECT_EQ(evaluate("\x70\x00").fault, ExpressionFault::Memory);         // no such register
  EXPECT_EQ(evaluate("\x2f\xfd\xff").fault, ExpressionFault::Malformed);  // jumps to itself forever
  EXPECT_EQ(evaluate(std::string(100, '\x31')).fault, ExpressionFault::Malformed);
}

}  // namespace
}  // namespace peregrine
