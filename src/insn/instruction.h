// Instruction: one machine instruction as text, and its effect on control flow.
//
// Built by a Disassembler, read by annotate. The text is binutils' ("mov    0x8(%rax),%rcx" without the columns), which
// people and programs know; callers that know symbols add names and comments.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/types.h"

namespace peregrine {

enum class Isa : u8 { X86_64, I386, Arm64, Arm, Thumb, Mips, Mips64, Ppc, Ppc64, Sparc, S390, Unknown };
// "x86-64", for messages.
std::string_view isa_name(Isa isa);
// From an ELF header's machine and class.
Isa isa_of_elf(u16 machine, bool is_64);
// From uname(2)'s machine: "x86_64", "aarch64".
Isa isa_of_arch(std::string_view name);

enum class Syntax : u8 { Att, Intel };  // x86 only

enum class Flow : u8 { Next, Jump, Branch, Call, Return };  // Branch: a conditional jump

struct Instruction {
  u64 address = 0;
  u32 size = 0;
  bool valid = true;  // false: invalid bytes; mnemonic is "(bad)" or ".byte"
  Flow flow = Flow::Next;
  std::optional<u64> target;  // of a direct jump or call; `operands` then is, or ends in, that address in hex
  std::optional<u64> data;    // the address of a pc-relative operand
  std::string mnemonic;       // with prefixes: "rep stos"
  std::string operands;
};

}  // namespace peregrine
