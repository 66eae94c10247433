#include "pipeline/decode/coresight/coresight_queue.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "abi/attr.h"
#include "abi/branch_flag.h"
#include "abi/sample.h"
#include "auxtrace/coresight/etm_decoder.h"
#include "auxtrace/intel_pt/flow.h"
#include "auxtrace/itrace.h"
#include "base/bytes.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "pipeline/decode/coresight/coresight_facts.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

namespace flag = abi::branch_flag;
using auxtrace::EtmBranch;
using auxtrace::EtmDecoder;
using auxtrace::EtmRange;

namespace {

constexpr u64 kPart = u64{1} << 12;  // bytes of trace per decoding step: each yields several branches
constexpr u64 kFrame = 16;

u32 flags_of(EtmBranch branch) {
  switch (branch) {
    case EtmBranch::Conditional:
      return flag::IsBranch | flag::Conditional;
    case EtmBranch::Call:
      return flag::IsBranch | flag::Call;
    case EtmBranch::Return:
      return flag::IsBranch | flag::Return;
    case EtmBranch::ExceptionReturn:
      return flag::IsBranch | flag::Return | flag::Interrupt;
    default:
      return flag::IsBranch;
  }
}

// Exception numbers of ETMv4 for A-profile processors.
u32 flags_of_exception(u32 number) {
  enum : u32 { kReset = 0, kDebugHalt = 1, kCall = 2, kSystemError = 4, kIrq = 14, kFiq = 15 };
  constexpr u32 kEnters = flag::IsBranch | flag::Call;
  if (number == kCall) return kEnters | flag::Syscall;
  const bool asynchronous =
      number == kReset || number == kDebugHalt || number == kSystemError || number == kIrq || number == kFiq;
  return kEnters | (asynchronous ? flag::Async | flag::Interrupt : flag::Interrupt);
}

}  // namespace

CoreSightQueue::CoreSightQueue(CoreSightSession& session, std::vector<TracePiece> pieces)
    : session_(session), pieces_(std::move(pieces)), cpu_(pieces_.front().cpu) {
  if (!session.facts.per_cpu) tid_ = pieces_.front().tid;
  for (const CoreSightUnit& unit : session.facts.units)
    flows_[static_cast<u8>(unit.registers.trace_id)].cpu = session.facts.per_cpu ? unit.cpu : kNobody;
  find_parts();
}

// Finds the piece that contains each part: AUX records give parts by offset in the ring. Without usable AUX records,
// whole pieces are decoded, after all records of the recording.
void CoreSightQueue::find_parts() {
  std::map<u64, const TracePiece*> by_offset;
  for (const TracePiece& piece : pieces_) by_offset[piece.offset] = &piece;
  const auto told = session_.facts.parts.find(session_.facts.per_cpu ? cpu_ : tid_);
  if (told != session_.facts.parts.end()) {
    for (const CoreSightPart& part : told->second) {
      // The piece that contains the part is the last one that begins at or before it.
      const auto behind = by_offset.upper_bound(part.offset);
      if (behind == by_offset.begin()) continue;
      const TracePiece& piece = *std::prev(behind)->second;
      const u64 from = part.offset - piece.offset;
      if (from < piece.size && part.size <= piece.size - from)
        add_part(piece, from, part.size, part.time, part.formatted);
    }
  }
  if (!parts_.empty()) return;
  for (const TracePiece& piece : pieces_) add_part(piece, 0, piece.size, kEnd - 1, true);
}

void CoreSightQueue::add_part(const TracePiece& piece, u64 from, u64 size, u64 time, bool formatted) {
  parts_.push_back({.piece = piece, .from = from, .size = size, .time = time, .formatted = formatted});
}

u64 CoreSightQueue::time() const {
  return next_part_ == parts_.size() ? kEnd : std::min(parts_[next_part_].time, kEnd - 1);
}

void CoreSightQueue::set_thread(u32 pid, u32 tid) {
  pid_ = pid;
  tid_ = tid;
}

void CoreSightQueue::run(u64 until, Moment moment) {
  session_.code.set_thread(pid(), tid_, moment);
  while (time() < until && session_.out.waiting() < kMuchWaiting) read_part();
}

// Decodes the next bytes. Each part starts after a gap in the trace.
void CoreSightQueue::read_part() {
  const Place& part = parts_[next_part_];
  const u64 left = part.size - read_;
  const auto bytes = read_piece(session_.reader, part.piece, part.from + read_, std::min(kPart, left));
  const auto decoder = session_.decoders.choose(part.formatted, cpu_, *this);
  if (!bytes || bytes->empty())
    session_.unread_bytes += left;
  else if (bytes->size() < std::min(kPart, left))
    session_.unread_bytes += left - bytes->size();
  bool whole = bytes && decoder;
  if (decoder && read_ == 0) (*decoder)->begin();
  if (whole) {
    // Formatted trace consists of 16-byte frames; an incomplete one at the end cannot be decoded.
    const std::size_t frames = part.formatted ? bytes->size() / kFrame * kFrame : bytes->size();
    whole = (*decoder)->decode(Bytes(*bytes).first(frames));
  }
  if (bytes && decoder && !whole) ++session_.damaged;
  if (whole && bytes->size() == kPart && left > kPart) {
    read_ += kPart;
    return;
  }
  if (decoder) (*decoder)->end();
  ++next_part_;
  read_ = 0;
}

// Returns the branch from the end of the last range to `to`; 0 means that the trace ends.
auxtrace::Branch CoreSightQueue::branch_to(const Flow& flow, u64 to) const {
  auxtrace::Branch branch{.to = to};
  if (!flow.running) {
    branch.flags = flag::IsBranch | flag::TraceBegin;
    return branch;
  }
  branch.from = flow.last.end - flow.last.last_size;
  branch.length = flow.last.last_size;
  branch.flags = flow.excepted ? flags_of_exception(flow.exception)
                 : to == 0     ? flag::IsBranch
                               : flags_of(flow.last.branch);
  if (to == 0) branch.flags |= flag::TraceEnd;
  return branch;
}

// A range is straight-line code, so branches exist only between ranges: after a taken branch or an exception, or where
// the trace starts.
void CoreSightQueue::range(u8 trace_id, const EtmRange& range) {
  Flow& flow = flows_[trace_id];
  if (!flow.running || flow.excepted || flow.last.taken) take(flow, branch_to(flow, range.start));
  flow.running = true;
  flow.excepted = false;
  flow.last = range;
  sample_instructions(flow, range);
}

void CoreSightQueue::exception(u8 trace_id, u32 number) {
  Flow& flow = flows_[trace_id];
  flow.excepted = flow.running;
  flow.exception = number;
}

void CoreSightQueue::gap(u8 trace_id) {
  Flow& flow = flows_[trace_id];
  if (flow.running) take(flow, branch_to(flow, 0));
  flow.running = flow.excepted = false;
  flow.branches.clear();
}

void CoreSightQueue::context(u8, u32 context) {
  if (context == 0 || context == tid_) return;
  tid_ = context;
  pid_ = session_.code.process_of(context);
}

std::size_t CoreSightQueue::read_code(u8, u64 address, std::span<std::byte> out) {
  session_.code.change_thread(pid(), tid_);
  return session_.code.read(address, out);
}

void CoreSightQueue::take(Flow& flow, const auxtrace::Branch& branch) {
  const u32 depth = session_.calls.follow(tid_, branch);
  if (session_.branches != CoreSightSession::kNone && wants_branch(session_.options, branch.flags)) {
    abi::Sample sample;
    sample.ip = branch.from;
    sample.addr = branch.to;
    sample.misc = session_.code.cpumode(branch.from != 0 ? branch.from : branch.to);
    sample.period = 1;
    sample.traced = {.flags = branch.flags, .length = branch.length, .depth = depth};
    put(session_.branches, flow, sample);
  }
  if (!session_.options.last_branch || branch.from == 0 || branch.to == 0) return;
  if (flow.branches.size() == session_.options.branch_count) flow.branches.erase(flow.branches.begin());
  flow.branches.push_back({.from = branch.from, .to = branch.to, .predicted = true});
}

unsigned CoreSightQueue::instruction_size(const EtmRange& range, u64 ip) {
  constexpr unsigned kWide = 4, kNarrow = 2, kFirstWide = 0x1d;
  std::array<std::byte, 2> half{};
  // A Thumb instruction has four bytes if its first half begins with 11101, 11110 or 11111.
  if (!range.thumb || read_code(0, ip, half) < half.size()) return kWide;
  return static_cast<unsigned>(half[1]) >> 3 >= kFirstWide ? kWide : kNarrow;
}

void CoreSightQueue::sample_instructions(Flow& flow, const EtmRange& range) {
  const ItraceOptions& options = session_.options;
  if (session_.instructions == CoreSightSession::kNone) return;
  const u64 period = std::max<u64>(options.period, 1);
  u64 ip = range.start;
  for (u32 i = 0; i < range.instructions && ip < range.end; ++i) {
    const unsigned size = instruction_size(range, ip);
    if (++flow.counted >= period) {
      const bool last = i + 1 == range.instructions;
      abi::Sample sample;
      sample.ip = ip;
      sample.misc = session_.code.cpumode(ip);
      sample.period = flow.counted;
      sample.traced = {.flags = last && range.branch != EtmBranch::None ? flags_of(range.branch) : 0,
                       .length = static_cast<u8>(size)};
      flow.counted = 0;
      put(session_.instructions, flow, sample);
    }
    ip += size;
  }
}

void CoreSightQueue::put(u32 event, Flow& flow, abi::Sample& sample) {
  const abi::EventAttr& attr = session_.out.attr(event);
  sample.pid = pid();
  sample.tid = tid_;
  sample.cpu = flow.cpu;
  if (attr.samples(abi::sample_bit::Callchain)) {
    session_.calls.chain(tid_, sample.ip, session_.options.callers, chain_);
    sample.callchain = chain_;
  }
  if (attr.samples(abi::sample_bit::BranchStack)) {
    newest_first_.assign(flow.branches.rbegin(), flow.branches.rend());
    sample.branches = newest_first_;
    sample.branch_hw_index = ~u64{0};
  }
  session_.out.put(sample, event);
}

}  // namespace peregrine
