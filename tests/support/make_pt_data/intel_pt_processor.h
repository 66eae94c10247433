// IntelPtProcessor: a model of one processor that traces user code: instructions go in, packets come out.
//
// Time is counted in TSC ticks and advances by kTicksPerInstruction per instruction, so that the same
// program gives the same trace. All processors share the clock and the list of traced branches.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "support/byte_buffer.h"
#include "support/intel_pt_packets.h"
#include "support/make_pt_data/x86_branch.h"

namespace peregrine::support {

struct IntelPtOptions {
  std::uint64_t psb_bytes = 16384;      // bytes of trace between two PSBs
  bool cyc = false, mtc = false;        // cycle-accurate mode; crystal clock packets
  bool return_compression = false;      // returns to the call's origin are one bit
  bool defer_tips = false;              // addresses wait until their branches fill a packet
  bool long_tnt = false;                // up to 47 branches in a packet
  bool branch_records = false;          // Intel BTS: a record for each branch, and no packets
  bool power = false;                   // the core sleeps in each system call
  std::uint64_t ptwrite_every = 0;      // interval in instructions at which one writes its number with PTWRITE; 0:
                                        // never
  std::uint64_t pebs_every = 0;         // interval in instructions at which one gets a PEBS record; 0: never
  std::uint64_t cbr_every = 0;          // interval in instructions at which the core clock changes; 0: never
  std::uint64_t overflow_after = 0;     // interval in instructions at which packets are lost; 0: never
  std::uint64_t overflow_length = 200;  // number of instructions with lost packets
};

// The clock rates of this machine: TSC 2 GHz, bus 100 MHz, crystal 25 MHz. The core clock is as fast as the TSC, or
// faster.
inline constexpr unsigned kTicksPerInstruction = 4, kTicksPerNanosecond = 2, kMaxNonTurboRatio = 20,
                          kTicksPerCrystalTick = 80, kMtcShift = 3, kTurboRatio = 28;

struct VirtualClock {
  std::uint64_t ticks = 2'000'000'000;
  std::uint64_t nanoseconds() const { return ticks / kTicksPerNanosecond; }
};

struct TracedBranch {
  std::uint64_t from = 0, to = 0;  // 0: outside the traced range
  std::string_view kind;           // jcc jmp call return syscall begin end overflow
  int tid = 0;
};

class IntelPtProcessor {
 public:
  IntelPtProcessor(const IntelPtOptions& options, VirtualClock& clock, std::vector<TracedBranch>& branches)
      : options_(options), clock_(clock), branches_(branches) {}

  // The kernel enables or disables tracing for a thread. Both happen in the kernel, which is not traced.
  void start(int tid);
  void stop();
  // The instruction at `ip` was executed; the next one is at `next`.
  void step(std::uint64_t ip, const X86Branch& branch, std::uint64_t next);
  // The kernel takes over before the instruction at `ip`.
  void interrupt(std::uint64_t ip);

  bool in_user_code() const { return enabled_; }
  const std::vector<std::byte>& bytes() const { return options_.branch_records ? records_.bytes() : packets_.bytes(); }

 private:
  static constexpr std::size_t kReturnStack = 64;

  void enter_instruction(std::uint64_t ip);
  void enable(std::uint64_t ip);
  void disable();
  void recover(std::uint64_t ip);
  void synchronize(std::uint64_t ip, bool in_user_code);
  void put_extras(std::uint64_t ip);
  void put_pebs(std::uint64_t ip);
  void pass_time();
  void put_time();
  void put_cycles();
  void conditional(bool taken);
  void indirect(std::uint64_t target);
  void push_return(std::uint64_t address);
  void returns(std::uint64_t target);
  void flush();
  void branch(std::uint64_t from, std::uint64_t to, std::string_view kind);
  std::uint64_t crystal() const { return clock_.ticks / kTicksPerCrystalTick; }

  const IntelPtOptions& options_;
  VirtualClock& clock_;
  std::vector<TracedBranch>& branches_;
  IntelPtPackets packets_;
  ByteBuffer records_;
  int tid_ = 0;
  bool enabled_ = false;    // user code is running
  bool lost_ = false;       // packets are being lost
  bool mode_told_ = false;  // since the last PSB
  std::uint64_t instructions_ = 0;
  std::size_t untold_ =
      0;  // direct branches since the last packet: a limit for decoders that follow them without more data
  unsigned ratio_ = kMaxNonTurboRatio;  // ratio of the core clock to the bus clock
  std::uint64_t psb_at_ = 0;            // bytes
  std::uint64_t cycles_told_at_ = 0, mtc_told_at_ = 0;
  std::uint64_t tnt_ = 0;  // the oldest branch in the highest bit
  unsigned tnt_count_ = 0;
  std::vector<std::uint64_t> tips_;  // waiting for tnt_
  std::vector<std::uint64_t> return_stack_;
};

}  // namespace peregrine::support
