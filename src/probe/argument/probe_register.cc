// The kernel's names for DWARF register numbers, as each arch's regs_query_register_offset() accepts them.
#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "base/types.h"
#include "probe/argument/dwarf_location.h"

namespace peregrine {
namespace {

constexpr std::array<std::string_view, 16> kX86_64Registers = {"%ax",  "%dx",  "%cx",  "%bx", "%si",  "%di",
                                                               "%bp",  "%sp",  "%r8",  "%r9", "%r10", "%r11",
                                                               "%r12", "%r13", "%r14", "%r15"};
constexpr std::array<std::string_view, 8> kI386Registers = {"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di"};
constexpr std::array<std::string_view, 32> kArm64Registers = {
    "%x0",  "%x1",  "%x2",  "%x3",  "%x4",  "%x5",  "%x6",  "%x7",  "%x8",  "%x9",  "%x10",
    "%x11", "%x12", "%x13", "%x14", "%x15", "%x16", "%x17", "%x18", "%x19", "%x20", "%x21",
    "%x22", "%x23", "%x24", "%x25", "%x26", "%x27", "%x28", "%x29", "%lr",  "%sp"};
constexpr std::array<std::string_view, 16> kArmRegisters = {"%r0", "%r1", "%r2",  "%r3", "%r4", "%r5", "%r6", "%r7",
                                                            "%r8", "%r9", "%r10", "%fp", "%ip", "%sp", "%lr", "%pc"};
constexpr std::array<std::string_view, 32> kRiscvRegisters = {
    "%zero", "%ra", "%sp", "%gp", "%tp", "%t0", "%t1", "%t2", "%s0", "%s1", "%a0",  "%a1",  "%a2", "%a3", "%a4", "%a5",
    "%a6",   "%a7", "%s2", "%s3", "%s4", "%s5", "%s6", "%s7", "%s8", "%s9", "%s10", "%s11", "%t3", "%t4", "%t5", "%t6"};
constexpr std::array<std::string_view, 32> kPowerpcRegisters = {
    "%gpr0",  "%gpr1",  "%gpr2",  "%gpr3",  "%gpr4",  "%gpr5",  "%gpr6",  "%gpr7",  "%gpr8",  "%gpr9",  "%gpr10",
    "%gpr11", "%gpr12", "%gpr13", "%gpr14", "%gpr15", "%gpr16", "%gpr17", "%gpr18", "%gpr19", "%gpr20", "%gpr21",
    "%gpr22", "%gpr23", "%gpr24", "%gpr25", "%gpr26", "%gpr27", "%gpr28", "%gpr29", "%gpr30", "%gpr31"};
constexpr std::array<std::string_view, 16> kS390Registers = {"%r0",  "%r1",  "%r2",  "%r3", "%r4",  "%r5",
                                                             "%r6",  "%r7",  "%r8",  "%r9", "%r10", "%r11",
                                                             "%r12", "%r13", "%r14", "%r15"};

std::span<const std::string_view> names_of(u16 machine) {
  switch (machine) {
    case EM_X86_64:
      return kX86_64Registers;
    case EM_386:
      return kI386Registers;
    case EM_AARCH64:
      return kArm64Registers;
    case EM_ARM:
      return kArmRegisters;
    case EM_RISCV:
      return kRiscvRegisters;
    case EM_PPC64:
      return kPowerpcRegisters;
    case EM_S390:
      return kS390Registers;
    default:
      return {};
  }
}

// Consecutively numbered floating-point or vector registers.
struct RegisterRow {
  u16 machine;
  u64 first, count;
  std::string_view name;
};
constexpr RegisterRow kUnreadable[] = {
    {EM_X86_64, 17, 16, "xmm"}, {EM_X86_64, 33, 8, "st"}, {EM_X86_64, 41, 8, "mm"},  {EM_386, 11, 8, "st"},
    {EM_386, 21, 8, "xmm"},     {EM_386, 29, 8, "mm"},    {EM_AARCH64, 64, 32, "v"}, {EM_AARCH64, 96, 32, "z"},
    {EM_ARM, 256, 32, "d"},     {EM_RISCV, 32, 32, "f"},  {EM_PPC64, 32, 32, "f"},
};

}  // namespace

std::string unreadable_register(u16 machine, u64 number) {
  for (const RegisterRow& row : kUnreadable)
    if (row.machine == machine && number >= row.first && number - row.first < row.count)
      return fmt::format("{}{}", row.name, number - row.first);
  return fmt::format("DWARF register {}", number);
}

std::string_view probe_register(u16 machine, u64 number) {
  const auto names = names_of(machine);
  return number < names.size() ? names[number] : std::string_view();
}

u64 probe_register_count(u16 machine) { return names_of(machine).size(); }

}  // namespace peregrine
