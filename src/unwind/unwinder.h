// Unwinder: registers and stack bytes of one moment → the return addresses of all callers.
//
// Frame by frame: the CFI rules of the pc give the caller's registers. Where no CFI covers the code, a signal
// trampoline is known by its bytes, and else the chain of frame pointers is followed, if what it points at looks like
// one: on the stack, above the frame, the return address in executable memory. Every stop has a cause. Nothing is
// allocated.
#pragma once
#include <array>
#include <optional>
#include <vector>

#include "unwind/code_lookup.h"
#include "unwind/frame_registers.h"
#include "unwind/stack_memory.h"
#include "unwind/unwind_arch.h"

namespace peregrine {

enum class UnwindStop : u8 {
  Ended,        // the outermost frame said so
  CutOff,       // the dump of the stack ends before the stack does
  NoCfi,        // code without CFI and without a frame pointer to follow
  BadMemory,    // a rule wants memory that nobody recorded, or a register that was lost
  BadRules,     // CFI that makes no sense
  DepthLimit,   // as many frames as were asked for
  NoProgress,   // the caller would be the frame itself
  Unsupported,  // registers of an instruction set that we do not unwind
};
inline constexpr std::size_t kUnwindStops = 8;

// Stacks by why they end.
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
  // linux-perf shows callers by the last byte of the call; recordings hold return addresses.
  bool callers_minus_one = true;
};

// The input of a sample's registers (by perf's numbers, one per bit of `mask`) and stack. False: without pc or sp.
bool make_unwind_input(const UnwindArch& arch, u64 mask, std::span<const u64> values, Bytes stack, bool stack_cut,
                       ByteOrder order, UnwindInput& out);

class Unwinder {
 public:
  explicit Unwinder(CodeLookup& lookup) : lookup_(lookup) {}

  // Appends the pc and then a return address per caller.
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
  UnwindInput* at_ = nullptr;  // becomes the caller's with each step
  UnwindStop stop_ = UnwindStop::Ended;
};

}  // namespace peregrine
