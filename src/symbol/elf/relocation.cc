#include "symbol/elf/relocation.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

enum class Effect : u8 { Absolute, Relative, Add, Subtract };

struct RelocationType {
  u16 machine;
  u32 type;
  u8 size;  // bytes
  Effect effect;
};

constexpr auto kTypes = std::to_array<RelocationType>({
    {EM_X86_64, R_X86_64_64, 8, Effect::Absolute},
    {EM_X86_64, R_X86_64_32, 4, Effect::Absolute},
    {EM_X86_64, R_X86_64_32S, 4, Effect::Absolute},
    {EM_X86_64, R_X86_64_PC32, 4, Effect::Relative},
    {EM_X86_64, R_X86_64_PC64, 8, Effect::Relative},
    {EM_386, R_386_32, 4, Effect::Absolute},
    {EM_386, R_386_PC32, 4, Effect::Relative},
    {EM_AARCH64, R_AARCH64_ABS64, 8, Effect::Absolute},
    {EM_AARCH64, R_AARCH64_ABS32, 4, Effect::Absolute},
    {EM_AARCH64, R_AARCH64_PREL64, 8, Effect::Relative},
    {EM_AARCH64, R_AARCH64_PREL32, 4, Effect::Relative},
    {EM_ARM, R_ARM_ABS32, 4, Effect::Absolute},
    {EM_ARM, R_ARM_REL32, 4, Effect::Relative},
    {EM_PPC64, R_PPC64_ADDR64, 8, Effect::Absolute},
    {EM_PPC64, R_PPC64_ADDR32, 4, Effect::Absolute},
    {EM_PPC64, R_PPC64_REL64, 8, Effect::Relative},
    {EM_PPC64, R_PPC64_REL32, 4, Effect::Relative},
    {EM_S390, R_390_64, 8, Effect::Absolute},
    {EM_S390, R_390_32, 4, Effect::Absolute},
    {EM_S390, R_390_PC64, 8, Effect::Relative},
    {EM_S390, R_390_PC32, 4, Effect::Relative},
    {EM_MIPS, R_MIPS_64, 8, Effect::Absolute},
    {EM_MIPS, R_MIPS_32, 4, Effect::Absolute},
    {EM_RISCV, R_RISCV_64, 8, Effect::Absolute},
    {EM_RISCV, R_RISCV_32, 4, Effect::Absolute},
    {EM_RISCV, R_RISCV_32_PCREL, 4, Effect::Relative},
    {EM_RISCV, R_RISCV_SET8, 1, Effect::Absolute},
    {EM_RISCV, R_RISCV_SET16, 2, Effect::Absolute},
    {EM_RISCV, R_RISCV_SET32, 4, Effect::Absolute},
    {EM_RISCV, R_RISCV_ADD8, 1, Effect::Add},
    {EM_RISCV, R_RISCV_ADD16, 2, Effect::Add},
    {EM_RISCV, R_RISCV_ADD32, 4, Effect::Add},
    {EM_RISCV, R_RISCV_ADD64, 8, Effect::Add},
    {EM_RISCV, R_RISCV_SUB8, 1, Effect::Subtract},
    {EM_RISCV, R_RISCV_SUB16, 2, Effect::Subtract},
    {EM_RISCV, R_RISCV_SUB32, 4, Effect::Subtract},
    {EM_RISCV, R_RISCV_SUB64, 8, Effect::Subtract},
});

const RelocationType* find_type(u16 machine, u32 type) {
  const auto found = std::ranges::find_if(
      kTypes, [&](const RelocationType& known) { return known.machine == machine && known.type == type; });
  return found == kTypes.end() ? nullptr : &*found;
}

struct Relocation {
  u64 offset = 0;
  u32 symbol = 0;
  u32 type = 0;
  std::optional<u64> addend;  // if absent, it is in the relocated bytes
};

// Visits the relocation sections of `target`.
template <class F>
void for_each_table(const ElfFile& file, const ElfSection& target, F visit) {
  if (file.type() != ET_REL) return;
  const auto index = static_cast<u32>(&target - file.sections().data());
  for (const ElfSection& section : file.sections()) {
    if ((section.type == SHT_RELA || section.type == SHT_REL) && section.info == index) visit(section);
  }
}

// Symbol addresses, by the symbol numbers in relocations.
class SymbolValues {
 public:
  SymbolValues(const ElfFile& file, const ElfSection& table)
      : file_(file), entry_size_(file.is_64() ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym)) {
    if (auto contents = file.contents(table)) bytes_ = std::move(*contents);
  }

  // nullopt if the number is out of range; kNotPlaced for dropped code and data.
  std::optional<u64> value(u32 symbol) const {
    if (symbol >= bytes_.size() / entry_size_) return std::nullopt;
    ByteReader reader(Bytes(bytes_).subspan(symbol * entry_size_, entry_size_), file_.order());
    reader.skip(4);
    u64 value = 0;
    if (!file_.is_64()) {
      value = reader.get32();
      reader.skip(4);
    }
    reader.skip(2);
    const u32 section = reader.get16();
    if (file_.is_64()) value = reader.get64();
    if (section == SHN_UNDEF || section >= file_.sections().size()) return value;
    const u64 address = file_.sections()[section].address;
    return address == ElfFile::kNotPlaced ? ElfFile::kNotPlaced : address + value;
  }

 private:
  const ElfFile& file_;
  std::size_t entry_size_;
  std::vector<std::byte> bytes_;
};

Relocation next_relocation(ByteReader& reader, const ElfFile& file, bool with_addend) {
  Relocation one;
  const auto word = [&] { return file.is_64() ? reader.get64() : reader.get32(); };
  one.offset = word();
  const u64 what = word();
  one.symbol = static_cast<u32>(file.is_64() ? what >> 32 : what >> 8);
  one.type = static_cast<u32>(file.is_64() ? what & 0xffffffff : what & 0xff);
  if (with_addend) one.addend = file.is_64() ? word() : static_cast<u64>(i64{static_cast<i32>(word())});
  return one;
}

u64 get_number(std::span<const std::byte> at, ByteOrder order) {
  u64 value = 0;
  for (std::size_t i = 0; i < at.size(); ++i)
    value = value << 8 | std::to_integer<u64>(at[order == ByteOrder::Little ? at.size() - 1 - i : i]);
  return value;
}

void put_number(std::span<std::byte> at, ByteOrder order, u64 value) {
  for (std::size_t i = 0; i < at.size(); ++i, value >>= 8)
    at[order == ByteOrder::Little ? i : at.size() - 1 - i] = static_cast<std::byte>(value);
}

u64 result_of(const RelocationType& type, u64 symbol, u64 addend, u64 place, u64 before) {
  const u64 value = symbol + addend;
  switch (type.effect) {
    case Effect::Add:
      return before + value;
    case Effect::Subtract:
      return before - value;
    case Effect::Relative:
      return value - place;
    case Effect::Absolute:
      break;
  }
  // Without the addend, so that readers recognise dropped code.
  return symbol == ElfFile::kNotPlaced ? symbol : value;
}

}  // namespace

bool is_relocated(const ElfFile& file, const ElfSection& section) {
  bool any = false;
  for_each_table(file, section, [&](const ElfSection& table) { any = any || table.size != 0; });
  return any;
}

void relocate(const ElfFile& file, const ElfSection& section, std::span<std::byte> bytes) {
  for_each_table(file, section, [&](const ElfSection& table) {
    if (table.link >= file.sections().size()) return;
    const auto contents = file.contents(table);
    if (!contents) return;
    const SymbolValues symbols(file, file.sections()[table.link]);
    ByteReader reader(*contents, file.order());
    while (reader.rest().size() >=
           (file.is_64() ? 16u : 8u) + (table.type == SHT_RELA ? (file.is_64() ? 8u : 4u) : 0u)) {
      const Relocation one = next_relocation(reader, file, table.type == SHT_RELA);
      const RelocationType* type = find_type(file.machine(), one.type);
      const std::optional<u64> symbol = symbols.value(one.symbol);
      if (type == nullptr || !symbol || one.offset > bytes.size() || bytes.size() - one.offset < type->size) continue;
      const std::span<std::byte> place = bytes.subspan(one.offset, type->size);
      const u64 before = get_number(place, file.order());
      put_number(place, file.order(), result_of(*type, *symbol, one.addend.value_or(before), one.offset, before));
    }
  });
}

}  // namespace peregrine
