// The packet side of a FlowDecoder; flow_walk.cc walks through code.
//
// Between packets: without in_step_, at_ is not known to be a packet boundary, and only a PSB can establish one. While
// tracing_, ip_ is the next instruction to execute, and results_left_ outcomes are known but not yet used; otherwise
// ip_ is the last known instruction, or 0. After an error, in_step_ may hold while ip_ is 0: decoding then goes on at
// the next packet with a full address. The state between PSB and PSBEND is collected and applied at its end.
#include "auxtrace/intel_pt/flow.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "abi/branch_flag.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::auxtrace {

std::string_view flow_error_text(FlowError error) {
  switch (error) {
    case FlowError::BadPacket:
      return "Bad packet";
    case FlowError::NoCode:
      return "Failed to get instruction";
    case FlowError::Mismatch:
      return "Trace doesn't match instruction";
    case FlowError::Overflow:
      return "Overflow packet";
    case FlowError::Lost:
      return "Lost trace data";
    case FlowError::EndlessLoop:
      return "Never-ending loop";
  }
  return "Unknown error!";
}

namespace {

bool tells_the_flow(PacketType type) {
  return type == PacketType::Tnt || type == PacketType::Tip || type == PacketType::TipPge || type == PacketType::TipPgd;
}

}  // namespace

void FlowDecoder::feed(Bytes piece, u64 reference, bool gap) {
  if (!clock_.known()) clock_.expect(reference);
  if (gap) {
    if (in_step_) fail(FlowError::Lost, ip_);
    offset_ += bytes_.size() - at_;
    bytes_.clear();
    at_ = 0;
    in_step_ = false;
    clock_.expect(reference);
  }
  // A packet may continue in the next piece; its first bytes stay in front.
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  bytes_.insert(bytes_.end(), piece.begin(), piece.end());
}

// Skips to the next PSB. Keeps trailing bytes that may be the start of one.
bool FlowDecoder::synchronise() {
  constexpr std::size_t kPsb = 16;
  const std::size_t left = bytes_.size() - at_;
  const std::size_t skipped = find_psb(Bytes(bytes_).subspan(at_));
  in_step_ = skipped < left;
  const std::size_t passed = in_step_ ? skipped : left - std::min(left, kPsb - 1);
  at_ += passed;
  offset_ += passed;
  return in_step_;
}

bool FlowDecoder::run(u64 until) {
  for (;;) {
    if (!in_step_ && !synchronise()) return false;
    const Packet packet = read_packet(Bytes(bytes_).subspan(at_), item_bytes_);
    if (packet.type == PacketType::Incomplete) return false;
    if (packet.type == PacketType::Bad) {
      fail(FlowError::BadPacket, ip_);
      in_step_ = false;
      ++at_;
      ++offset_;
      continue;
    }
    handle(packet);
    at_ += packet.size;
    offset_ += packet.size;
    if (clock_.known() && clock_.ticks() > until) return true;
  }
}

void FlowDecoder::handle(const Packet& packet) {
  const u32 ratio = clock_.ratio();
  // Before the clock sees it: time never goes back, so a guest's later time would stop the clock.
  if (has_foreign_time(packet)) return;
  if (clock_.take(packet)) {
    if (packet.type != PacketType::Cbr || clock_.ratio() == ratio) return;
    if (in_psb_) {
      psb_ratio_ = packet;
    } else {
      sink_.event(packet, ip_);
    }
    return;
  }
  branches_ = 0;
  if (in_psb_ && tells_the_flow(packet.type)) end_psb();  // the PSBEND was lost
  if (passes_guest(packet)) return;
  switch (packet.type) {
    case PacketType::Psb:
      return take_psb();
    case PacketType::PsbEnd:
      return end_psb();
    case PacketType::Tnt:
      return take_results(packet);
    case PacketType::Tip:
      return take_target(packet);
    case PacketType::TipPge:
      bits_ = next_bits_;
      interrupted_ = false;
      if (take_address(packet)) begin_at(last_ip_);
      return;
    case PacketType::TipPgd:
      return take_end(packet);
    case PacketType::Fup:
      return take_place(packet);
    case PacketType::ModeExec:
    case PacketType::ModeTsx:
      return take_mode(packet);
    default:
      return take_event(packet);
  }
}

// A guest has its own TSC, unless `inject --vm-time-correlation` has removed the offset.
bool FlowDecoder::has_foreign_time(const Packet& packet) {
  if (packet.type == PacketType::Tsc) foreign_time_ = in_guest_ && !clock_.is_near(packet.payload);
  return foreign_time_ && (packet.type == PacketType::Tsc || packet.type == PacketType::Tma);
}

// Whether the packet belongs to a guest or enters one. A PIP precedes the address it applies to.
bool FlowDecoder::passes_guest(const Packet& packet) {
  switch (packet.type) {
    case PacketType::Pip:
      guest_next_ = packet.count != 0;
      if (in_psb_ && guest_next_ != in_guest_) {
        if (guest_next_) {
          enter_guest();
        } else {
          in_guest_ = false;
        }
      }
      return true;
    case PacketType::Psb:
    case PacketType::PsbEnd:
    case PacketType::Overflow:
      return false;
    case PacketType::Tip:
    case PacketType::TipPge:
      if (in_guest_ && !guest_next_) in_guest_ = false;
      if (!guest_next_) return false;
      break;
    case PacketType::TipPgd:
    case PacketType::Fup:
      if (!in_guest_) return false;
      break;
    case PacketType::ModeExec:
      return false;
    default:
      return in_guest_;
  }
  if (in_guest_ || packet.type != PacketType::Tip || !tracing_) {
    take_address(packet);
    if (!in_guest_) enter_guest();
    return true;
  }
  // The host branch that entered the guest; the trace does not contain its target.
  take_target({PacketType::Tip, packet.size, static_cast<u16>(AddressForm::None), 0});
  take_address(packet);
  enter_guest();
  return true;
}

void FlowDecoder::enter_guest() {
  in_guest_ = true;
  lose_track();
}

void FlowDecoder::take_psb() {
  // The processor starts afresh at a PSB as well, so that decoding can begin there: its last address is 0 and its
  // stack of return addresses empty (Intel SDM, "Packet Stream Boundary").
  in_psb_ = true;
  psb_ = {PacketType::Psb, 16, 0, offset_};
  psb_ip_ = 0;
  psb_ratio_ = {};
  last_ip_ = 0;
  has_last_ip_ = true;
  item_bytes_ = 0;
  pebs_.clear();
  calls_.clear();
}

// The PSB is reported at its end, when its time and address are known.
void FlowDecoder::end_psb() {
  if (!in_psb_) return;
  in_psb_ = false;
  sink_.event(psb_, psb_ip_);
  if (psb_ratio_.type == PacketType::Cbr) sink_.event(psb_ratio_, psb_ip_);
  if (tracing_ || in_guest_ || psb_ip_ == 0) return;
  bits_ = next_bits_;
  tracing_ = true;
  ip_ = psb_ip_;
}

void FlowDecoder::take_mode(const Packet& packet) {
  if (packet.type == PacketType::ModeExec) {
    // Applies from the next address in the trace, not to code before it.
    next_bits_ = static_cast<unsigned>(packet.payload);
    return;
  }
  if (in_psb_ || !tracing_) {
    transaction_ = (packet.payload & 1) != 0 ? abi::branch_flag::InTransaction : 0;
    return;
  }
  // A FUP follows with the address at which the transaction begins, ends or aborts.
  fup_ = FupMeans::Transaction;
  fup_event_ = packet;
}

void FlowDecoder::take_event(const Packet& packet) {
  switch (packet.type) {
    case PacketType::Overflow:
      fail(FlowError::Overflow, ip_);
      clock_.lose_packets();
      overflown_ = true;
      in_psb_ = false;
      item_bytes_ = 0;
      pebs_.clear();
      return;
    case PacketType::BlockBegin:
      item_bytes_ = packet.count;
      group_ = packet.payload;
      return;
    case PacketType::BlockItem:
      pebs_.set(group_, packet.count, packet.payload);
      return;
    case PacketType::BlockEnd:
      item_bytes_ = 0;
      [[fallthrough]];
    case PacketType::Ptwrite:
    case PacketType::ExStop:
      // `count`: a FUP follows with the address of this event.
      if (packet.count != 0 && tracing_) {
        fup_ = FupMeans::Event;
        fup_event_ = packet;
      } else {
        put_event(packet);
      }
      return;
    case PacketType::Mwait:
    case PacketType::PowerEntry:
    case PacketType::PowerExit:
      sink_.event(packet, ip_);
      return;
    default:
      return;  // packets irrelevant to the control flow
  }
}

void FlowDecoder::put_event(const Packet& packet) {
  if (packet.type != PacketType::BlockEnd) return sink_.event(packet, ip_);
  if (!pebs_.empty()) sink_.pebs(pebs_, ip_);
  pebs_.clear();
}

void FlowDecoder::begin_at(u64 ip) {
  tracing_ = ip != 0;
  ip_ = ip;
  results_left_ = 0;
  waits_ = overflown_ = false;
  sink_.branch({.to = ip, .flags = abi::branch_flag::IsBranch | abi::branch_flag::TraceBegin});
}

void FlowDecoder::lose_track() {
  tracing_ = false;
  results_left_ = 0;
  waits_ = interrupted_ = aborted_ = false;
  fup_ = FupMeans::Interrupt;
  calls_.clear();
}

// Decodes the packet's address and returns false if it is unknown: most forms only update the low bytes of the last
// one.
bool FlowDecoder::take_address(const Packet& packet) {
  const auto form = static_cast<AddressForm>(packet.count);
  if (form == AddressForm::None) return false;
  has_last_ip_ = has_last_ip_ || form == AddressForm::Signed48 || form == AddressForm::Full;
  if (has_last_ip_) last_ip_ = complete_address(packet, last_ip_);
  return has_last_ip_;
}

// Ignores the trace up to the next full address, because where one piece of code is missing, more usually is. After an
// overflow the last address stays valid.
void FlowDecoder::fail(FlowError error, u64 ip) {
  has_last_ip_ = has_last_ip_ && error == FlowError::Overflow;
  sink_.error(error, ip);
  lose_track();
  ip_ = 0;
}

void FlowDecoder::take_results(const Packet& packet) {
  if (!tracing_) return;
  // The code has reached an indirect branch, so a target was due.
  if (waits_) return fail(FlowError::Mismatch, ip_);
  overflown_ = interrupted_ = aborted_ = false;
  results_ = packet.payload;
  results_left_ = packet.count;
  walk_results();
}

void FlowDecoder::take_target(const Packet& packet) {
  const bool told = take_address(packet);
  const u64 to = told ? last_ip_ : 0;
  if (!tracing_) {
    bits_ = next_bits_;
    if (told) begin_at(to);
    return;
  }
  Branch branch;
  if (interrupted_) {
    using namespace abi::branch_flag;
    branch = {.from = ip_, .flags = IsBranch | Call | Async | (aborted_ ? Abort : Interrupt)};
    interrupted_ = aborted_ = false;
    transaction_ = 0;
  } else if (waits_) {
    branch = indirect_;
    waits_ = false;
  } else if (!walk_to_indirect(branch)) {
    return;
  }
  bits_ = next_bits_;
  take_indirect(branch, to);
  if (tracing_ && results_left_ != 0) walk_results();
}

// A jump, call or return with its target given in the trace.
void FlowDecoder::take_indirect(const Branch& branch, u64 to) {
  using namespace abi::branch_flag;
  Branch whole = branch;
  whole.to = to;
  whole.flags |= transaction_;
  if ((branch.flags & (Call | Async | Syscall)) == Call && branch.length != 0) {
    // Like the processor's own stack, this one drops its oldest entry when full.
    if (calls_.size() == kCalls) calls_.erase(calls_.begin());
    calls_.push_back(branch.from + branch.length);
  } else if ((branch.flags & (Return | Syscall)) == Return && !calls_.empty()) {
    calls_.pop_back();
  }
  ip_ = to;
  tracing_ = to != 0;
  sink_.branch(whole);
}

void FlowDecoder::take_end(const Packet& packet) {
  const bool told = take_address(packet);
  if (!tracing_) return;
  Branch branch;
  if (interrupted_) {
    branch = {.from = ip_, .flags = abi::branch_flag::IsBranch | abi::branch_flag::Async};
  } else if (waits_) {
    branch = indirect_;
  } else if (!walk_to_end(told, last_ip_, branch)) {
    return;
  }
  branch.to = told ? last_ip_ : 0;
  branch.flags |= abi::branch_flag::TraceEnd | transaction_;
  sink_.branch(branch);
  lose_track();
  ip_ = branch.from;  // events until tracing resumes are reported here
}

void FlowDecoder::take_place(const Packet& packet) {
  if (!take_address(packet)) return;
  if (in_psb_) {
    psb_ip_ = last_ip_;
    return;
  }
  if (overflown_ || !tracing_) {
    bits_ = next_bits_;
    interrupted_ = !overflown_ && fup_ == FupMeans::Interrupt;
    begin_at(last_ip_);
    fup_ = FupMeans::Interrupt;
    return;
  }
  const FupMeans means = std::exchange(fup_, FupMeans::Interrupt);
  if (waits_) return fail(FlowError::Mismatch, ip_);
  if (!walk_to(last_ip_)) return;
  if (means == FupMeans::Event) return put_event(fup_event_);
  interrupted_ = means == FupMeans::Interrupt;
  if (means != FupMeans::Transaction) return;
  aborted_ = interrupted_ = (fup_event_.payload & 2) != 0;
  transaction_ = (fup_event_.payload & 1) != 0 ? abi::branch_flag::InTransaction : 0;
}

}  // namespace peregrine::auxtrace
