#include "support/make_pt_data/x86_branch.h"

#include <algorithm>
#include <array>

namespace peregrine::support {
namespace {

bool is_prefix(std::uint8_t byte) {
  constexpr std::array<std::uint8_t, 11> kPrefixes = {0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3};
  return std::ranges::find(kPrefixes, byte) != kPrefixes.end();
}

// ins, outs, movs, cmps, stos, lods, scas.
bool is_string_operation(std::uint8_t opcode) {
  return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf);
}

X86Branch two_byte_opcode(std::uint8_t opcode, unsigned at) {
  if (opcode >= 0x80 && opcode <= 0x8f) return {BranchKind::Conditional, at + 6};
  if (opcode == 0x05 || opcode == 0x34) return {BranchKind::Far, at + 2};  // syscall, sysenter
  return {};
}

// Size of the operand at the start of `code`: ModRM, SIB, displacement.
unsigned operand_size(std::span<const std::uint8_t> code) {
  const unsigned mode = code[0] >> 6, base = code[0] & 7;
  if (mode == 3) return 1;
  const bool has_sib = base == 4;
  const unsigned size = has_sib ? 2 : 1;
  if (mode == 1) return size + 1;
  if (mode == 2) return size + 4;
  return size + ((has_sib ? code[1] & 7 : base) == 5 ? 4 : 0);
}

// Opcode ff at `at`: the middle bits of the following byte select the instruction.
X86Branch group_five(std::span<const std::uint8_t> code, unsigned at) {
  const unsigned size = at + 1 + operand_size(code.subspan(at + 1));
  switch (code[at + 1] >> 3 & 7) {
    case 2:
      return {BranchKind::IndirectCall, size};
    case 4:
      return {BranchKind::IndirectJump, size};
    case 3:
    case 5:
      return {BranchKind::Far, size};
    default:
      return {};
  }
}

}  // namespace

X86Branch classify_x86(std::span<const std::uint8_t> code) {
  unsigned at = 0;
  bool repeated = false;
  while (at + 6 < code.size() && is_prefix(code[at])) repeated |= (code[at] == 0xf2 || code[at] == 0xf3), ++at;
  if (at + 6 < code.size() && (code[at] & 0xf0) == 0x40) ++at;  // REX
  if (at + 6 > code.size()) return {};
  const std::uint8_t opcode = code[at];
  if (repeated && is_string_operation(opcode)) return {.repeats_string = true};
  if ((opcode & 0xf0) == 0x70) return {BranchKind::Conditional, at + 2};
  if (opcode >= 0xe0 && opcode <= 0xe3) return {BranchKind::Conditional, at + 2};
  switch (opcode) {
    case 0x0f:
      return two_byte_opcode(code[at + 1], at);
    case 0xeb:
      return {BranchKind::Jump, at + 2};
    case 0xe9:
      return {BranchKind::Jump, at + 5};
    case 0xe8: {
      const bool next = std::all_of(code.begin() + at + 1, code.begin() + at + 5, [](auto byte) { return byte == 0; });
      return {BranchKind::Call, at + 5, next};
    }
    case 0xc2:
    case 0xc3:
      return {BranchKind::Return};
    case 0xff:
      return group_five(code, at);
    case 0xca:  // far returns, interrupts
    case 0xcb:
    case 0xcc:
    case 0xcd:
    case 0xcf:
    case 0xf1:
      return {BranchKind::Far};
    default:
      return {};
  }
}

}  // namespace peregrine::support
