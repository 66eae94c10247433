#include "auxtrace/intel_pt/block.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "base/types.h"
#include "insn/instruction.h"

namespace peregrine::auxtrace {
namespace {

constexpr unsigned kLongest = 15;  // maximum size of an x86 instruction

bool is_one_of(std::string_view word, std::span<const std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

Exit far_exit(std::string_view mnemonic) {
  constexpr std::string_view kIn[] = {"syscall", "sysenter", "vmcall", "vmmcall"};
  constexpr std::string_view kOut[] = {"sysret",   "sysretl",  "sysretq",  "sysexit", "sysexitl",
                                       "sysexitq", "vmlaunch", "vmresume", "erets",   "eretu"};
  constexpr std::string_view kBack[] = {"iret", "iretl", "iretq", "iretw", "uiret"};
  constexpr std::string_view kTraps[] = {"int", "int3", "int1", "into", "icebp"};
  if (is_one_of(mnemonic, kIn)) return Exit::Syscall;
  if (is_one_of(mnemonic, kOut)) return Exit::SystemReturn;
  if (is_one_of(mnemonic, kBack)) return Exit::InterruptReturn;
  return is_one_of(mnemonic, kTraps) ? Exit::Interrupt : Exit::Next;
}

// xbegin and xabort are not branches in the trace: separate packets report aborts.
Exit exit_of(const Instruction& instruction) {
  if (!instruction.valid) return Exit::Bad;
  if (instruction.mnemonic == "xbegin" || instruction.mnemonic == "xabort") return Exit::Next;
  if (const Exit far = far_exit(instruction.mnemonic); far != Exit::Next) return far;
  const bool direct = instruction.target.has_value();
  switch (instruction.flow) {
    case Flow::Jump:
      return direct ? Exit::Jump : Exit::IndirectJump;
    case Flow::Branch:
      return direct ? Exit::Conditional : Exit::Next;
    case Flow::Call:
      return direct ? Exit::Call : Exit::IndirectCall;
    case Flow::Return:
      return Exit::Return;
    case Flow::Next:
      break;
  }
  return Exit::Next;
}

}  // namespace

int Block::index_of(u64 offset) const {
  const auto found = std::ranges::lower_bound(starts, offset);
  return found != starts.end() && *found == offset ? static_cast<int>(found - starts.begin()) : -1;
}

Block make_block(Disassembler& disassembler, Bytes bytes, u64 address, unsigned limit) {
  Block block;
  Instruction instruction;
  while (block.instructions() < limit && block.exit == Exit::Next) {
    const Bytes rest = bytes.subspan(block.size);
    if (!disassembler.decode(rest, address + block.size, instruction)) break;
    if (!instruction.valid && rest.size() < kLongest && block.size > 0) break;  // truncated: starts the next block
    block.exit = exit_of(instruction);
    if (block.exit == Exit::Bad) {
      if (block.size > 0) block.exit = Exit::Next;  // the instructions before it form a complete block
      break;
    }
    block.starts.push_back(static_cast<u16>(block.size));
    block.last_size = static_cast<u8>(instruction.size);
    block.size += instruction.size;
    if (instruction.target) block.target = static_cast<i64>(*instruction.target - address);
  }
  return block;
}

}  // namespace peregrine::auxtrace
