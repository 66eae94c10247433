// Unwinder: computes the return addresses of all callers from registers and stack bytes.
//
//   registers, pc ──CodeLookup──▶ CFI rules    CFA = register + offset; saved registers at CFA + n ──┐
//        ▲                     ├▶ trampoline   all registers, from the signal frame on the stack ────┤
//        │                     └▶ neither      [fp]: caller's fp, [fp + word]: return address ───────┤
//        └───────────────────────────────── the caller's registers and pc ◀──────────────────────────┘
//
// Frame by frame, the CFI rules of the pc give the caller's registers. Without CFI, a signal trampoline is recognized
// by its bytes; otherwise the frame pointer chain is followed if it is plausible: on the stack, above the frame, and
// with a return address in executable memory. Every stop has a cause. No allocations.
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"
#include "symbol/cfi/cfi_table.h"
#include "unwind/code_lookup.h"
#include "unwind/frame_registers.h"
#include "unwind/stack_memory.h"
#include "unwind/unwind_arch.h"

namespace peregrine {

enum class UnwindStop : u8 {
  Ended,        // the outermost frame was reached
  CutOff,       // the stack dump ends before the stack
  NoCfi,        // neither CFI nor a frame pointer to follow
  BadMemory,    // a rule needs memory that was not recorded, or a lost register
  BadRules,     // invalid CFI
  DepthLimit,   // frame limit reached
  NoProgress,   // the caller would be the same frame
  Unsupported,  // an instruction set without support
};
inline constexpr std::size_t kUnwindStops = 8;

// Number of stacks by stop reason.
struct UnwindCounts {
  std::array<u64, kUnwindStops> stacks{};

  u64 of(UnwindStop stop) const { return stacks[static_cast<std::size_t>(stop)]; }
  void add(const UnwindCounts& other) {
    for (std::size_t i = 0; i < kUnwindStops; ++i) stacks[i] += other.stacks[i];
  }
};

struct UnwindInput {
  const UnwindArch* arch = nullptr;
  FrameRegisters registers;
  u64 pc = 0;
  StackMemory stack;
};

struct UnwindLimits {
  unsigned frames = 127;
  // linux-perf shows callers by the last byte of the call instruction; recordings contain return addresses.
  bool callers_minus_one = true;
};

// Builds the input from a sample's registers (perf's numbers, one per bit of `mask`) and stack. False if pc or sp is
// missing.
bool make_unwind_input(const UnwindArch& arch, u64 mask, std::span<const u64> values, Bytes stack, bool stack_cut,
                       ByteOrder order, UnwindInput& out);

class Unwinder {
 public:
  explicit Unwinder(CodeLookup& lookup) : lookup_(lookup) {}

  // Appends the pc, then a return address per caller.
  UnwindStop unwind(UnwindInput& input, const UnwindLimits& limits, std::vector<u64>& out);

 private:
  enum class Step : u8 { Called, Interrupted, Stop };
  Step step(PcKind kind);
  Step step_by_rules(const CodeAt& code);
  Step step_over_signal();
  Step step_by_frame_pointer();
  Step stop(UnwindStop cause) {
    stop_ = cause;
    return Step::Stop;
  }
  Step stop_at(u64 address);
  bool cfa_of(const CodeAt& code, u64& cfa);
  bool value_of(const CodeAt& code, const CfiRegisterRule& rule, u64 cfa, u64& value);
  bool read(u64 address, u64& value);
  bool evaluate(const CodeAt& code, i32 expression, std::optional<u64> initial, u64& value);
  u64 unsigned_address(u64 address);

  CodeLookup& lookup_;
  UnwindInput* at_ = nullptr;  // replaced by the caller's at each step
  UnwindStop stop_ = UnwindStop::Ended;
};

}  // namespace peregrine
