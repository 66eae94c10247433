// FlowDecoder: reconstructs what one processor executed from packets and code.
//
//   bytes ─▶ packets ─▶ the clock
//                  └─▶ walk through code: each block of instructions, each branch, each event, each gap ─▶ FlowSink
//
// A trace contains only the outcome of conditional branches, targets of indirect ones, and interrupted addresses; the
// rest is inferred from code. If code is unknown or does not match, decoding resumes at the next packet with an
// address. Guest execution is skipped: a branch leads into it and one out of it, with address 0 at the guest's end.
// Memory: one packet split across pieces.
#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/clock.h"
#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/intel_pt/pebs_record.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::auxtrace {

struct Branch {
  u64 from = 0, to = 0;  // 0: unknown, or outside the traced code
  u32 flags = 0;         // abi::branch_flag
  u8 length = 0;         // bytes of the instruction at `from`; 0 if unknown
};

// linux-perf's numbers, as in AUXTRACE_ERROR records.
enum class FlowError : u8 { BadPacket = 3, NoCode = 5, Mismatch = 6, Overflow = 7, Lost = 8, EndlessLoop = 10 };
std::string_view flow_error_text(FlowError error);

// Flags of the branch that ends a block: abi::branch_flag; 0 if none.
u32 exit_flags(Exit exit);

class FlowSink {
 public:
  virtual ~FlowSink() = default;
  // Instructions [first, last) of the block at `ip` were executed. `ending`: branch_flag::TraceEnd if tracing ended
  // with its final branch, else 0.
  virtual void executed(u64 ip, const Block& block, u32 first, u32 last, u32 ending) = 0;
  virtual void branch(const Branch& branch) = 0;
  // A packet that is an event: Psb, Cbr, Ptwrite, power; `ip`: its address, 0 if unknown.
  virtual void event(const Packet& packet, u64 ip) = 0;
  // A PEBS record; `ip` as for events.
  virtual void pebs(const PebsRecord& record, u64 ip) {
    static_cast<void>(record);
    static_cast<void>(ip);
  }
  virtual void error(FlowError error, u64 ip) = 0;
};

struct FlowFacts {
  ClockFacts clock;
  bool compressed_returns = false;  // a return to its call site is traced as a taken branch
};

class FlowDecoder {
 public:
  // `code` and `sink` must outlive this.
  FlowDecoder(const FlowFacts& facts, CodeSource& code, FlowSink& sink)
      : facts_(facts), clock_(facts.clock), code_(code), sink_(sink) {}

  // The next piece of the trace. `reference`: TSC when it was copied. `gap`: bytes are missing before it.
  void feed(Bytes piece, u64 reference, bool gap);
  // Decodes up to a packet with a time after `until` (TSC). Returns false if all bytes are used up.
  bool run(u64 until);

  const TraceClock& clock() const { return clock_; }
  // Trace offset of the packet being reported.
  u64 offset() const { return offset_; }

 private:
  enum class FupMeans : u8 { Interrupt, Resume, Transaction, Event };
  bool synchronise();
  void handle(const Packet& packet);
  void take_psb();
  void end_psb();
  void take_results(const Packet& packet);
  void take_target(const Packet& packet);
  void take_end(const Packet& packet);
  void take_place(const Packet& packet);
  void take_event(const Packet& packet);
  void put_event(const Packet& packet);
  void take_mode(const Packet& packet);
  bool passes_guest(const Packet& packet);
  void enter_guest();
  bool has_foreign_time(const Packet& packet);
  void begin_at(u64 ip);
  bool take_address(const Packet& packet);
  void lose_track();
  void fail(FlowError error, u64 ip);

  // Walks: flow_walk.cc.
  const Block* next_block();
  void run_to_exit(const Block& block, u32 ending = 0);
  void step(const Block& block, u64 to, u32 flags);
  bool walk_direct(const Block& block);
  void walk_results();
  bool walk_to_indirect(Branch& branch);
  bool walk_to(u64 ip);
  bool walk_to_end(bool has_target, u64 target, Branch& branch);
  void take_indirect(const Branch& branch, u64 to);
  bool loops();

  static constexpr std::size_t kCalls = 64;          // depth of the processor's return compression
  static constexpr unsigned kMostBranches = 100000;  // blocks without a packet or a branch outcome

  FlowFacts facts_;
  TraceClock clock_;
  CodeSource& code_;
  FlowSink& sink_;
  std::vector<std::byte> bytes_;
  std::size_t at_ = 0;
  u64 offset_ = 0;
  bool in_step_ = false;  // synchronized: a PSB was found
  bool in_psb_ = false;
  Packet psb_, psb_ratio_;  // the last one, and its CBR if that changed
  u64 psb_ip_ = 0;
  bool tracing_ = false;  // ip_ is the next instruction; else the last one, 0 if unknown
  bool overflown_ = false;
  u64 ip_ = 0, last_ip_ = 0;
  bool has_last_ip_ = false;
  unsigned bits_ = 64, next_bits_ = 64;
  unsigned item_bytes_ = 0;
  u64 group_ = 0;    // of the following items
  PebsRecord pebs_;  // incomplete
  u64 results_ = 0;  // outcomes of conditional branches not yet walked
  unsigned results_left_ = 0;
  bool waits_ = false;  // for the target of `indirect_`
  Branch indirect_;
  bool interrupted_ = false;  // at ip_: the next address is the target
  FupMeans fup_ = FupMeans::Interrupt;
  Packet fup_event_;
  u32 transaction_ = 0;  // abi::branch_flag::InTransaction while in one
  bool aborted_ = false;
  unsigned branches_ = 0;    // blocks since the last packet or outcome
  u64 loop_ip_ = 0;          // start of one of them
  bool guest_next_ = false;  // the last PIP was a guest's, so the next address is too
  bool in_guest_ = false;
  bool foreign_time_ = false;  // the last TSC was a guest's
  std::vector<u64> calls_;
};

}  // namespace peregrine::auxtrace
