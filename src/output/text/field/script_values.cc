#include "output/text/field/script_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "abi/data_source.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr std::string_view kBranchTypes[] = {
    "",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
    "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "EXTEND_ABI",
};

}  // namespace

void put_registers(ScriptText& out, const abi::Registers& registers, abi::Arch arch) {
  if (registers.abi == 0) return;
  out.room(registers.values.size() * 40 + 32);
  out.put(" ABI:");
  out.put_decimal(registers.abi);
  out.put(' ');
  std::size_t next = 0;
  for (unsigned bit = 0; bit < 64 && next < registers.values.size(); ++bit) {
    if ((registers.mask >> bit & 1) == 0) continue;
    const std::string_view name = abi::register_name(arch, bit);
    out.put_right(name.empty() ? std::string_view("unknown") : name, 5);
    out.put(":0x");
    out.put_hex(registers.values[next++]);
    out.put(' ');
  }
}

void put_bpf_output(ScriptText& out, Bytes bytes) {
  constexpr std::size_t kWidth = 8;
  const auto is_printable = [](char c) { return c >= ' ' && c <= '~'; };
  std::string text = "\n";
  for (std::size_t at = 0; at < bytes.size(); at += kWidth) {
    const Bytes row = bytes.subspan(at, std::min(kWidth, bytes.size() - at));
    fmt::format_to(std::back_inserter(text), "{:>17} {:04x}: ", at == 0 ? "BPF output:" : "", at);
    for (const std::byte byte : row) fmt::format_to(std::back_inserter(text), "{:02x} ", static_cast<unsigned>(byte));
    text.append((kWidth - row.size()) * 3 + 1, ' ');
    for (const std::byte byte : row) text += is_printable(static_cast<char>(byte)) ? static_cast<char>(byte) : '.';
    text.append(kWidth - row.size(), ' ');
    text += '\n';
  }
  const std::string_view chars(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t length = std::min(chars.find('\0'), chars.size());
  if (length < chars.size() && chars.find_first_not_of('\0', length) == std::string_view::npos &&
      std::all_of(chars.begin(), chars.begin() + static_cast<std::ptrdiff_t>(length), is_printable)) {
    fmt::format_to(std::back_inserter(text), "{:>17} \"{}\"\n", "BPF string:", chars.substr(0, length));
  }
  out.room(text.size());
  out.put(text);
}

void put_data_source(ScriptText& out, u64 data_source) {
  const abi::DataSource source = abi::decode_data_source(data_source);
  const std::string text =
      fmt::format("|OP {}|LVL {}|SNP {}|TLB {}|LCK {}|BLK {}", abi::operation_text(source), abi::level_text(source),
                  abi::snoop_text(source), abi::tlb_text(source), abi::lock_text(source), abi::block_text(source));
  out.room(text.size() + 32);
  out.put_hex(data_source, 16);
  out.put(' ');
  out.put(text);
}

std::string_view branch_type_name(const abi::BranchEntry& branch) { return branch_type_name(branch.type); }
std::string_view branch_type_name(unsigned type) { return kBranchTypes[type & 15]; }

std::string prefixed_hex(u64 value) { return value == 0 ? "0" : fmt::format("{:#x}", value); }

void put_page_size(ScriptText& out, u64 bytes) {
  out.put(' ');
  out.put(abi::page_size_text(bytes));
}

}  // namespace peregrine
