#include "probe/registry/sdt_note.h"

#include <elf.h>
#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {
namespace {

constexpr u32 kNoteType = 3;
constexpr std::size_t kMostNotes = std::size_t{1} << 20;

std::optional<i64> take_signed(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto value = text.starts_with("0x") ? parse_number<u64>(text.substr(2), 16) : parse_number<u64>(text);
  if (!value) return std::nullopt;
  return negative ? -static_cast<i64>(*value) : static_cast<i64>(*value);
}

struct OldRegister {
  std::string_view name;
  std::array<std::string_view, 4> spelled;  // for 64, 32, 16 and 8 bits
};
constexpr OldRegister kX86Registers[] = {
    {"%ax", {"rax", "eax", "ax", "al"}},  {"%bx", {"rbx", "ebx", "bx", "bl"}},  {"%cx", {"rcx", "ecx", "cx", "cl"}},
    {"%dx", {"rdx", "edx", "dx", "dl"}},  {"%si", {"rsi", "esi", "si", "sil"}}, {"%di", {"rdi", "edi", "di", "dil"}},
    {"%bp", {"rbp", "ebp", "bp", "bpl"}}, {"%sp", {"rsp", "esp", "sp", "spl"}}, {"%ip", {"rip", "eip", "ip", ""}},
};

// The kernel's name for an assembler register; empty if the kernel cannot read it.
std::string register_of(std::string_view name, u16 machine) {
  if (name.starts_with('%')) name.remove_prefix(1);
  if (name.empty()) return {};
  if (machine == EM_X86_64 || machine == EM_386) {
    for (const OldRegister& known : kX86Registers)
      if (std::ranges::find(known.spelled, name) != known.spelled.end()) return std::string(known.name);
    if (name.front() != 'r' || name.size() < 2 || std::isdigit(static_cast<unsigned char>(name[1])) == 0) return {};
    while (std::isalpha(static_cast<unsigned char>(name.back())) != 0 && name.size() > 2) name.remove_suffix(1);
    return fmt::format("%{}", name);
  }
  if (machine == EM_AARCH64) {
    if (name == "sp") return "%sp";
    if (name.size() < 2 || (name.front() != 'x' && name.front() != 'w')) return {};
    return name.substr(1) == "30" ? "%lr" : fmt::format("%x{}", name.substr(1));
  }
  return fmt::format("%{}", name);
}

// Converts a memory operand: "-16(%rbp)", "(%rax)", "[sp, 12]", "[x0]".
std::string memory_of(std::string_view operand, u16 machine) {
  std::string_view offset, base;
  if (operand.starts_with('[') && operand.ends_with(']')) {
    operand = operand.substr(1, operand.size() - 2);
    base = operand.substr(0, operand.find(','));
    if (base.size() < operand.size()) offset = operand.substr(base.size() + 1);
    while (offset.starts_with(' ') || offset.starts_with('#')) offset.remove_prefix(1);
  } else {
    const std::size_t open = operand.find('(');
    if (open == std::string_view::npos || !operand.ends_with(')')) return {};
    offset = operand.substr(0, open);
    base = operand.substr(open + 1, operand.size() - open - 2);
    if (base.find(',') != std::string_view::npos) return {};
  }
  const auto number = offset.empty() ? std::optional<i64>(0) : take_signed(offset);
  const std::string name = register_of(base, machine);
  if (!number || name.empty() || name == "%ip") return {};
  return fmt::format("{:+}({})", *number, name);
}

// Splits at spaces outside of brackets: "[x29, 12]" is one operand.
std::vector<std::string_view> operands_of(std::string_view text) {
  std::vector<std::string_view> result;
  std::size_t begin = 0;
  bool bracket = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') bracket = true;
    if (i < text.size() && text[i] == ']') bracket = false;
    if (i < text.size() && (text[i] != ' ' || bracket)) continue;
    if (i > begin) result.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  return result;
}

}  // namespace

std::vector<SdtNote> read_sdt_notes(const ElfFile& file) {
  std::vector<SdtNote> notes;
  const ElfSection* section = file.find_section(".note.stapsdt");
  const auto bytes = section == nullptr ? Result<std::vector<std::byte>>() : file.contents(*section);
  if (!bytes) return notes;
  const ElfSection* base_section = file.find_section(".stapsdt.base");
  ByteReader reader(*bytes, file.order());
  while (reader.left() >= 12 && notes.size() < kMostNotes) {
    const u32 name_size = reader.get32(), size = reader.get32(), type = reader.get32();
    const std::string_view owner = reader.text((u64{name_size} + 3) & ~u64{3});
    ByteReader note(reader.take(size), file.order());
    reader.skip(std::min<std::size_t>((4 - size % 4) % 4, reader.left()));
    if (!reader.ok()) break;
    if (type != kNoteType || owner != "stapsdt") continue;
    const auto address = [&] { return file.is_64() ? note.get64() : note.get32(); };
    SdtNote one;
    one.location = address();
    const u64 base = address();
    one.semaphore = address();
    const auto text = [&] {
      const auto rest = note.rest();
      const auto* chars = reinterpret_cast<const char*>(rest.data());
      std::string result(chars, rest.empty() ? 0 : ::strnlen(chars, rest.size()));
      note.skip(std::min(result.size() + 1, note.left()));
      return result;
    };
    one.provider = text();
    one.name = text();
    one.arguments = text();
    if (!note.ok() || one.provider.empty() || one.name.empty()) continue;
    // prelink moves sections without updating the notes.
    if (base != 0 && base_section != nullptr) {
      one.location += base_section->address - base;
      if (one.semaphore != 0) one.semaphore += base_section->address - base;
    }
    notes.push_back(std::move(one));
  }
  return notes;
}

std::optional<TraceArgument> sdt_argument(std::string_view operand, unsigned number, u16 machine) {
  TraceArgument argument{.name = fmt::format("arg{}", number), .value = {}, .type = {}};
  const std::size_t at = operand.find('@');
  if (at != std::string_view::npos) {
    const bool is_float = at > 0 && operand[at - 1] == 'f';
    const auto size = take_signed(operand.substr(0, at - (is_float ? 1 : 0)));
    if (!size || (*size != 1 && *size != 2 && *size != 4 && *size != 8 && *size != -1 && *size != -2 && *size != -4 &&
                  *size != -8))
      return std::nullopt;
    if (is_float && *size != 4 && *size != 8) return std::nullopt;
    if (is_float) argument.name += kFloatSuffixes[*size == 4 ? 0 : 1];
    argument.type = fmt::format("{}{}", *size < 0 ? 's' : 'u', (*size < 0 ? -*size : *size) * 8);
    operand.remove_prefix(at + 1);
  }
  const bool constant = operand.starts_with('$');
  if (const auto value = take_signed(operand.substr(constant ? 1 : 0)); value)
    argument.value = fmt::format("\\{}", *value);
  else if (operand.find_first_of("([") != std::string_view::npos)
    argument.value = memory_of(operand, machine);
  else
    argument.value = register_of(operand, machine);
  return argument.value.empty() ? std::nullopt : std::optional(argument);
}

std::optional<TraceProbe> sdt_probe(const SdtNote& note, const ElfFile& file, const std::string& path) {
  const auto offset = file.file_offset(note.location);
  if (!offset) return std::nullopt;
  TraceProbe probe;
  const auto word = [](std::string_view text) {
    std::string result(text);
    std::ranges::replace_if(result, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; }, '_');
    return result;
  };
  probe.group = "sdt_" + word(note.provider);
  probe.event = word(note.name);
  probe.target = path;
  probe.offset = *offset;
  if (note.semaphore != 0) probe.semaphore = file.file_offset(note.semaphore);
  unsigned number = 0;
  for (const std::string_view operand : operands_of(note.arguments))
    if (auto argument = sdt_argument(operand, ++number, file.machine()))
      probe.arguments.push_back(std::move(*argument));
  return probe;
}

}  // namespace peregrine
