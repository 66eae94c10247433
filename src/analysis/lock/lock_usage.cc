#include "analysis/lock/lock_usage.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <expected>
#include <functional>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

enum LockEvent : u8 { WaitBegin, WaitEnd, AcquireLock, AcquiredLock, ContendedLock, ReleaseLock };
enum LockField : u8 { LockAddress, LockFlags, LockName };
constexpr u64 kTryFlag = 1, kReadFlag = 2;  // flags of lock_acquire

std::vector<WantedTracepoint> wanted_locks() {
  return {{"lock", "contention_begin", {"lock_addr", "flags"}},
          {"lock", "contention_end", {"lock_addr"}},
          {"lock", "lock_acquire", {"lockdep_addr", "flags", "name"}},
          {"lock", "lock_acquired", {"lockdep_addr", "flags", "name"}},
          {"lock", "lock_contended", {"lockdep_addr", "flags", "name"}},
          {"lock", "lock_release", {"lockdep_addr", "flags", "name"}}};
}

constexpr u32 kSpin = 1, kReader = 2, kWriter = 4, kRealTime = 8, kPerCpu = 16, kMutex = 32;
constexpr std::pair<u32, std::string_view> kLockTypes[] = {
    {0, "semaphore"},
    {kSpin, "spinlock"},
    {kSpin | kReader, "rwlock:R"},
    {kSpin | kWriter, "rwlock:W"},
    {kReader, "rwsem:R"},
    {kWriter, "rwsem:W"},
    {kRealTime, "rtmutex"},
    {kRealTime | kReader, "rwlock-rt:R"},
    {kRealTime | kWriter, "rwlock-rt:W"},
    {kPerCpu | kReader, "pcpu-sem:R"},
    {kPerCpu | kWriter, "pcpu-sem:W"},
    {kMutex, "mutex"},
    {kMutex | kSpin, "mutex"},
};

}  // namespace

std::string_view lock_type(u32 flags) {
  for (const auto& [bits, name] : kLockTypes)
    if (bits == flags) return name;
  return "unknown";
}

std::vector<u32> lock_flags(std::string_view type) {
  std::vector<u32> flags;
  for (const auto& [bits, name] : kLockTypes)
    if (name == type) flags.push_back(bits);
  return flags;
}

LockUsage::LockUsage(const data::Reader& reader, const Request& request)
    : TracepointSink(reader, wanted_locks()), request_(request), callers_(request.skip, request.max_stack) {}

LockRow& LockUsage::task_row(u32 tid) {
  LockRow& row = rows_[tid];
  row.key = tid;
  row.name = tasks_[tid];
  return row;
}

LockRow& LockUsage::cgroup_row(const abi::Sample& sample) {
  if ((sample.fields & abi::sample_bit::Cgroup) == 0) cgroupless_ = true;
  LockRow& row = rows_[sample.cgroup];
  row.key = sample.cgroup;
  return row;
}

LockRow& LockUsage::row_of(u64 address, std::string name, const ReplaySample& sample, Resolver& resolver) {
  const u32 tid = sample.sample.tid;
  if (const auto [at, fresh] = tasks_.try_emplace(tid); fresh) at->second = resolver.comm(sample.context);
  if (request_.by == LockBy::Task) return task_row(tid);
  if (request_.by == LockBy::Cgroup) return cgroup_row(sample.sample);
  const bool nameless = name.empty();
  u64 key = address;
  if (nameless && (request_.by != LockBy::Lock || !rows_.contains(address))) {
    const u64 stack = callers_.follow(sample.context, sample.sample.callchain, resolver);
    if (request_.by == LockBy::Caller) key = stack;
    if (request_.by != LockBy::Caller || !rows_.contains(stack)) name = callers_.name(resolver);
  }
  if (request_.by == LockBy::Name) key = std::hash<std::string>()(name);
  const auto [at, fresh] = rows_.try_emplace(key);
  if (!fresh) return at->second;
  at->second.key = key;
  at->second.name = std::move(name);
  if (nameless && request_.stacks) at->second.stack = callers_.stack(resolver);
  return at->second;
}

void LockUsage::take(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  if (view.which == WaitBegin)
    start_waiting(view, sample, resolver);
  else if (view.which == WaitEnd)
    stop_waiting(view, sample);
  else
    follow(view, sample, resolver);
}

void LockUsage::waited(LockRow& row, u64 time) {
  row.least = row.waits++ == 0 ? time : std::min(row.least, time);
  row.most = std::max(row.most, time);
  row.total += time;
}

void LockUsage::fail_at(LockStep step, Sequence& sequence, LockRow& row) {
  if (!row.broken) ++broken_[static_cast<std::size_t>(step)];
  row.broken = true;
  sequence = Sequence();
}

void LockUsage::start_waiting(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  const u64 address = view.number(LockAddress);
  const auto wanted = [](const auto& chosen, auto one) {
    return chosen.empty() || std::ranges::find(chosen, one) != chosen.end();
  };
  if (!wanted(request_.types, static_cast<u32>(view.number(LockFlags))) || !wanted(request_.locks, address)) return;
  if (!request_.functions.empty()) {
    callers_.follow(sample.context, sample.sample.callchain, resolver);
    if (!callers_.has_function(request_.functions, resolver)) return;
  }
  Sequence& sequence = sequences_[{sample.sample.tid, address}];
  if (sequence.state == State::Contended) return;  // a mutex reports two begins: spinning, then sleeping
  LockRow& row = row_of(address, {}, sample, resolver);
  if (row.contended == 0) row.flags = static_cast<u32>(view.number(LockFlags));
  ++row.contended;
  sequence = {.state = State::Contended, .since = sample.sample.time, .readers = 0, .row = row.key};
}

void LockUsage::stop_waiting(const TracepointView& view, const ReplaySample& sample) {
  const auto found = sequences_.find({sample.sample.tid, view.number(LockAddress)});
  if (found == sequences_.end() || found->second.state != State::Contended) return;
  LockRow& row = rows_[found->second.row];
  const u64 since = found->second.since, now = sample.sample.time;
  waited(row, now > since ? now - since : 0);
  ++row.acquired;
  sequences_.erase(found);
}

// The states of one lock in one thread, from lockdep's events:
//
//   Fresh ─ acquire ─▶ Acquiring ─ acquired ─▶ Acquired ─ release ─▶ (erased)
//     │                    └─ contended ─▶ Contended ─ acquired ─┘
//     └─ acquire (try or read) ─▶ ReadAcquired, counts its readers; the last release erases it
//
// In Fresh, all events but acquire are ignored: the lock was taken before the recording began. Any other transition
// breaks the sequence, usually because events were lost.
void LockUsage::acquire(Sequence& sequence, LockRow& row, u64 flags) {
  const bool reads = (flags & kReadFlag) != 0;
  if (sequence.state == State::ReadAcquired && reads) {
    ++sequence.readers;
    ++row.acquired;
    return;
  }
  if (sequence.state != State::Fresh && sequence.state != State::Released)
    return fail_at(LockStep::Acquire, sequence, row);
  if ((flags & (kTryFlag | kReadFlag)) == 0) {
    sequence.state = State::Acquiring;
    return;
  }
  sequence.state = State::ReadAcquired;
  sequence.readers = 1;
  ++row.acquired;
}

void LockUsage::follow(const TracepointView& view, const ReplaySample& sample, Resolver& resolver) {
  const u64 address = view.number(LockAddress), now = sample.sample.time;
  LockRow& row = row_of(address, std::string(view.text(LockName)), sample, resolver);
  Sequence& sequence = sequences_[{sample.sample.tid, address}];
  const State state = sequence.state;
  const bool unseen = state == State::Fresh || state == State::Released;
  switch (view.which) {
    case AcquireLock:
      acquire(sequence, row, view.number(LockFlags));
      break;
    case ContendedLock:
      if (unseen) return;
      if (state != State::Acquiring) return fail_at(LockStep::Contended, sequence, row);
      sequence.state = State::Contended;
      ++row.contended;
      break;
    case AcquiredLock:
      if (unseen) return;
      if (state != State::Acquiring && state != State::Contended) return fail_at(LockStep::Acquired, sequence, row);
      if (state == State::Contended) waited(row, now > sequence.since ? now - sequence.since : 0);
      sequence.state = State::Acquired;
      ++row.acquired;
      break;
    default:
      if (state == State::Fresh) return;
      if (state == State::ReadAcquired && --sequence.readers != 0) return;
      if (state != State::Acquired && state != State::ReadAcquired) return fail_at(LockStep::Release, sequence, row);
      sequences_.erase({sample.sample.tid, address});
      return;
  }
  sequence.since = now;
}

std::vector<LockRow> LockUsage::rows() const {
  std::vector<LockRow> rows;
  for (const auto& [key, row] : rows_) rows.push_back(row);
  if (request_.by != LockBy::Cgroup) return rows;
  for (LockRow& row : rows) {
    const auto path = cgroups_.find(row.key);
    row.name = path == cgroups_.end() ? "unknown" : path->second;
  }
  return rows;
}

std::bitset<128> LockUsage::records() const {
  return request_.by == LockBy::Cgroup ? kinds_of_records({abi::RecordType::Cgroup}) : std::bitset<128>();
}

void LockUsage::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (const auto* cgroup = std::get_if<abi::CgroupRecord>(&record.side_band->body))
    cgroups_[cgroup->id] = std::string(cgroup->path);
}

Result<> LockUsage::outcome() const {
  PEREGRINE_TRY(TracepointSink::outcome());
  if (!cgroupless_) return {};
  return std::unexpected(
      Error{ErrorKind::Unsupported, "this recording does not contain the control groups of tasks"}.with_hint(
          "record with `perf lock record --all-cgroups`, or pass -b"));
}

}  // namespace peregrine
