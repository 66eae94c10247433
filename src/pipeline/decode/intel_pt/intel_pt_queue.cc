#include "pipeline/decode/intel_pt/intel_pt_queue.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "abi/attr.h"
#include "abi/branch_flag.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/clock.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/intel_pt/packet.h"
#include "auxtrace/intel_pt/pebs_record.h"
#include "auxtrace/itrace.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "pipeline/decode/intel_pt/intel_pt_facts.h"

namespace peregrine {

namespace flag = abi::branch_flag;
using auxtrace::PacketType;

IntelPtQueue::IntelPtQueue(const IntelPtSession& session, u64 config, std::vector<TracePiece> pieces)
    : session_(session),
      pieces_(std::move(pieces)),
      flow_(session.facts.flow(config), session.code, *this),
      cpu_(pieces_.empty() ? 0 : pieces_.front().cpu) {
  if (!pieces_.empty() && !session.facts.per_cpu) tid_ = pieces_.front().tid;
}

u64 IntelPtQueue::time() const {
  if (ended_) return kEnd;
  return flow_.clock().known() ? now() : 0;
}

u64 IntelPtQueue::now() const { return session_.facts.time_of(flow_.clock().ticks()); }

void IntelPtQueue::set_thread(u32 pid, u32 tid) {
  pid_ = pid;
  tid_ = tid;
}

// Reads one part at a time, since a piece may be as large as memory.
bool IntelPtQueue::feed() {
  if (next_piece_ == pieces_.size()) return false;
  const TracePiece& piece = pieces_[next_piece_];
  const auto bytes = read_piece(session_.reader, piece, fed_, kPart);
  const bool gap = lost_ || (fed_ == 0 && !follows(next_piece_));
  lost_ = !bytes || bytes->size() < std::min(kPart, piece.size - fed_);
  if (bytes) {
    flow_.feed(*bytes, piece.reference, gap);
    fed_ += bytes->size();
  } else {
    error(auxtrace::FlowError::Lost, 0);
  }
  if (!lost_ && fed_ < piece.size) return true;
  ++next_piece_;
  fed_ = 0;
  return true;
}

// Returns whether a piece continues the one before it without a gap.
bool IntelPtQueue::follows(std::size_t piece) const {
  if (piece == 0) return true;
  const TracePiece& before = pieces_[piece - 1];
  return !session_.facts.snapshots && before.offset + before.size == pieces_[piece].offset;
}

void IntelPtQueue::run(u64 until, Moment moment) {
  session_.code.set_thread(pid_ == kNobody ? tid_ : pid_, tid_, moment);
  const u64 ticks = until == kEnd ? kEnd : session_.facts.ticks_of(until);
  while (!flow_.run(ticks)) {
    if (!feed()) {
      ended_ = true;
      return;
    }
    if (session_.out.waiting() >= kMuchWaiting) return;  // the caller writes samples, then calls again
  }
}

// Returns how many instructions to skip before the next sample; 0 samples the next one.
u32 IntelPtQueue::steps_to_sample() {
  constexpr u32 kMany = ~u32{0};
  const ItraceOptions& options = session_.options;
  const u64 period = std::max<u64>(session_.events.period, 1);
  if (options.period == 0) return 0;
  if (options.unit == ItraceUnit::Instructions) {
    return static_cast<u32>(std::min<u64>(period - 1 - counted_ % period, kMany));
  }
  const auxtrace::TraceClock& clock = flow_.clock();
  // Between two times in the trace, time is estimated from the instructions since the last one.
  if (tick_ != clock.ticks()) {
    tick_ = clock.ticks();
    since_tick_ = 0;
  }
  const u64 at = tick_ + clock.ticks_of(since_tick_);
  if (due_ == 0) due_ = at - at % period + period;
  if (at >= due_) {
    due_ = at - at % period + period;
    return 0;
  }
  return static_cast<u32>(std::min<u64>((due_ - at) / std::max<u64>(clock.ticks_of(1), 1), kMany - 1) + 1);
}

void IntelPtQueue::executed(u64 ip, const auxtrace::Block& block, u32 first, u32 last, u32 ending) {
  if (session_.events.instructions == IntelPtEvents::kNone) {
    instructions_ += last - first;
    return;
  }
  // Counts whole runs of instructions up to the next sample instead of one at a time: most are not sampled.
  while (first < last) {
    const u32 before = steps_to_sample();
    const u32 passed = std::min(before, last - first);
    first += passed;
    instructions_ += passed;
    counted_ += passed;
    since_tick_ += passed;
    if (first == last) return;
    ++instructions_;
    ++counted_;
    ++since_tick_;
    const u32 end = first + 1 < block.instructions() ? block.starts[first + 1] : block.size;
    const u32 flags = end == block.size ? auxtrace::exit_flags(block.exit) | ending : 0;
    sample_instruction(
        {.from = ip + block.starts[first], .flags = flags, .length = static_cast<u8>(end - block.starts[first])});
    ++first;
  }
}

// Sets the instructions and cycles since the last sample that knew both.
void IntelPtQueue::count_cycles(abi::Sample& sample, u64& instructions, u64& cycles) const {
  const auxtrace::TraceClock& clock = flow_.clock();
  if (!clock.has_cycles() || clock.cycles() == cycles) return;
  sample.traced.cycles = clock.cycles() - cycles;
  sample.traced.instructions = instructions_ - instructions;
  cycles = clock.cycles();
  instructions = instructions_;
}

void IntelPtQueue::sample_instruction(const auxtrace::Branch& instruction) {
  abi::Sample sample;
  sample.period = instructions_ - sampled_;
  sampled_ = instructions_;
  sample.traced.flags = instruction.flags;
  sample.traced.length = instruction.length;
  count_cycles(sample, sample_instructions_, sample_cycles_);
  put(session_.events.instructions, instruction.from, 0, sample);
}

void IntelPtQueue::put(u32 event, u64 ip, u64 addr, abi::Sample& sample) {
  sample.ip = ip;
  sample.addr = addr;
  sample.misc = session_.code.cpumode(ip != 0 ? ip : addr);
  sample.time = now();
  put_with_stacks(event, sample);
}

// Completes the sample with its thread, its call chain and its branches, and writes it.
void IntelPtQueue::put_with_stacks(u32 event, abi::Sample& sample) {
  const abi::EventAttr& attr = session_.out.attr(event);
  sample.pid = pid_ == kNobody ? tid_ : pid_;
  sample.tid = tid_;
  sample.cpu = cpu_;
  if (attr.samples(abi::sample_bit::Callchain)) {
    session_.calls.chain(tid_, sample.ip, session_.options.callers, chain_);
    sample.callchain = chain_;
  }
  if (attr.samples(abi::sample_bit::BranchStack) && sample.branches.empty()) {
    branches_.assign(last_branches_.begin(), last_branches_.end());
    sample.branches = branches_;
    sample.branch_hw_index = ~u64{0};
  }
  session_.out.put(sample, event);
}

// The sample's time is the record's own, or the trace's if the record has none.
void IntelPtQueue::pebs(const auxtrace::PebsRecord& record, u64 ip) {
  for (const u32 event : session_.pebs.events_of(record, cpu_)) {
    abi::Sample sample;
    sample.ip = ip;
    fill_pebs_sample(record, session_.out.attr(event), sample, pebs_);
    sample.misc = session_.code.cpumode(sample.ip) | abi::misc_bit::ExactIp;
    const auto ticks = record.item(auxtrace::PebsRecord::Basic, auxtrace::pebs_item::Tsc);
    sample.time = ticks ? session_.facts.time_of(*ticks) : now();
    put_with_stacks(event, sample);
  }
}

void IntelPtQueue::remember(const auxtrace::Branch& branch) {
  if (!session_.options.last_branch) return;
  last_branches_.push_front({.from = branch.from,
                             .to = branch.to,
                             .in_transaction = (branch.flags & flag::InTransaction) != 0,
                             .abort = (branch.flags & flag::Abort) != 0});
  if (last_branches_.size() > session_.options.branch_count) last_branches_.pop_back();
}

void IntelPtQueue::branch(const auxtrace::Branch& branch) {
  const u32 depth = session_.calls.follow(tid_, branch);
  if (session_.events.branches != IntelPtEvents::kNone && wants_branch(session_.options, branch.flags)) {
    abi::Sample sample;
    sample.period = 1;
    sample.traced.flags = branch.flags;
    sample.traced.length = branch.length;
    sample.traced.depth = depth;
    count_cycles(sample, branch_instructions_, branch_cycles_);
    put(session_.events.branches, branch.from, branch.to, sample);
  }
  remember(branch);
}

void IntelPtQueue::put_raw(u32 event, u64 ip, u32 first, u64 second, unsigned size) {
  if (event == IntelPtEvents::kNone) return;
  ByteWriter raw(ByteOrder::Little);
  raw.put32(first);
  if (size == 12) raw.put64(second);
  abi::Sample sample;
  sample.period = 1;
  sample.raw = raw.bytes();
  put(event, ip, 0, sample);
}

// The payload holds the ratio of core to bus clock, the ratio at the base frequency, and the core's frequency in kHz.
void IntelPtQueue::put_ratio(const auxtrace::Packet& packet, u64 ip) {
  const IntelPtFacts& facts = session_.facts;
  const u64 base_khz = facts.duration_in_ticks(1'000'000);  // ticks per millisecond
  const u64 khz = facts.base_ratio == 0 ? 0 : (base_khz + facts.base_ratio / 2) / facts.base_ratio * packet.payload;
  put_raw(session_.events.cbr, ip, static_cast<u32>(packet.payload | (facts.base_ratio & 0xff) << 16), khz, 12);
}

void IntelPtQueue::event(const auxtrace::Packet& packet, u64 ip) {
  const IntelPtEvents& events = session_.events;
  const u32 has_ip = packet.count != 0 ? 1 : 0;
  switch (packet.type) {
    case PacketType::Psb:
      return put_raw(events.psb, ip, 0, packet.payload, 12);
    case PacketType::Cbr:
      if (events.cbr != IntelPtEvents::kNone) put_ratio(packet, ip);
      return;
    case PacketType::Ptwrite:
      return put_raw(events.ptwrite, ip, has_ip, packet.payload, 12);
    case PacketType::Mwait:
      return put_raw(events.mwait, ip, 0, packet.payload, 12);
    case PacketType::PowerEntry:
      return put_raw(events.pwre, ip, 0, packet.payload, 12);
    case PacketType::PowerExit:
      return put_raw(events.pwrx, ip, 0, packet.payload, 12);
    case PacketType::ExStop:
      return put_raw(events.exstop, ip, has_ip, 0, 4);
    default:
      return;
  }
}

void IntelPtQueue::error(auxtrace::FlowError error, u64 ip) {
  session_.calls.forget(tid_);
  last_branches_.clear();
  const ItraceFlags& flags = session_.options.error_flags;
  const bool hidden = (error == auxtrace::FlowError::Overflow && flags.off('o')) ||
                      (error == auxtrace::FlowError::Lost && flags.off('l'));
  if (!session_.options.errors || hidden) return;
  session_.out.put_error({.code = static_cast<u32>(error),
                          .cpu = cpu_,
                          .pid = pid_ == kNobody ? tid_ : pid_,
                          .tid = tid_,
                          .ip = ip,
                          .time = now(),
                          .message = auxtrace::flow_error_text(error)});
}

}  // namespace peregrine
