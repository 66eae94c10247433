// Instruction: one machine instruction as text and as what it does to the flow of control.
//
// Made by a Disassembler, read by annotate. The text is that of binutils ("mov    0x8(%rax),%rcx" without the columns),
// since people and programs know it; what names an address (a symbol, a comment) is put there by who knows symbols.
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
// From what uname says: "x86_64", "aarch64".
Isa isa_of_arch(std::string_view name);

enum class Syntax : u8 { Att, Intel };  // of x86; others have one

enum class Flow : u8 { Next, Jump, Branch, Call, Return };  // Branch: a jump that may not be taken

struct Instruction {
  u64 address = 0;
  u32 size = 0;
  bool valid = true;  // false: these bytes are no instruction; mnemonic is "(bad)" or ".byte"
  Flow flow = Flow::Next;
  std::optional<u64> target;  // where a direct jump or call leads; then `operands` is that address in hex, perhaps last
  std::optional<u64> data;    // the address of an operand relative to the instruction pointer
  std::string mnemonic;       // with prefixes: "rep stos"
  std::string operands;
};

}  // namespace peregrine
