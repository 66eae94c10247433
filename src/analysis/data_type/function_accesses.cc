#include "analysis/data_type/function_accesses.h"

#include <elf.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "analysis/data_type/access_finder.h"
#include "analysis/data_type/data_access.h"
#include "analysis/data_type/known_value.h"
#include "analysis/data_type/placed_variables.h"
#include "base/types.h"
#include "insn/data_flow.h"
#include "insn/instruction.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"

namespace peregrine {
namespace {

// Forward data-flow analysis over basic blocks. A block's entry values are the join of its predecessors' exit values.
// Joining only loses knowledge, so the iteration ends: a block is queued again only if its entry values changed. Before
// each instruction, DWARF overrides what the code implies. Blocks that no followed path reaches (jump tables, exception
// handlers) start with nothing known.

struct CallRules {
  u64 lost = 0;   // registers that a called function may change
  u8 result = 0;  // register that returns the result
  u8 stack = 0;   // the stack pointer
  i64 frame = 0;  // the stack pointer at a function's entry, relative to the CFA
};

CallRules call_rules(u16 machine) {
  constexpr u64 kX86Lost = 0xf37;       // rax rdx rcx rsi rdi r8-r11
  constexpr u64 kArmLost = 0x4007ffff;  // x0-x18, lr
  if (machine == EM_AARCH64) return {.lost = kArmLost, .result = 0, .stack = 31, .frame = 0};
  return {.lost = kX86Lost, .result = 0, .stack = 7, .frame = -8};
}

// On arm64, stores that save registers also move the stack pointer.
bool is_stack_operation(const DataFlow& flow) {
  return flow.uses_stack && (!flow.touches_memory || flow.memory->base_step != 0);
}

class Follower {
 public:
  Follower(const FollowedFunction& function, const CodeBlocks& code)
      : function_(function),
        code_(code),
        types_(function.entry.unit()),
        variables_(PlacedVariables::of(function.entry, function.machine)),
        finder_(types_, variables_, function.fixed, function.thread),
        calls_(call_rules(function.machine)),
        entered_(code.blocks.size()) {}

  // Iterates until each block's entry values hold on every path to it.
  void settle() {
    if (code_.blocks.empty()) return;
    KnownValues start;
    start[calls_.stack] = {.kind = KnownValue::Kind::Frame, .walked = false, .offset = calls_.frame, .type = {}};
    enter(block_at(function_.entry.entry_address().value_or(code_.steps.front().address)), start);
    settle_queue();
    for (u32 block = 0; block < entered_.size(); ++block) {
      if (entered_[block]) continue;
      enter(block, {});
      settle_queue();
    }
  }

  template <class Visit>  // void(u64 address, DataAccess)
  void each_access(const Visit& visit) {
    for (u32 block = 0; block < entered_.size(); ++block) {
      KnownValues values = *entered_[block];
      for (u32 i = code_.blocks[block].first; i < code_.blocks[block].end; ++i) {
        const CodeStep& step = code_.steps[i];
        refresh(step.address, values);
        visit(step.address, access_of(step, values));
        carry(step, values);
      }
    }
  }

 private:
  u32 block_at(u64 address) const {
    for (u32 i = 0; i < code_.blocks.size(); ++i)
      if (code_.steps[code_.blocks[i].first].address == address) return i;
    return 0;
  }

  void enter(u32 block, const KnownValues& values) {
    std::optional<KnownValues>& known = entered_[block];
    if (!known) {
      known = values;
      queue_.insert(block);
      return;
    }
    bool changed = false;
    const u64 address = code_.steps[code_.blocks[block].first].address;
    for (std::size_t reg = 0; reg < values.size(); ++reg) {
      KnownValue before = (*known)[reg], now = values[reg];
      finder_.enter_variable(before, now, values, address);
      const KnownValue joined = either(types_, before, now);
      changed = changed || joined != (*known)[reg];
      (*known)[reg] = joined;
    }
    if (changed) queue_.insert(block);
  }

  void settle_queue() {
    while (!queue_.empty()) {
      const u32 block = *queue_.begin();
      queue_.erase(queue_.begin());
      const u64 cost = code_.blocks[block].end - code_.blocks[block].first;
      if (cost > budget_) return give_up();
      budget_ -= cost;
      KnownValues values = *entered_[block];
      for (u32 i = code_.blocks[block].first; i < code_.blocks[block].end; ++i) {
        refresh(code_.steps[i].address, values);
        carry(code_.steps[i], values);
      }
      for (const u32 next : code_.blocks[block].next) enter(next, values);
    }
  }

  // Falls back to nothing known at block entries, which leaves only what DWARF provides.
  void give_up() {
    queue_.clear();
    for (std::optional<KnownValues>& entered : entered_) entered = KnownValues();
  }

  // Sets the registers that DWARF describes at that address.
  void refresh(u64 address, KnownValues& values) const {
    const CfiRules* rules = function_.frames.find(address);
    if (rules != nullptr && rules->cfa_register < values.size())
      values[rules->cfa_register] = {
          .kind = KnownValue::Kind::Frame, .walked = false, .offset = -i64{rules->cfa_value}, .type = {}};
    for (const u32 index : variables_.at(address)) {
      const PlacedVariable& variable = variables_[index];
      if (variable.where != PlacedVariable::Where::Register) continue;
      KnownValue& value = values[variable.reg];
      // Keep the value assigned to a void*, because it may have a type.
      const bool vague = variable.value.kind == KnownValue::Kind::Object &&
                         types_.shape(variable.value.type).kind == TypeKind::Nothing;
      if (vague && value.kind != KnownValue::Kind::Unknown) continue;
      const bool walked = value.walked && value.type == variable.value.type;
      value = variable.value;
      value.walked = walked && value.kind == KnownValue::Kind::Object;
    }
  }

  DataAccess access_of(const CodeStep& step, const KnownValues& values) const {
    const DataFlow& flow = step.flow;
    if (is_stack_operation(flow) || !flow.touches_memory) return access_without_types(flow, UnknownType::NoMemory);
    return finder_.find(*flow.memory, values, step.address);
  }

  void carry(const CodeStep& step, KnownValues& values) const {
    const DataFlow& flow = step.flow;
    const auto at = [&](u8 reg) { return reg < values.size() ? values[reg] : KnownValue(); };
    KnownValue result, second;
    switch (flow.carry) {
      case Carry::Nothing:
        break;
      case Carry::Copy:
        result = at(flow.from);
        break;
      case Carry::Constant:
        result = {.kind = KnownValue::Kind::Constant, .walked = false, .offset = flow.value, .type = {}};
        break;
      case Carry::Thread:
        result = kThreadPointer;
        break;
      case Carry::Load: {
        if (AccessFinder::is_thread_pointer(*flow.memory)) {
          result = kThreadPointer;
          break;
        }
        const DataAccess access = access_of(step, values);
        result = finder_.loaded(access, 0);
        second = finder_.loaded(access, kWord);
        break;
      }
      case Carry::Address:
        result = finder_.address_of(*flow.memory, values);
        break;
      case Carry::AddConstant:
        result = moved(types_, at(flow.from), flow.value);
        break;
      case Carry::AddRegister:
        if (flow.touches_memory && AccessFinder::is_thread_pointer(*flow.memory) &&
            at(flow.from).kind == KnownValue::Kind::Constant) {
          result = moved(types_, kThreadPointer, at(flow.from).offset);
          break;
        }
        result = at(flow.from).kind != KnownValue::Kind::Unknown ? at(flow.from) : at(flow.second);
        if (result.kind == KnownValue::Kind::Unknown && flow.touches_memory)
          result = finder_.loaded(access_of(step, values), 0);
        result.walked = result.kind != KnownValue::Kind::Unknown;
        break;
      case Carry::Choose:
        result = either(types_, at(flow.from), at(flow.second));
        break;
    }
    KnownValue base;
    if (flow.memory && flow.memory->base_step != 0) base = moved(types_, at(flow.memory->base), flow.memory->base_step);
    const KnownValue stack = moved(types_, at(calls_.stack), flow.stack_step);
    forget(flow.written, values);
    if (flow.memory && flow.memory->base_step != 0 && flow.memory->base < values.size())
      values[flow.memory->base] = base;
    if (flow.stack_step != 0) values[calls_.stack] = stack;
    if (flow.carry != Carry::Nothing && flow.to < values.size()) values[flow.to] = result;
    if (flow.carry == Carry::Load && flow.also < values.size()) values[flow.also] = second;
    if (flow.flow == Flow::Call) call(flow, stack, values);
  }

  // A call preserves the stack pointer.
  void call(const DataFlow& flow, const KnownValue& stack, KnownValues& values) const {
    forget(calls_.lost, values);
    values[calls_.stack] = stack;
    if (flow.jump) values[calls_.result] = function_.result_of(*flow.jump);
  }

  static void forget(u64 registers, KnownValues& values) {
    for (std::size_t reg = 0; reg < values.size(); ++reg)
      if ((registers >> reg & 1) != 0) values[reg] = {};
  }

  static constexpr KnownValue kThreadPointer{
      .kind = KnownValue::Kind::Thread, .walked = false, .offset = 0, .type = {}};
  static constexpr u64 kWord = 8;
  // Compiled code settles after a few visits to each block; this bounds hostile input.
  static constexpr u64 kMostSteps = 10'000'000;
  const FollowedFunction& function_;
  const CodeBlocks& code_;
  DwarfTypes types_;
  PlacedVariables variables_;
  AccessFinder finder_;
  CallRules calls_;
  std::vector<std::optional<KnownValues>> entered_;  // by block
  std::set<u32> queue_;
  u64 budget_ = kMostSteps;
};

}  // namespace

DataAccess access_without_types(const DataFlow& flow, UnknownType why) {
  if (is_stack_operation(flow)) return {.kind = AccessKind::StackOperation, .why = UnknownType::None, .type = {}};
  return unknown_access(flow.touches_memory ? why : UnknownType::NoMemory);
}

FunctionAccesses FunctionAccesses::follow(const FollowedFunction& function, const CodeBlocks& code) {
  FunctionAccesses result;
  Follower follower(function, code);
  follower.settle();
  follower.each_access([&](u64 address, const DataAccess& access) {
    result.addresses_.push_back(address);
    result.accesses_.push_back(access);
  });
  return result;
}

const DataAccess* FunctionAccesses::find(u64 address) const {
  const auto found = std::ranges::lower_bound(addresses_, address);
  if (found == addresses_.end() || *found != address) return nullptr;
  return &accesses_[static_cast<std::size_t>(found - addresses_.begin())];
}

}  // namespace peregrine
