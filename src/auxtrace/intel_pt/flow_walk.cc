// FlowDecoder's walks through code, up to the next point that only a packet can decide. A walk that returns false has
// reported the error with fail(), which also clears ip_; walk_direct() alone returns false to ask for a packet.
#include <bit>

#include "abi/branch_flag.h"
#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "base/types.h"

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

// Returns the block at ip_. If there is no code, reports the error and returns nullptr.
const Block* FlowDecoder::next_block() {
  const Block* const block = code_.block(ip_, bits_);
  if (block != nullptr && block->instructions() != 0) return block;
  fail(FlowError::NoCode, ip_);
  return nullptr;
}

// Detects endless loops (Brent's algorithm): code that returns to an address without consuming a packet will do so
// forever. loop_ip_ moves at each power of two, so that it ends up inside the loop.
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

// Takes the branch at the end of the block to `to`.
void FlowDecoder::step(const Block& block, u64 to, u32 flags) {
  Branch branch = exit_branch(block, ip_);
  branch.to = to;
  branch.flags |= flags | transaction_;
  // A call of the next instruction only reads the instruction pointer, and the processor does not count it as a call.
  if (block.exit == Exit::Call && to != branch.from + branch.length) {
    if (calls_.size() == kCalls) calls_.erase(calls_.begin());
    calls_.push_back(branch.from + branch.length);
  }
  ip_ = to;
  sink_.branch(branch);
}

// Moves past the end of a block if code alone decides where to. Returns false if a packet must decide.
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
    // A compressed return is one taken bit: it goes to the address after its call.
    const bool is_return = block->exit == Exit::Return && facts_.compressed_returns;
    if (needs_an_address(block->exit) && !is_return) {
      // The next packet has the target. The results that are left belong to the code after it.
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

// Walks to the next instruction with a target that only the trace knows.
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

// Walks to the instruction at `to` without executing it.
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

// Walks to the end of tracing: the next instruction that needs an address from the trace, or any branch to `target`.
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
