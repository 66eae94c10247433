#include "auxtrace/arm_spe/record.h"

#include <utility>

#include "base/types.h"

namespace peregrine {

bool SpeRecordReader::next(SpeRecord& out) {
  // A record ends with a time stamp or an End packet. After bad bytes, the next one may have lost its beginning, so it
  // is marked as damaged up to its end.
  while (!rest_.empty()) {
    const SpePacket packet = decode_spe_packet(rest_);
    rest_ = rest_.subspan(packet.size);
    if (packet.kind == SpePacketKind::Padding) continue;
    if (packet.kind == SpePacketKind::Bad) {
      bad_bytes_ += packet.size;
      const bool piece = finish(out, true);
      torn_ = true;
      if (piece) return true;
    } else if (take(packet) && finish(out, torn_)) {
      return true;
    }
  }
  return false;
}

// An End without preceding packets, as after a time stamp, is not a record.
bool SpeRecordReader::finish(SpeRecord& out, bool damaged) {
  out = std::exchange(record_, SpeRecord());
  out.damaged = damaged;
  torn_ = false;
  return std::exchange(begun_, false);
}

// Returns true if the packet ends the record.
bool SpeRecordReader::take(const SpePacket& packet) {
  if (packet.kind == SpePacketKind::End) return true;
  // Records start with the address of their operation, so one that does so after bad bytes is complete.
  if (!begun_ && packet.kind == SpePacketKind::Address && packet.index == spe_address::Pc) torn_ = false;
  begun_ = true;
  switch (packet.kind) {
    case SpePacketKind::Timestamp:
      record_.timestamp = packet.payload;
      return true;
    case SpePacketKind::Events:
      record_.events = packet.payload;
      break;
    case SpePacketKind::DataSource:
      record_.data_source = packet.payload;
      break;
    case SpePacketKind::Context:
      record_.context = static_cast<u32>(packet.payload);
      break;
    case SpePacketKind::Operation:
      record_.operation = {.op_class = packet.index, .subclass = static_cast<u8>(packet.payload)};
      break;
    case SpePacketKind::Address:
      take_address(packet);
      break;
    case SpePacketKind::Counter:
      take_counter(packet);
      break;
    case SpePacketKind::Bad:
    case SpePacketKind::Padding:
    case SpePacketKind::End:
      break;
  }
  return false;
}

void SpeRecordReader::take_address(const SpePacket& packet) {
  const u64 address = spe_address_of(packet);
  switch (packet.index) {
    case spe_address::Pc:
      record_.from_ip = address;
      break;
    case spe_address::BranchTarget:
      record_.to_ip = address;
      break;
    case spe_address::DataVirtual:
      record_.virt_addr = address;
      break;
    case spe_address::DataPhysical:
      record_.phys_addr = address;
      break;
    case spe_address::PreviousBranchTarget:
      record_.previous_branch_to = address;
      break;
    default:
      ++unknown_packets_;
  }
}

void SpeRecordReader::take_counter(const SpePacket& packet) {
  const auto cycles = static_cast<u16>(packet.payload);
  switch (packet.index) {
    case spe_counter::TotalLatency:
      record_.latency = cycles;
      break;
    case spe_counter::IssueLatency:
      record_.issue_latency = cycles;
      break;
    case spe_counter::TranslationLatency:
      record_.translation_latency = cycles;
      break;
    default:
      ++unknown_packets_;
  }
}

}  // namespace peregrine
