#include "session/lock/futex_watcher.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string>
#include <utility>

#include "abi/sample.h"
#include "analysis/lock/lock_usage.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/ring_time.h"
#include "capture/target/target.h"
#include "event/config/callgraph.h"
#include "event/field/trace_format.h"
#include "event/source.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::size_t kRingBytes = std::size_t{4} << 20;
constexpr u32 kStackBytes = 2048;  // the library's functions and their caller
constexpr unsigned kMostFutexFrames = 32;
constexpr std::size_t kEnter = 0, kExit = 1;  // places in the list

// FUTEX_WAIT, FUTEX_LOCK_PI, FUTEX_WAIT_BITSET and FUTEX_LOCK_PI2, private and shared, with either clock. Lists each
// combination because filters cannot compare the result of "&".
std::string waiting_calls() {
  std::string filter;
  for (const int operation : {0, 6, 9, 13})
    for (const int flags : {0, 128, 256, 128 + 256})
      filter += fmt::format("{}op == {}", filter.empty() ? "" : " || ", operation + flags);
  return filter;
}

struct FutexFields {
  u32 address = 0, operation = 0;  // their offsets in a record of sys_enter_futex
};

Result<FutexFields> futex_fields(EventSources& sources, const EventList& events) {
  auto tracing = gather_tracing_data(sources, events);
  if (!tracing) return std::unexpected(std::move(tracing.error()));
  const TraceFormat* format = tracing->find(static_cast<u32>(events[kEnter].attr.config));
  const TraceField* address = format == nullptr ? nullptr : format->find("uaddr");
  const TraceField* operation = format == nullptr ? nullptr : format->find("op");
  if (address == nullptr || operation == nullptr)
    return fail(ErrorKind::Unsupported, "sys_enter_futex lacks the fields uaddr and op");
  return FutexFields{address->offset, operation->offset};
}

}  // namespace

Result<FutexWatcher> FutexWatcher::open(const Target& target, std::optional<Pid> workload,
                                        const LockUsage::Request& request, SymbolPlaces places) {
  EventSources sources;
  EventList events;
  for (const char* name : {"syscalls:sys_enter_futex", "syscalls:sys_exit_futex"})
    PEREGRINE_TRY(parse_events(name, sources, events));
  const auto fields = futex_fields(sources, events);
  if (!fields) return std::unexpected(fields.error());
  std::optional<FutexOwners> owners;
  if (request.by_owner) {
    auto opened = FutexOwners::open(events[kEnter], fields->address, fields->operation);
    if (!opened) return std::unexpected(std::move(opened.error()));
    owners = std::move(*opened);
  }
  events[kEnter].filter = waiting_calls();
  events[kExit].terms.callgraph = "no";
  const HitOptions options{.children = true,
                           .at_exec = workload.has_value(),
                           .ring_bytes = kRingBytes,
                           .callgraph = {.mode = CallgraphMode::Dwarf, .stack_bytes = kStackBytes},
                           .side_band = true};
  auto stream = HitStream::open(std::move(events), target, perf_limits(Root()), options);
  if (!stream) return std::unexpected(std::move(stream.error()));
  auto machine = std::make_unique<LiveMachine>(std::move(places), stream->events().front().attr);
  machine->learn_opening(Root(), *stream, target, workload);
  return FutexWatcher(std::move(*stream), std::move(machine), request, fields->address, std::move(owners));
}

void FutexWatcher::drain(bool last) {
  const u64 until = ring_held_until(last);
  std::vector<SideBandHit> side_band;
  stream_.drain(hits_, side_band);
  if (owners_) owners_->collect();
  machine_->add(std::move(side_band));
  machine_->learn_until(until);
  std::ranges::stable_sort(hits_, {}, &EventHit::time);
  const auto end = std::ranges::lower_bound(hits_, until, {}, &EventHit::time);
  for (auto hit = hits_.begin(); hit != end; ++hit) take(*hit);
  hits_.erase(hits_.begin(), end);
}

// Only in glibc mutexes is the third number a thread. Elsewhere it may be anything, so it counts only if the process
// has such a thread.
std::optional<FutexOwner> FutexWatcher::owner_of(const abi::Sample& sample, u64 address) {
  auto owner = owners_->find(sample.tid, sample.time, address);
  if (!owner || owner->in_mutex == 0) return owner;
  const auto& thread =
      machine_->context(static_cast<i32>(sample.pid), static_cast<i32>(owner->in_mutex), sample.time).thread;
  if (thread.pid != sample.pid || thread.comm.unnamed()) owner->in_mutex = 0;
  return owner;
}

void FutexWatcher::take(const EventHit& hit) {
  const abi::Sample* read = stream_.sample(hit);
  if (read == nullptr) return;
  abi::Sample sample = *read;
  if (hit.event == kExit) return waits_.end(sample.tid, sample.time);
  const Resolver::Context context =
      machine_->context(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time);
  machine_->complete(context, kMostFutexFrames, sample);
  ByteReader raw(sample.raw);
  raw.skip(address_at_);
  const u64 address = raw.get64();
  FutexWaits::Call call{.tid = sample.tid, .time = sample.time, .address = address, .pid = sample.pid};
  if (owners_) call.owner = owner_of(sample, address);
  waits_.begin(call, context, sample.callchain, machine_->resolver(), [&](u32 owner) {
    return std::string(machine_->resolver().comm(
        machine_->context(static_cast<i32>(sample.pid), static_cast<i32>(owner), sample.time)));
  });
}

}  // namespace peregrine
