#include "auxtrace/intel_pt/guest_times.h"

#include <algorithm>
#include <cstddef>

#include "auxtrace/intel_pt/packet.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::auxtrace {
namespace {

__extension__ typedef unsigned __int128 WideTicks;

constexpr std::size_t kPsbBytes = 16;
constexpr u64 kCtcRange = 1u << 16;  // range of the CTC in a TMA packet

}  // namespace

u64 GuestTimes::ticks_of(u64 ctc) const {
  return static_cast<u64>(WideTicks{ctc} * facts_.tsc_per_ctc_numerator / facts_.tsc_per_ctc_denominator);
}

void GuestTimes::feed(Bytes piece, bool gap) {
  if (gap) {
    at_ += bytes_.size();
    bytes_.clear();
    in_step_ = in_psb_ = false;
    guest_.reset();
    tsc_.reset();
    tma_.reset();
    lose_clock();
  }
  bytes_.insert(bytes_.end(), piece.begin(), piece.end());
  std::size_t used = 0;
  while (used < bytes_.size()) {
    const Bytes rest = Bytes(bytes_).subspan(used);
    if (!in_step_) {
      const std::size_t skipped = find_psb(rest);
      in_step_ = skipped < rest.size();
      const std::size_t passed = in_step_ ? skipped : rest.size() - std::min(rest.size(), kPsbBytes - 1);
      used += passed;
      at_ += passed;
      if (!in_step_) break;
      continue;
    }
    const Packet packet = read_packet(rest, item_bytes_);
    if (packet.type == PacketType::Incomplete) break;
    if (packet.type == PacketType::Bad) {
      ++bad_packets_;
      in_step_ = in_psb_ = false;
      lose_clock();
    } else {
      handle(packet);
    }
    used += packet.size;
    at_ += packet.size;
  }
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(used));
}

void GuestTimes::handle(const Packet& packet) {
  // A TMA immediately follows its TSC, so outside of a PSB+ the time is complete at any other packet.
  if (tsc_ && !in_psb_ && packet.type != PacketType::Tma) end_psb();
  switch (packet.type) {
    case PacketType::Psb:
      in_psb_ = true;
      item_bytes_ = 0;
      return;
    case PacketType::PsbEnd:
      end_psb();
      return;
    case PacketType::Tsc:
      tsc_ = packet;
      tma_.reset();
      tsc_place_ = at_;
      return;
    case PacketType::Tma:
      tma_ = packet;
      if (!in_psb_) end_psb();
      return;
    case PacketType::Mtc: {
      if (!has_mark_) return;
      ctc_since_ += ((packet.payload - last_mtc_) & 0xff) << facts_.mtc_shift;
      last_mtc_ = packet.payload;
      return;
    }
    case PacketType::Pip:
      guest_ = packet.count != 0;
      return;
    case PacketType::Vmcs:
      vmcs_ = packet.payload >> 12;
      return;
    case PacketType::BlockBegin:
      item_bytes_ = packet.count;
      return;
    case PacketType::BlockEnd:
      item_bytes_ = 0;
      return;
    case PacketType::Overflow:
      in_psb_ = false;
      item_bytes_ = 0;
      guest_.reset();
      lose_clock();
      return;
    default:
      return;
  }
}

void GuestTimes::end_psb() {
  in_psb_ = false;
  if (tsc_) take_time(*tsc_, tma_, tsc_place_);
  tsc_.reset();
  tma_.reset();
}

void GuestTimes::take_time(const Packet& tsc, std::optional<Packet> tma, u64 place) {
  const bool has_crystal = tma && facts_.tsc_per_ctc_denominator != 0;
  const unsigned shift = facts_.mtc_shift;
  if (!guest_.value_or(false)) {
    // A time of the host: the reference for guests. Until a PIP says who runs, it may be a guest's.
    has_mark_ = has_crystal && guest_.has_value();
    if (!has_mark_) return;
    mark_ = tsc.payload - tma->count;
    mark_ctc_ = tma->payload;
    ctc_since_ = 0;
    last_mtc_ = tma->payload >> shift & 0xff;
    return;
  }
  Time time{.place = place, .vmcs = vmcs_, .tsc = tsc.payload, .offset = {}};
  if (has_crystal && has_mark_) {
    // MTC packets give the elapsed time to within one MTC period; TMA gives it exactly, but modulo its range.
    const u64 exact = (tma->payload - mark_ctc_) & (kCtcRange - 1);
    const u64 from = ctc_since_ & ~((u64{1} << shift) - 1);
    u64 since = (from & ~(kCtcRange - 1)) | exact;
    if (since + kCtcRange / 2 < from) since += kCtcRange;
    if (since > from + kCtcRange / 2 && since >= kCtcRange) since -= kCtcRange;
    time.offset = (tsc.payload - (mark_ + ticks_of(since) + tma->count)) & kTscMask;
  }
  times_.push_back(time);
}

}  // namespace peregrine::auxtrace
