#include "output/text/script_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "abi/data_source.h"

namespace peregrine {
namespace {

constexpr std::string_view kBranchTypes[] = {
    "",       "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
    "SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "EXTEND_ABI",
};

// The names of the bits that are set, joined by " or ".
std::string names_of(unsigned bits, std::span<const std::string_view> names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((bits >> i & 1) == 0 || names[i].empty()) continue;
    if (!result.empty()) result += " or ";
    result += names[i];
  }
  return result.empty() ? "N/A" : result;
}

std::string level_text(const abi::DataSource& source) {
  constexpr std::string_view kLevels[] = {"N/A",
                                          "",
                                          "",
                                          "L1",
                                          "LFB/MAB",
                                          "L2",
                                          "L3",
                                          "Local RAM",
                                          "Remote RAM (1 hop)",
                                          "Remote RAM (2 hops)",
                                          "Remote Cache (1 hop)",
                                          "Remote Cache (2 hops)",
                                          "I/O",
                                          "Uncached"};
  constexpr std::string_view kNumbers[] = {"", "L1",  "L2",  "L3",        "L4",      "",    "",     "",
                                           "", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM", "N/A"};
  constexpr unsigned kHit = 2, kMiss = 4;
  std::string result;
  if (const unsigned bits = source.level & ~(kHit | kMiss); bits != 0) result = names_of(bits, kLevels);
  if (const std::string_view number = kNumbers[source.level_number]; !number.empty()) {
    if (!result.empty()) result += " or ";
    if (source.remote) result += "Remote ";
    result += number;
  }
  if (result.empty()) result = "N/A";
  if ((source.level & kHit) != 0) result += " hit";
  if ((source.level & kMiss) != 0) result += " miss";
  return result;
}

std::string tlb_text(u8 tlb) {
  constexpr std::string_view kNames[] = {"N/A", "", "", "L1", "L2", "Walker", "Fault"};
  std::string result = names_of(tlb & ~6u, kNames);
  if ((tlb & 2) != 0) result += " hit";
  if ((tlb & 4) != 0) result += " miss";
  return result;
}

}  // namespace

void put_registers(ScriptText& out, const abi::Registers& registers, abi::Arch arch) {
  if (registers.mask == 0) return;
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
  constexpr std::string_view kOps[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
  constexpr std::string_view kSnoops[] = {"N/A", "None", "Hit", "Miss", "HitM"};
  constexpr std::string_view kLocks[] = {"No", "N/A", "Yes", "Yes"};
  const abi::DataSource source = abi::decode_data_source(data_source);
  std::string text = "|OP " + names_of(source.op, kOps) + "|LVL " + level_text(source) + "|SNP " +
                     names_of(source.snoop, kSnoops) + "|TLB " + tlb_text(source.tlb) + "|LCK " +
                     std::string(kLocks[source.lock & 3]) + "|BLK ";
  if ((source.blocked & 1) != 0 || source.blocked == 0) text += " N/A";
  if ((source.blocked & 2) != 0) text += " Data";
  if ((source.blocked & 4) != 0) text += " Addr";
  out.room(text.size() + 32);
  out.put_hex(data_source, 16);
  out.put(' ');
  out.put(text);
}

std::string_view branch_type_name(const abi::BranchEntry& branch) { return kBranchTypes[branch.type & 15]; }

std::string page_size_text(u64 bytes) {
  constexpr std::string_view kUnits = "BKMGTPE";
  if (bytes == 0) return "N/A";
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

std::string prefixed_hex(u64 value) { return value == 0 ? "0" : fmt::format("{:#x}", value); }

void put_page_size(ScriptText& out, u64 bytes) {
  out.put(' ');
  out.put(page_size_text(bytes));
}

}  // namespace peregrine
