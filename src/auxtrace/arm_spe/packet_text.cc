#include "auxtrace/arm_spe/packet_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "auxtrace/arm_spe/record.h"
#include "base/types.h"

namespace peregrine {
namespace {

struct BitName {
  u64 bit;
  std::string_view name;
};
constexpr auto kEventNames = std::to_array<BitName>({
    {spe_event::Exception, "EXCEPTION-GEN"},
    {spe_event::Retired, "RETIRED"},
    {spe_event::L1Access, "L1D-ACCESS"},
    {spe_event::L1Refill, "L1D-REFILL"},
    {spe_event::TlbAccess, "TLB-ACCESS"},
    {spe_event::TlbWalk, "TLB-REFILL"},
    {spe_event::NotTaken, "NOT-TAKEN"},
    {spe_event::Mispredicted, "MISPRED"},
    {spe_event::LastLevelAccess, "LLC-ACCESS"},
    {spe_event::LastLevelMiss, "LLC-REFILL"},
    {spe_event::Remote, "REMOTE-ACCESS"},
    {spe_event::Misaligned, "ALIGNMENT"},
    {spe_event::PartialPredicate, "SVE-PARTIAL-PRED"},
    {spe_event::EmptyPredicate, "SVE-EMPTY-PRED"},
});

std::string events_text(u64 events) {
  std::string text = "EV";
  for (const auto& [bit, name] : kEventNames)
    if (events & bit) text.append(" ").append(name);
  return text;
}

std::string memory_text(const SpeOperation& operation) {
  std::string text = operation.is_store() ? "ST" : "LD";
  constexpr auto kGroups =
      std::to_array<BitName>({{0x00, " GP-REG"}, {0x04, " SIMD-FP"}, {0x10, " UNSPEC-REG"}, {0x30, " NV-SYSREG"}});
  if (operation.is_extended()) {
    if (operation.is_atomic()) text += " AT";
    if (operation.is_exclusive()) text += " EXCL";
    if (operation.is_ordered()) text += " AR";
  } else if (operation.is_sve()) {
    text += fmt::format(" EVLEN {}", operation.vector_length());
    if (operation.subclass & 4) text += " PRED";
    if (operation.subclass & 0x80) text += " SG";
  } else if (const auto* group = std::ranges::find(kGroups, operation.subclass & 0xfeu, &BitName::bit);
             group != kGroups.end()) {
    text += group->name;
  }
  return text;
}

std::string operation_text(const SpeOperation& operation) {
  switch (operation.op_class) {
    case spe_class::LoadStore:
      return memory_text(operation);
    case spe_class::Branch:
      return fmt::format("B{}{}", operation.is_conditional() ? " COND" : "", operation.is_indirect() ? " IND" : "");
    case spe_class::Other:
      if (operation.is_sve())
        return fmt::format("SVE-OTHER EVLEN {}{}{}", operation.vector_length(), operation.subclass & 2 ? " FP" : "",
                           operation.subclass & 4 ? " PRED" : "");
      return operation.is_conditional() ? "OTHER COND-SELECT" : "OTHER INSN-OTHER";
    default:
      return fmt::format("OP-TYPE {:#x} ({})", operation.subclass, operation.op_class);
  }
}

std::string address_text(const SpePacket& packet) {
  const u64 payload = packet.payload, address = payload & ((u64{1} << 56) - 1);
  switch (packet.index) {
    case spe_address::Pc:
    case spe_address::BranchTarget:
      return fmt::format("{} {:#x} el{} ns={}", packet.index == spe_address::Pc ? "PC" : "TGT", address,
                         payload >> 61 & 3, payload >> 63);
    case spe_address::DataVirtual:
      return fmt::format("VA {:#x}", payload);
    case spe_address::DataPhysical:
      return fmt::format("PA {:#x} ns={} ch={} pat={:x}", address, payload >> 63, payload >> 62 & 1,
                         payload >> 56 & 15);
    default:
      return fmt::format("ADDR {:#x} ({})", payload, packet.index);
  }
}

}  // namespace

std::string spe_packet_text(const SpePacket& packet) {
  switch (packet.kind) {
    case SpePacketKind::Bad:
      return "Bad packet!";
    case SpePacketKind::Padding:
      return "PAD";
    case SpePacketKind::End:
      return "END";
    case SpePacketKind::Timestamp:
      return fmt::format("TS {}", packet.payload);
    case SpePacketKind::Events:
      return events_text(packet.payload);
    case SpePacketKind::DataSource:
      return fmt::format("DATA-SOURCE {}", packet.payload);
    case SpePacketKind::Context:
      return fmt::format("CONTEXT {:#x} el{}", packet.payload, packet.index + 1);
    case SpePacketKind::Operation:
      return operation_text({.op_class = packet.index, .subclass = static_cast<u8>(packet.payload)});
    case SpePacketKind::Address:
      return address_text(packet);
    case SpePacketKind::Counter: {
      constexpr std::array<std::string_view, 3> kNames = {"TOT", "ISSUE", "XLAT"};
      return fmt::format("LAT {} {}", packet.payload, packet.index < kNames.size() ? kNames[packet.index] : "");
    }
  }
  return "Bad packet!";
}

}  // namespace peregrine
