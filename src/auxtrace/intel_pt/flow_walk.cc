// The walks of a FlowDecoder through code: up to what only a packet can tell.
#include <bit>

#include "abi/branch_flag.h"
#include "auxtrace/intel_pt/flow.h"

namespace peregrine::auxtrace {
namespace {

bool needs_an_address(Exit exit) {
  return exit == Exit::IndirectJump || exit == Exit::IndirectCall || exit == Exit::Return || exit == Exit::Syscall ||
         exit == Exit::SystemReturn || exit == Exit::InterruptReturn || exit == Exit::Interrupt;
}

Branch exit_branch(const Block& block, u64 ip) {
  return {.from = ip + block.size - block.last_size, .flags = exit_flags(block.exit), .length = block.last_size};
}

}  // namespace

u32 exit_flags(Exit exit) {
  using namespace abi::branch_flag;
  switch (exit) {
    case Exit::Conditional:
      return abi::branch_flag::IsBranch | Conditional;
    case Exit::Call:
    case Exit::IndirectCall:
      return abi::branch_flag::IsBranch | Call;
    case Exit::Return:
      return abi::branch_flag::IsBranch | Return;
    case Exit::Syscall:
      return abi::branch_flag::IsBranch | Call | Syscall;
    case Exit::SystemReturn:
      return abi::branch_flag::IsBranch | Return | Syscall;
    case Exit::InterruptReturn:
      return abi::branch_flag::IsBranch | Return | Interrupt;
    case Exit::Interrupt:
      return abi::branch_flag::IsBranch | Call | Interrupt;
    case Exit::Next:
    case Exit::Bad:
      return 0;
    default:
      return abi::branch_flag::IsBranch;
  }
}

// The block at ip_. nullptr, and the trace is lost, where there is none.
const Block* FlowDecoder::next_block() {
  const Block* const block = code_.block(ip_, bits_);
  if (block != nullptr && block->instructions() != 0) return block;
  fail(FlowError::NoCode, ip_);
  return nullptr;
}

// Code that comes back to a place without asking the trace does so for ever. The place moves on at each power of two,
// so that it lies within the loop some day.
bool FlowDecoder::loops() {
  const bool first = branches_ == 0;
  const bool again = !first && ip_ == loop_ip_;
  if (std::has_single_bit(++branches_)) loop_ip_ = ip_;
  if (!again && branches_ <= kMostBranches) return false;
  fail(FlowError::EndlessLoop, ip_);
  return true;
}

void FlowDecoder::run_to_exit(const Block& block, u32 ending) {
  sink_.executed(ip_, block, 0, block.instructions(), ending);
}

// To `to`, by the branch at the block's end.
void FlowDecoder::step(const Block& block, u64 to, u32 flags) {
  Branch branch = exit_branch(block, ip_);
  branch.to = to;
  branch.flags |= flags | transaction_;
  if (block.exit == Exit::Call && to != branch.from + branch.length) {
    if (calls_.size() == kCalls) calls_.erase(calls_.begin());
    calls_.push_back(branch.from + branch.length);
  }
  ip_ = to;
  sink_.branch(branch);
}

// Past the end of a block that code alone tells. False when a packet has to.
bool FlowDecoder::walk_direct(const Block& block) {
  if (block.exit == Exit::Next) {
    ip_ += block.size;
    return true;
  }
  if (block.exit != Exit::Jump && block.exit != Exit::Call) return false;
  step(block, ip_ + static_cast<u64>(block.target), 0);
  return true;
}

void FlowDecoder::walk_results() {
  while (results_left_ != 0) {
    const Block* const block = next_block();
    if (block == nullptr || loops()) return;
    run_to_exit(*block);
    if (walk_direct(*block)) continue;
    const bool is_return = block->exit == Exit::Return && facts_.compressed_returns;
    if (needs_an_address(block->exit) && !is_return) {
      indirect_ = exit_branch(*block, ip_);
      waits_ = true;
      return;
    }
    const bool taken = (results_ >> --results_left_ & 1) != 0;
    branches_ = 0;
    if (is_return) {
      if (!taken || calls_.empty()) return fail(FlowError::Mismatch, ip_);
      const u64 to = calls_.back();
      calls_.pop_back();
      step(*block, to, 0);
    } else if (taken) {
      step(*block, ip_ + static_cast<u64>(block->target), 0);
    } else {
      ip_ += block->size;
    }
  }
}

// To the next instruction whose target only the trace tells.
bool FlowDecoder::walk_to_indirect(Branch& branch) {
  for (;;) {
    const Block* const block = next_block();
    if (block == nullptr || loops()) return false;
    run_to_exit(*block);
    if (walk_direct(*block)) continue;
    if (needs_an_address(block->exit)) {
      branch = exit_branch(*block, ip_);
      return true;
    }
    fail(FlowError::Mismatch, ip_ + block->size - block->last_size);
    return false;
  }
}

// To the instruction at `to`, which was not executed, without any result.
bool FlowDecoder::walk_to(u64 to) {
  while (ip_ != to) {
    const Block* const block = next_block();
    if (block == nullptr || loops()) return false;
    if (to > ip_ && to - ip_ < block->size) {
      const int index = block->index_of(to - ip_);
      if (index > 0) {
        sink_.executed(ip_, *block, 0, static_cast<u32>(index), 0);
        ip_ = to;
        return true;
      }
    }
    run_to_exit(*block);
    if (walk_direct(*block)) continue;
    fail(FlowError::Mismatch, ip_ + block->size - block->last_size);
    return false;
  }
  return true;
}

// To where tracing ended: at an instruction that only the trace tells of, or at any branch to `target`.
bool FlowDecoder::walk_to_end(bool has_target, u64 target, Branch& branch) {
  for (;;) {
    const Block* const block = next_block();
    if (block == nullptr || loops()) return false;
    const bool leads_there = has_target && block->exit != Exit::Next && ip_ + static_cast<u64>(block->target) == target;
    const bool ends = leads_there || needs_an_address(block->exit);
    run_to_exit(*block, ends ? abi::branch_flag::TraceEnd : 0);
    branch = exit_branch(*block, ip_);
    if (ends) return true;
    if (walk_direct(*block)) continue;
    fail(FlowError::Mismatch, branch.from);
    return false;
  }
}

}  // namespace peregrine::auxtrace
