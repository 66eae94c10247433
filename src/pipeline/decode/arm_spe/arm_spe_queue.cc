#include "pipeline/decode/arm_spe/arm_spe_queue.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "abi/record.h"
#include "abi/sample.h"
#include "auxtrace/arm_spe/record.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 20;  // bytes of waiting samples

}  // namespace

ArmSpeQueue::ArmSpeQueue(ArmSpeSession& session, std::vector<TracePiece> pieces)
    : session_(session),
      pieces_(std::move(pieces)),
      sampler_(session.options, session.facts.midr),
      cpu_(pieces_.front().cpu) {
  if (!session.facts.per_cpu) tid_ = pieces_.front().tid;
  read_record();
}

u64 ArmSpeQueue::time() const {
  if (!record_) return kEnd;
  return session_.facts.timeless ? kEnd - 1 : time_;
}

void ArmSpeQueue::set_thread(u32 pid, u32 tid) {
  if (session_.contexts) return;
  pid_ = pid;
  tid_ = tid;
}

bool ArmSpeQueue::feed() {
  if (next_piece_ == pieces_.size()) return false;
  const TracePiece& piece = pieces_[next_piece_++];
  if (next_piece_ > 1) {
    // Sizes are padded to 8 bytes, so the next piece may overlap the padding.
    const TracePiece& last = pieces_[next_piece_ - 2];
    const bool follows = piece.offset <= last.offset + last.size && piece.offset >= last.offset;
    if (!follows && reader_.unfinished()) ++session_.losses.damaged;
    if (!follows) reader_.restart();
  }
  auto bytes = read_piece(session_.reader, piece);
  if (!bytes) session_.losses.unread_bytes += piece.size;
  bytes_ = bytes ? std::move(*bytes) : std::vector<std::byte>();
  reader_.feed(bytes_);
  return true;
}

void ArmSpeQueue::count_losses() {
  if (reader_.unfinished()) ++session_.losses.damaged;
  session_.losses.bad_bytes += reader_.bad_bytes();
  session_.losses.unknown_packets += reader_.unknown_packets();
}

void ArmSpeQueue::read_record() {
  SpeRecord record;
  for (;;) {
    if (!reader_.next(record)) {
      if (feed()) continue;
      count_losses();
      record_.reset();
      return;
    }
    if (!record.damaged) break;
    ++session_.losses.damaged;
  }
  if (record.context != SpeRecord::kNoContext) session_.contexts = true;
  record_ = record;
  // A record without a time gets the previous record's.
  if (record.timestamp != 0) record_time_ = session_.facts.time_of(record.timestamp);
  time_ = std::max(time_, record_time_);
}

// Looks up the thread's process, as far as known at `moment`.
void ArmSpeQueue::find_process(Moment moment) {
  if (tid_ == kNobody) return;
  const ThreadState state = session_.machine.thread(kNobody, tid_, moment);
  if (state.thread.valid()) pid_ = state.pid;
}

void ArmSpeQueue::run(u64 until, Moment moment) {
  find_process(moment);
  while (record_) {
    if (record_->context != SpeRecord::kNoContext && record_->context != tid_) {
      tid_ = record_->context;
      pid_ = kNobody;
      find_process(moment);
    }
    tell();
    read_record();
    const bool early = session_.facts.timeless || time_ < until;
    if (!early || session_.out.waiting() >= kEnough) return;
  }
}

u32 ArmSpeQueue::event_of(SpeEventKind kind) const {
  const auto found = std::ranges::find(session_.events, kind, &std::pair<SpeEventKind, u32>::first);
  return found->second;  // always found: the sampler only produces samples of these events
}

void ArmSpeQueue::tell() {
  samples_.clear();
  sampler_.add(*record_, samples_);
  for (const SpeSample& made : samples_) {
    abi::Sample sample;
    sample.ip = made.ip;
    sample.addr = made.addr;
    sample.phys_addr = made.phys_addr;
    sample.weight = made.weight;
    sample.data_src = made.data_src;
    sample.period = made.period;
    sample.misc = (made.ip >> 63) != 0 ? abi::misc_bit::Kernel : abi::misc_bit::User;
    sample.pid = pid_;
    sample.tid = tid_;
    sample.cpu = cpu_;
    sample.time = record_time_;
    session_.out.put(sample, event_of(made.event));
  }
}

}  // namespace peregrine
