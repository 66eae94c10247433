#include "support/make_pt_data/intel_pt_processor.h"

#include <algorithm>
#include <cstddef>

namespace peregrine::support {

void IntelPtProcessor::start(int tid) {
  tid_ = tid;
  if (!lost_) synchronize(0, false);
}

void IntelPtProcessor::stop() { packets_.pad_to(8); }

// PSB and everything that a decoder needs in order to start there.
void IntelPtProcessor::synchronize(std::uint64_t ip, bool in_user_code) {
  flush();
  psb_at_ = packets_.size();
  return_stack_.clear();
  packets_.psb();
  if (in_user_code) {
    packets_.mode_tsx_none();
    packets_.mode_exec_64();
    packets_.ip(IpPacket::Flow, ip);
  }
  mode_told_ = in_user_code;
  put_time();
  packets_.cbr(ratio_);
  packets_.psb_end();
}

void IntelPtProcessor::put_time() {
  packets_.tsc(clock_.ticks);
  if (options_.mtc) packets_.tma(crystal(), clock_.ticks % kTicksPerCrystalTick);
  mtc_told_at_ = crystal() >> kMtcShift;
}

void IntelPtProcessor::put_cycles() {
  if (!options_.cyc || clock_.ticks == cycles_told_at_) return;
  packets_.cyc((clock_.ticks - cycles_told_at_) * ratio_ / kMaxNonTurboRatio);
  cycles_told_at_ = clock_.ticks;
}

void IntelPtProcessor::enter_instruction(std::uint64_t ip) {
  ++instructions_;
  if (options_.overflow_after != 0 && instructions_ == options_.overflow_after) {
    flush();
    branches_.resize(branches_.size() - untold_);
    lost_ = true;
  }
  if (lost_ && instructions_ == options_.overflow_after + options_.overflow_length) recover(ip);
  if (!enabled_) {
    enable(ip);
  } else if (!lost_ && packets_.size() - psb_at_ >= options_.psb_bytes) {
    synchronize(ip, true);
  }
  if (!lost_) put_extras(ip);
}

// Events other than branches: the next instruction is marked as a PTWRITE, the core clock changes.
void IntelPtProcessor::put_extras(std::uint64_t ip) {
  if (options_.ptwrite_every != 0 && instructions_ % options_.ptwrite_every == 0) {
    flush();
    packets_.ptwrite(instructions_, true);
    packets_.ip(IpPacket::Flow, ip);
  }
  if (options_.pebs_every != 0 && instructions_ % options_.pebs_every == 0) {
    flush();
    put_pebs(ip);
  }
  if (options_.cbr_every != 0 && instructions_ % options_.cbr_every == 0) {
    flush();
    put_cycles();
    ratio_ = ratio_ == kMaxNonTurboRatio ? kTurboRatio : kMaxNonTurboRatio;
    packets_.cbr(ratio_);
  }
}

// All groups except vector registers. Memory and register contents are made up.
void IntelPtProcessor::put_pebs(std::uint64_t ip) {
  constexpr unsigned kRegisters = 1, kBasic = 4, kMemory = 5, kBranches = 8, kRegisterCount = 18, kMostBranches = 20,
                     kInGroup = 10;
  packets_.block(kBasic);
  packets_.item(0, ip);
  packets_.item(1, 1);  // the first counter
  packets_.item(2, clock_.ticks);
  packets_.block(kMemory);
  packets_.item(0, 0x7fff00000000 + instructions_);
  packets_.item(2, instructions_ % 1000);
  packets_.block(kRegisters);
  for (unsigned i = 0; i < kRegisterCount; ++i) packets_.item(i, i == 1 ? ip : instructions_ * kRegisterCount + i);
  for (unsigned i = 0; i < std::min<std::size_t>(kMostBranches, branches_.size()); ++i) {
    const TracedBranch& branch = branches_[branches_.size() - 1 - i];
    const std::uint64_t mispredicted = i % 3 == 0 ? 1ull << 63 : 0;
    const std::uint64_t values[] = {branch.from, branch.to, mispredicted | i};
    if (i % kInGroup == 0) packets_.block(kBranches + i / kInGroup);
    for (unsigned part = 0; part < 3; ++part) packets_.item(3 * (i % kInGroup) + part, values[part]);
  }
  packets_.block_end();
}

// After lost packets: the current address of user code, if it is running.
void IntelPtProcessor::recover(std::uint64_t ip) {
  lost_ = false;
  return_stack_.clear();
  packets_.overflow();
  cycles_told_at_ = clock_.ticks;
  if (!enabled_) return;
  packets_.ip(IpPacket::Flow, ip);
  branch(0, ip, "overflow");
}

void IntelPtProcessor::enable(std::uint64_t ip) {
  enabled_ = true;
  cycles_told_at_ = clock_.ticks;
  return_stack_.clear();
  if (lost_) return;
  if (packets_.size() - psb_at_ >= options_.psb_bytes) {
    synchronize(0, false);
  } else {
    if (options_.power) {
      packets_.power_entry(1);
      packets_.execution_stop();
      packets_.power_exit(1);
    }
    put_time();
  }
  if (!mode_told_) packets_.mode_exec_64();
  mode_told_ = true;
  packets_.ip(IpPacket::Enable, ip);
  branch(0, ip, "begin");
}

void IntelPtProcessor::disable() {
  enabled_ = false;
  if (lost_) return;
  flush();
  put_cycles();
  packets_.no_ip(IpPacket::Disable);
}

void IntelPtProcessor::interrupt(std::uint64_t ip) {
  if (!enabled_) return;
  flush();
  if (!lost_) packets_.ip(IpPacket::Flow, ip);
  disable();
  branch(ip, 0, "end");
}

void IntelPtProcessor::pass_time() {
  clock_.ticks += kTicksPerInstruction;
  const std::uint64_t mtc = crystal() >> kMtcShift;
  if (mtc == mtc_told_at_) return;
  mtc_told_at_ = mtc;
  if (!options_.mtc || lost_) return;
  flush();
  put_cycles();
  packets_.mtc(mtc & 255);
}

void IntelPtProcessor::step(std::uint64_t ip, const X86Branch& executed, std::uint64_t next) {
  enter_instruction(ip);
  pass_time();
  const bool is_told =
      executed.kind != BranchKind::None && executed.kind != BranchKind::Jump && executed.kind != BranchKind::Call;
  if (lost_ || is_told) untold_ = 0;
  switch (executed.kind) {
    case BranchKind::None:
      break;
    case BranchKind::Conditional:
      conditional(next != ip + executed.size);
      if (next != ip + executed.size) branch(ip, next, "jcc");
      break;
    case BranchKind::Jump:
      branch(ip, next, "jmp");
      untold_ += lost_ ? 0 : 1;
      break;
    case BranchKind::Call:
      branch(ip, next, "call");
      untold_ += lost_ ? 0 : 1;
      if (!executed.calls_next) push_return(ip + executed.size);
      break;
    case BranchKind::IndirectJump:
      indirect(next);
      branch(ip, next, "jmp");
      break;
    case BranchKind::IndirectCall:
      indirect(next);
      branch(ip, next, "call");
      push_return(ip + executed.size);
      break;
    case BranchKind::Return:
      returns(next);
      branch(ip, next, "return");
      break;
    case BranchKind::Far:
      disable();
      branch(ip, 0, "syscall");
      break;
  }
}

void IntelPtProcessor::conditional(bool taken) {
  if (lost_) return;
  tnt_ = tnt_ << 1 | (taken ? 1u : 0u);
  const unsigned limit = options_.long_tnt ? IntelPtPackets::kLongTnt : IntelPtPackets::kShortTnt;
  if (++tnt_count_ == limit) flush();
}

void IntelPtProcessor::indirect(std::uint64_t target) {
  if (lost_) return;
  tips_.push_back(target);
  if (!options_.defer_tips || tnt_count_ == 0) flush();
}

void IntelPtProcessor::push_return(std::uint64_t address) {
  if (return_stack_.size() == kReturnStack) return_stack_.erase(return_stack_.begin());
  return_stack_.push_back(address);
}

void IntelPtProcessor::returns(std::uint64_t target) {
  const bool expected = !return_stack_.empty() && return_stack_.back() == target;
  if (!return_stack_.empty()) return_stack_.pop_back();
  if (expected && options_.return_compression) {
    conditional(true);
  } else {  // never waits: a decoder that reads a branch and reaches a return would take it for that of the return
    indirect(target);
    flush();
  }
}

void IntelPtProcessor::flush() {
  if (tnt_count_ != 0) {
    put_cycles();
    packets_.tnt(tnt_, tnt_count_);
  }
  tnt_ = tnt_count_ = 0;
  for (const std::uint64_t target : tips_) {
    put_cycles();
    packets_.ip(IpPacket::Tip, target);
  }
  tips_.clear();
}

void IntelPtProcessor::branch(std::uint64_t from, std::uint64_t to, std::string_view kind) {
  if (lost_) return;
  branches_.push_back({from, to, kind, tid_});
  // One in three was mispredicted.
  constexpr std::uint64_t kPredicted = 1u << 4;
  if (options_.branch_records) records_.put64(from).put64(to).put64(branches_.size() % 3 == 0 ? 0 : kPredicted);
}

}  // namespace peregrine::support
