#include "abi/data_source.h"

#include <fmt/format.h>

#include <cstddef>
#include <span>

namespace peregrine::abi {

namespace {

// Joins the names of the bits that are set with " or ".
std::string names_of(unsigned bits, std::span<const std::string_view> names) {
  std::string result;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if ((bits >> i & 1) == 0 || names[i].empty()) continue;
    if (!result.empty()) result += " or ";
    result += names[i];
  }
  return result.empty() ? "N/A" : result;
}

}  // namespace

std::string operation_text(const DataSource& source) {
  constexpr std::string_view kOps[] = {"N/A", "LOAD", "STORE", "PFETCH", "EXEC"};
  if (source.op == 0) return "No";
  return names_of(source.op, kOps);
}

std::string level_text(const DataSource& source) {
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
  constexpr std::string_view kNumbers[] = {"",   "L1",  "L2",  "L3",        "L4",      "L5",  "L6",   "L7",
                                           "L8", "CXL", "I/O", "Any cache", "LFB/MAB", "RAM", "PMEM", "N/A"};
  constexpr std::string_view kHops[] = {
      "", "core, same node ", "node, same socket ", "socket, same board ", "board ", "", "", ""};
  using namespace access_level;
  // If the distance is given in hops, the level bits would repeat it.
  std::string places;
  if (const unsigned bits = source.level & ~(Hit | Miss); bits != 0 && source.hops == 0)
    places = names_of(bits, kLevels);
  const std::string_view number = kNumbers[source.level_number & 15];
  if (!number.empty()) places += fmt::format("{}{}", places.empty() ? "" : " or ", number);
  std::string result = fmt::format("{}{}{}", source.remote ? "Remote " : "", kHops[source.hops & 7], places);
  if (result.empty()) result = "N/A";
  if ((source.level & Hit) != 0) result += " hit";
  if ((source.level & Miss) != 0) result += " miss";
  return result;
}

std::string tlb_text(const DataSource& source) {
  using namespace access_tlb;
  constexpr std::string_view kNames[] = {"N/A", "", "", "L1", "L2", "Walker", "Fault"};
  std::string result = names_of(source.tlb & static_cast<unsigned>(~(Hit | Miss)), kNames);
  if ((source.tlb & Hit) != 0) result += " hit";
  if ((source.tlb & Miss) != 0) result += " miss";
  return result;
}

std::string snoop_text(const DataSource& source) {
  constexpr std::string_view kSnoops[] = {"N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer"};
  constexpr unsigned kExtraShift = 5;
  return names_of(source.snoop | static_cast<unsigned>(source.snoop_extra) << kExtraShift, kSnoops);
}

std::string_view lock_text(const DataSource& source) {
  constexpr std::string_view kLocks[] = {"No", "N/A", "Yes", "Yes"};
  return kLocks[source.lock & 3];
}

std::string block_text(const DataSource& source) {
  using namespace access_blocked;
  if ((source.blocked & NotAvailable) != 0 || source.blocked == 0) return " N/A";
  std::string text;
  if ((source.blocked & ByData) != 0) text += " Data";
  if ((source.blocked & ByAddress) != 0) text += " Addr";
  return text;
}

std::string page_size_text(u64 bytes) {
  constexpr std::string_view kUnits = "BKMGTPE";
  if (bytes == 0) return "N/A";
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < kUnits.size(); ++unit) bytes /= 1024;
  return std::to_string(bytes) + kUnits[unit];
}

}  // namespace peregrine::abi
