#include "pipeline/decode/intel_bts/intel_bts_queue.h"

#include <algorithm>
#include <utility>

#include "abi/branch_flag.h"
#include "abi/sample.h"
#include "auxtrace/intel_pt/block.h"
#include "auxtrace/intel_pt/flow.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

namespace flag = abi::branch_flag;
using auxtrace::BtsRecord;

namespace {

constexpr u64 kMostCompared = BtsRecord::kSize << 16;  // bytes of a snapshot to compare

}  // namespace

IntelBtsQueue::IntelBtsQueue(const IntelBtsSession& session, std::vector<TracePiece> pieces)
    : session_(session), pieces_(std::move(pieces)), cpu_(pieces_.front().cpu) {
  if (!session.facts.per_cpu) tid_ = pieces_.front().tid;
}

u64 IntelBtsQueue::time() const {
  if (next_piece_ == pieces_.size()) return kEnd;
  if (session_.timeless) return kEnd - 1;
  return std::min(session_.facts.time_of(pieces_[next_piece_].reference), kEnd - 1);
}

void IntelBtsQueue::set_thread(u32 pid, u32 tid) {
  pid_ = pid;
  tid_ = tid;
}

void IntelBtsQueue::run(u64 until, Moment moment) {
  session_.code.set_thread(pid(), tid_, moment);
  while (time() < until && session_.out.waiting() < kMuchWaiting) read_part();
}

// A snapshot repeats the last one's records, as far as they were not overwritten in between. Returns the size of the
// repeated part.
u64 IntelBtsQueue::repeated() const {
  if (!session_.facts.snapshots || next_piece_ == 0) return 0;
  const TracePiece &last = pieces_[next_piece_ - 1], &piece = pieces_[next_piece_];
  const u64 tail = std::min(last.size - last.size % BtsRecord::kSize, kMostCompared);
  const u64 from = last.size - last.size % BtsRecord::kSize - tail;
  const auto before = read_piece(session_.reader, last, from, tail);
  const auto start = read_piece(session_.reader, piece, 0, kMostCompared);
  return before && start ? auxtrace::bts_overlap(*before, *start) : 0;
}

void IntelBtsQueue::read_part() {
  const TracePiece& piece = pieces_[next_piece_];
  if (read_ == 0) read_ = repeated();
  const auto bytes = read_piece(session_.reader, piece, read_, kPart);
  if (!bytes || (bytes->empty() && read_ < piece.size)) error(auxtrace::FlowError::Lost, 0);
  Bytes left = bytes ? Bytes(*bytes) : Bytes();
  for (; left.size() >= BtsRecord::kSize; left = left.subspan(BtsRecord::kSize)) {
    const BtsRecord record = auxtrace::decode_bts_record(left);
    if (!record.is_empty()) take(record);
  }
  read_ += kPart;
  if (bytes && bytes->size() == kPart && read_ < piece.size) return;
  ++next_piece_;
  read_ = 0;
}

// BTS records addresses only: the kind of branch comes from decoding the instruction at `from`.
auxtrace::Branch IntelBtsQueue::classify(const BtsRecord& record) {
  auxtrace::Branch branch{.from = record.from, .to = record.to};
  if (record.from == 0 || record.to == 0) {
    branch.flags = flag::IsBranch | (record.from == 0 ? flag::TraceBegin : flag::TraceEnd);
    return branch;
  }
  const auxtrace::Block* const block = session_.code.block(record.from, MachineCode::kBitsOfFile);
  if (block == nullptr || block->instructions() == 0) {
    error(auxtrace::FlowError::NoCode, record.from);
    return branch;
  }
  const bool alone = block->instructions() == 1;
  branch.length = static_cast<u8>(alone ? block->size : block->starts[1]);
  branch.flags = alone ? auxtrace::exit_flags(block->exit) : 0;
  constexpr u32 kSyscall = flag::IsBranch | flag::Call | flag::Syscall;
  const bool enters_kernel = record.from < kKernelStart && record.to >= kKernelStart;
  if (enters_kernel && branch.flags != kSyscall)
    branch.flags = flag::IsBranch | flag::Call | flag::Async | flag::Interrupt;
  return branch;
}

void IntelBtsQueue::take(const BtsRecord& record) {
  const auxtrace::Branch branch = classify(record);
  const u32 depth = session_.calls.follow(tid_, branch);
  if (session_.branches != IntelBtsSession::kNone && wants_branch(session_.options, branch.flags)) put(branch, depth);
}

void IntelBtsQueue::put(const auxtrace::Branch& branch, u32 depth) {
  abi::Sample sample;
  sample.ip = branch.from;
  sample.addr = branch.to;
  sample.misc = session_.code.cpumode(branch.from);
  sample.pid = pid();
  sample.tid = tid_;
  sample.cpu = cpu_;
  sample.period = 1;
  sample.traced.flags = branch.flags;
  sample.traced.length = branch.length;
  sample.traced.depth = depth;
  session_.out.put(sample, session_.branches);
}

void IntelBtsQueue::error(auxtrace::FlowError error, u64 ip) {
  if (!session_.options.errors) return;
  session_.out.put_error({.code = static_cast<u32>(error),
                          .cpu = cpu_,
                          .pid = pid(),
                          .tid = tid_,
                          .ip = ip,
                          .time = 0,
                          .message = auxtrace::flow_error_text(error)});
}

}  // namespace peregrine
