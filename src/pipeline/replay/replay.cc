#include "pipeline/replay/replay.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/session_record.h"
#include "base/concurrency/worker_pool.h"
#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "data/header/evlist.h"
#include "data/header/recorded_arch.h"
#include "data/stream/account.h"
#include "machine/jit_code.h"
#include "machine/process/moment.h"
#include "pipeline/replay/user_stacks.h"
#include "pipeline/replay/watchpoint.h"

namespace peregrine {

namespace {

constexpr auto kTraceError = static_cast<std::size_t>(abi::RecordType::AuxtraceError);

// Depth of the recorded processor's branch stack, or 0 if it is not recorded.
u64 branch_registers(const data::Features& features) {
  const auto find = [](const auto& pairs) -> u64 {
    for (const auto& [name, value] : pairs)
      if (name == "branches")
        if (const auto count = leading_number<u64>(value)) return *count;
    return 0;
  };
  if (features.cpu_pmu_caps) return find(*features.cpu_pmu_caps);
  for (const auto& pmu : features.pmu_caps.value_or(std::vector<data::PmuCapabilities>())) {
    if (const u64 count = find(pmu.pairs)) return count;
  }
  return 0;
}

}  // namespace

bool ReplaySink::needs_samples_of(u32) const { return true; }
void ReplaySink::begin_slice(u64, unsigned) {}
void ReplaySink::side_band(const ReplaySideBand&, Resolver&, unsigned) {}
void ReplaySink::record(const ReplayRecord&, Resolver&, unsigned) {}
void ReplaySink::end_slice(u64, unsigned) {}

// State that one worker keeps across slices. No other thread touches it until add_up().
struct Replay::Worker {
  Worker(const Machine& machine, const CfiTables& tables, unsigned worker)
      : resolver(machine), user_stacks(machine, tables), watchpoints(machine), number(worker) {}

  Resolver resolver;
  UserStacks user_stacks;
  WatchpointMover watchpoints;
  unsigned number;
  abi::Sample sample;
  abi::SampleScratch scratch;
  abi::SideBandScratch side_band_scratch;
  std::vector<u64> chain;
  u64 delivered = 0, filtered = 0, missing_chains = 0;
  data::SkippedBytes malformed, unknown_event;
  u64 first_time = ~u64{0}, last_time = 0;
  std::vector<u64> by_event;
};

Replay::Replay(data::Reader& reader, Machine& machine, ReplayOptions options)
    : reader_(reader),
      machine_(machine),
      options_(std::move(options)),
      filtered_(options_.filter.any()),
      cfi_tables_(machine.dsos()) {}
Replay::~Replay() = default;

Result<> Replay::run(ReplaySink& sink) {
  if (options_.accessing) PEREGRINE_TRY(check_watchpoints(reader_.evlist()));
  WorkerPool pool(options_.workers);
  make_workers(pool.size());
  data::OrderOptions order_options;
  // Pipes of Google's perf 3.2 use this number for a feature.
  if (reader_.has_old_numbers()) options_.shown.reset(kTraceError);
  order_options.rounds = options_.every_record || options_.shown[static_cast<unsigned>(abi::RecordType::FinishedRound)];
  order_options.batch_bytes = options_.batch_bytes;
  order_options.least_bytes = options_.least_bytes;
  order_options.ahead = !options_.every_record;
  // Without sample_id_all, side-band records have no times, and only file order places them between the samples. As in
  // linux-perf, this applies to files only, not to pipes.
  const data::Evlist& evlist = reader_.evlist();
  order_options.by_time = options_.by_time && (evlist.empty() || reader_.header().layout == data::Layout::Pipe ||
                                               evlist[0].attr.has(abi::attr_flag::SampleIdAll));
  by_time_ = order_options.by_time;
  data::Order order(reader_, order_options);
  take_build_ids();
  sink.begin(pool.size());
  Moment first = 1;
  u64 first_slice = 0;
  Result<> outcome;
  for (;;) {
    const auto more = order.next();
    if (!more) outcome = std::unexpected(more.error());
    const data::Batch& batch = order.batch();
    if ((!more || !*more) && batch.empty()) break;
    sink.before_batch();
    // The slices of the last batch were the last readers of moments before this one.
    machine_.forget_before(first);
    apply_side_band(batch, first);
    sink.begin_batch();
    ask_for_needs(sink);
    const std::size_t width = options_.slice_records;
    const std::size_t slices = (batch.size() + width - 1) / width;
    pool.run(slices, [&](std::size_t slice, unsigned number) {
      sink.begin_slice(first_slice + slice, number);
      run_slice(batch, slice * width, std::min(batch.size(), (slice + 1) * width), first, *workers_[number], sink);
      sink.end_slice(first_slice + slice, number);
    });
    first += batch.size();
    first_slice += slices;
    if (!sink.end_batch() || !more || !*more) break;
  }
  order.stop();
  account_.unordered = order.unordered();
  add_up();
  return outcome;
}

// A sample that reads counters can stand for several events, so it is never skipped. A filter needs every sample
// decoded to count those that it drops.
void Replay::ask_for_needs(const ReplaySink& sink) {
  ignored_.assign(reader_.evlist().size(), 0);
  if (filtered_) return;
  for (u32 event = 0; event < ignored_.size(); ++event)
    ignored_[event] = reads_counters_[event] == 0 && !sink.needs_samples_of(event) ? 1 : 0;
}

Replay::UserPart Replay::user_part(const abi::EventAttr& attr) {
  constexpr u64 kStack = abi::sample_bit::Callchain | abi::sample_bit::RegsUser | abi::sample_bit::StackUser;
  constexpr u64 kCalls = abi::sample_bit::Callchain | abi::sample_bit::BranchStack;
  if ((attr.sample_type & kCalls) == kCalls && (attr.branch_sample_type & abi::branch_bit::CallStack) != 0) {
    return UserPart::Branches;
  }
  return (attr.sample_type & kStack) == kStack ? UserPart::Unwound : UserPart::Recorded;
}

void Replay::take_build_ids() {
  const auto& known = reader_.header().features.build_ids;
  if (!known) return;
  for (; build_ids_taken_ < known->size(); ++build_ids_taken_) {
    const data::BuildIdEntry& entry = (*known)[build_ids_taken_];
    machine_.set_build_id(entry.name, entry.misc & abi::misc_bit::CpumodeMask, entry.id);
  }
}

// Pass 1, single-threaded and in record order. Afterwards the machine holds the state of every moment in the batch, so
// that the workers of pass 2 (run_slice) only read it. Whatever depends on the previous sample, such as counter deltas
// and branch stitching, is computed here as well.
void Replay::apply_side_band(const data::Batch& batch, Moment first) {
  const data::Evlist& evlist = reader_.evlist();
  set_jit_clock();
  reads_counters_.assign(evlist.size(), 0);
  user_parts_.assign(evlist.size(), UserPart::Recorded);
  arch_ = data::recorded_arch(reader_.header().features);
  bool any_reads = false;
  for (std::size_t i = 0; i < evlist.size(); ++i) {
    user_parts_[i] = options_.unwind ? user_part(evlist[i].attr) : UserPart::Recorded;
    reads_counters_[i] = evlist[i].attr.samples(abi::sample_bit::Read) ? 1 : 0;
    any_reads = any_reads || reads_counters_[i] != 0;
  }
  // Results of pass 1 for pass 2. The lists are in record order, so that workers can search them by a record's number
  // in the batch.
  deltas_.clear();
  stitched_.clear();
  stitched_words_.clear();
  deferred_chains_.clear();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    machine_.apply_jit(batch.time(i), first + i);
    if (!batch.is_sample(i)) {
      apply_one(batch.view(i), first + i);
    } else if (any_reads || options_.stitch_branches) {
      const abi::RecordView record = batch.view(i);
      const u32 event = evlist.event_of(record);
      if (event == data::kNoEvent) continue;
      if (reads_counters_[event] != 0) read_counters(record, static_cast<u32>(i), event);
      if (options_.stitch_branches && user_parts_[event] == UserPart::Branches) {
        stitch(record, static_cast<u32>(i), event);
      }
    }
  }
  machine_.set_applied_until(first + batch.size());
  cfi_tables_.grow();
}

void Replay::set_jit_clock() {
  constexpr i32 kMonotonic = 1;
  JitClock clock = machine_.jit_clock();
  clock.monotonic = by_time_ && reader_.evlist().all_use_clock(kMonotonic);
  machine_.set_jit_clock(clock);
}

void Replay::take_time_conversion(const abi::RecordView& record) {
  const auto decoded = abi::decode_session_record(record);
  const auto* read = decoded && *decoded ? std::get_if<abi::TimeConvRecord>(&**decoded) : nullptr;
  if (read == nullptr) return;
  JitClock clock = machine_.jit_clock();
  clock.cycles =
      JitClock::Conversion{read->shift, read->multiplier, read->zero, read->cycles, read->cap_short ? read->mask : 0};
  machine_.set_jit_clock(clock);
}

void Replay::apply_one(const abi::RecordView& record, Moment moment) {
  if (record.type == abi::RecordType::HeaderBuildId) return take_build_ids();
  if (record.type >= abi::RecordType::UserTypeStart) {
    if (record.type == abi::RecordType::TimeConv) take_time_conversion(record);
    if (abi::is_unknown(record.type)) {
      account_.unknown_records.add(record.offset, record.bytes.size());
    }
    return;
  }
  if (reader_.evlist().empty()) return;
  const data::Evlist& evlist = reader_.evlist();
  auto decoded = abi::decode_side_band(record, evlist.attr_of(record), scratch_);
  if (!decoded) {
    account_.malformed_side_band.add(record.offset, record.bytes.size());
  } else if (!*decoded) {
    account_.unknown_records.add(record.offset, record.bytes.size());
  } else {
    if (!options_.unapplied[static_cast<std::size_t>(record.type)]) machine_.apply(**decoded, moment);
    if (const auto* late = std::get_if<abi::CallchainDeferredRecord>(&(*decoded)->body)) {
      deferred_chains_.add((*decoded)->id.tid, late->cookie, late->chain);
    }
    count_lost(**decoded, evlist.event_of(record));
  }
}

void Replay::count_lost(const abi::SideBand& record, u32 event) {
  if (const auto* lost = std::get_if<abi::LostRecord>(&record.body)) {
    ++account_.lost_records;
    account_.lost_events += lost->lost;
  } else if (const auto* samples = std::get_if<abi::LostSamplesRecord>(&record.body)) {
    account_.lost_samples += samples->lost;
    if (event != data::kNoEvent) event_account(event).lost_samples += samples->lost;
  } else if (const auto* throttle = std::get_if<abi::ThrottleRecord>(&record.body)) {
    account_.throttled += throttle->throttled ? 1 : 0;
  } else if (const auto* aux = std::get_if<abi::AuxRecord>(&record.body)) {
    constexpr u64 kTruncated = 1, kPartial = 4, kCollision = 8;
    account_.aux_lost += (aux->flags & kTruncated) != 0 ? 1 : 0;
    account_.aux_partial += (aux->flags & kPartial) != 0 ? 1 : 0;
    account_.aux_collisions += (aux->flags & kCollision) != 0 ? 1 : 0;
  }
}

EventAccount& Replay::event_account(u32 event) {
  if (event >= account_.events.size()) account_.events.resize(event + 1);
  return account_.events[event];
}

// Counters are running totals: a sample counts the growth since the last read of the same id.
void Replay::read_counters(const abi::RecordView& record, u32 index, u32 event) {
  abi::Sample sample;
  const data::Evlist& evlist = reader_.evlist();
  if (!evlist.decoder(event).decode(record, sample, sample_scratch_)) return;
  for (const abi::ReadValue& value : sample.read.values) {
    const u32 member = evlist.find_id(value.id);
    if (member == data::kNoEvent) continue;
    u64& last = counters_[value.id];
    const u64 growth = value.value - last;
    last = value.value;
    if (growth != 0) deltas_.push_back(CounterDelta{index, member, value.id, growth});
  }
}

// Stitching needs a thread's samples in order, so it is done in pass 1 and not by the workers.
void Replay::stitch(const abi::RecordView& record, u32 index, u32 event) {
  if (!stitcher_) stitcher_.emplace(branch_registers(reader_.header().features));
  abi::Sample sample;
  if (!reader_.evlist().decoder(event).decode(record, sample, sample_scratch_)) return;
  const bool indexed = (reader_.evlist()[event].attr.branch_sample_type & abi::branch_bit::HwIndex) != 0;
  const auto below = stitcher_->callers_below(sample.tid, sample.branches, indexed ? sample.branch_hw_index : ~u64{0});
  if (below.empty()) return;
  stitched_.push_back({index, static_cast<u32>(below.size()), stitched_words_.size()});
  stitched_words_.insert(stitched_words_.end(), below.begin(), below.end());
}

std::span<const u64> Replay::stitched_below(std::size_t index) const {
  const auto found = std::ranges::lower_bound(stitched_, index, {}, &Stitched::record);
  if (found == stitched_.end() || found->record != index) return {};
  return std::span(stitched_words_).subspan(found->first, found->count);
}

void Replay::run_slice(const data::Batch& batch, std::size_t begin, std::size_t end, Moment first, Worker& worker,
                       ReplaySink& sink) {
  constexpr std::size_t kAhead = 8;
  // Samples that the sink does not need are only counted, without touching their bytes.
  const bool may_pass =
      by_time_ && !filtered_ && !options_.every_record && std::ranges::find(ignored_, 1) != ignored_.end();
  const auto passes = [&](std::size_t i) {
    if (!may_pass || !batch.is_sample(i)) return false;
    const u32 event = batch.event(i);
    return event != data::kNoEvent && ignored_[event] != 0;
  };
  for (std::size_t i = begin; i < end; ++i) {
    if (i + kAhead < end && !passes(i + kAhead)) batch.prefetch(i + kAhead);
    if (passes(i)) {
      count_sample(batch.event(i), batch.time(i), worker);
      ++worker.delivered;
      continue;
    }
    if (i + 1 < end && !passes(i + 1)) batch.prefetch_end(i + 1);
    const abi::RecordView record = batch.view(i);
    if (options_.every_record) deliver_record(record, first + i, worker, sink);
    if (record.type == abi::RecordType::Sample) {
      const u64 time = by_time_ ? batch.time(i) : reader_.evlist().time_of(record);
      const u32 event = batch.event(i);
      deliver_sample(record, event != data::kNoEvent ? event : reader_.evlist().event_of(record), i, time, first + i,
                     worker, sink);
    } else if (const auto type = static_cast<u32>(record.type); type < 128 && options_.shown[type]) {
      deliver_side_band(record, batch.time(i), first + i, worker, sink);
    }
  }
}

void Replay::deliver_record(const abi::RecordView& record, Moment moment, Worker& worker, ReplaySink& sink) {
  const data::Evlist& evlist = reader_.evlist();
  ReplayRecord whole{record, nullptr, nullptr, data::kNoEvent, moment};
  Result<std::optional<abi::SideBand>> decoded = std::nullopt;
  if (record.type < abi::RecordType::UserTypeStart && !evlist.empty()) {
    whole.event = evlist.event_of(record);
    if (record.type != abi::RecordType::Sample) {
      decoded = abi::decode_side_band(record, evlist.attr_of(record), worker.side_band_scratch);
      if (decoded && *decoded) whole.side_band = &**decoded;
    } else if (whole.event != data::kNoEvent &&
               evlist.decoder(whole.event).decode(record, worker.sample, worker.scratch)) {
      whole.sample = &worker.sample;
    }
  }
  sink.record(whole, worker.resolver, worker.number);
}

void Replay::count_sample(u32 event, u64 time, Worker& worker) const {
  if (event >= worker.by_event.size()) worker.by_event.resize(reader_.evlist().size());
  ++worker.by_event[event];
  if (time == 0) return;
  worker.first_time = std::min(worker.first_time, time);
  worker.last_time = std::max(worker.last_time, time);
}

void Replay::deliver_sample(const abi::RecordView& record, u32 event, std::size_t index, u64 time, Moment moment,
                            Worker& worker, ReplaySink& sink) {
  const data::Evlist& evlist = reader_.evlist();
  if (event == data::kNoEvent) {
    worker.unknown_event.add(record.offset, record.bytes.size());
    return;
  }
  count_sample(event, time, worker);
  if (filtered_ && !(options_.filter.accepts_time(time) && options_.filter.accepts_mode(record.misc))) {
    ++worker.filtered;
    return;
  }
  if (ignored_[event] != 0) {
    ++worker.delivered;
    return;
  }
  abi::Sample& sample = worker.sample;
  if (!evlist.decoder(event).decode(record, sample, worker.scratch)) {
    worker.malformed.add(record.offset, record.bytes.size());
    return;
  }
  if ((sample.fields & abi::sample_bit::Tid) == 0) sample.pid = sample.tid = ~0u;
  if (options_.merge_chains &&
      deferred_chains_.merge(sample.tid, sample.callchain, worker.chain) == DeferredChains::Merged::Missing) {
    ++worker.missing_chains;
  }
  const Resolver::Context& context = worker.resolver.context(sample.pid, sample.tid, moment);
  if (filtered_ &&
      !(options_.filter.accepts_cpu(sample.cpu) && options_.filter.accepts_thread(context, worker.resolver))) {
    ++worker.filtered;
    return;
  }
  bool unwound = false;
  if (user_parts_[event] == UserPart::Unwound) {
    unwound = worker.user_stacks.complete(context, arch_, evlist.order(), options_.max_stack, sample);
  } else if (user_parts_[event] == UserPart::Branches) {
    unwound = worker.user_stacks.complete_by_branches(options_.max_stack, stitched_below(index), sample);
  }
  if (options_.accessing && is_watchpoint(evlist[event].attr))
    worker.watchpoints.move(context, worker.resolver, sample);
  if (reads_counters_[event] == 0) {
    ++worker.delivered;
    sink.sample(ReplaySample{sample, context, event, sample.period, moment, record.offset, unwound, &record},
                worker.resolver, worker.number);
    return;
  }
  auto delta = std::lower_bound(deltas_.begin(), deltas_.end(), index,
                                [](const CounterDelta& one, std::size_t at) { return one.record < at; });
  for (; delta != deltas_.end() && delta->record == index; ++delta) {
    ++worker.delivered;
    sample.id = delta->id;
    sample.period = delta->period;
    sink.sample(ReplaySample{sample, context, delta->event, delta->period, moment, record.offset, unwound, &record},
                worker.resolver, worker.number);
  }
}

void Replay::deliver_side_band(const abi::RecordView& record, u64 time, Moment moment, Worker& worker,
                               ReplaySink& sink) {
  const data::Evlist& evlist = reader_.evlist();
  const bool kernel = record.type < abi::RecordType::UserTypeStart && !evlist.empty();
  ReplaySideBand shown{record, nullptr, time, kernel ? evlist.event_of(record) : data::kNoEvent, moment};
  Result<std::optional<abi::SideBand>> decoded = std::nullopt;
  if (kernel) decoded = abi::decode_side_band(record, evlist.attr_of(record), worker.side_band_scratch);
  if (decoded && *decoded) shown.side_band = &**decoded;
  sink.side_band(shown, worker.resolver, worker.number);
}

void Replay::make_workers(unsigned count) {
  const std::scoped_lock lock(workers_mutex_);
  for (unsigned i = 0; i < count; ++i) workers_.push_back(std::make_unique<Worker>(machine_, cfi_tables_, i));
}

std::size_t Replay::frame_count() const {
  const std::scoped_lock lock(workers_mutex_);
  std::size_t count = 0;
  for (const auto& worker : workers_) count += worker->resolver.frame_count();
  return count;
}

// Frames before symbols: a frame refers to a symbol of its dso by number.
void Replay::forget(const std::vector<bool>& used) {
  const std::scoped_lock lock(workers_mutex_);
  for (const auto& worker : workers_) {
    worker->resolver.forget();
    worker->user_stacks.forget();
    worker->watchpoints.forget();
  }
  machine_.dsos().release_symbols(used);
  cfi_tables_.release_unused(used);
}

// Collects the workers' counts and ends them.
void Replay::add_up() {
  const std::scoped_lock lock(workers_mutex_);
  const auto& types = reader_.account().by_type;
  account_.records.assign(types.begin(), types.end());
  if (reader_.has_old_numbers()) account_.records[kTraceError] = 0;
  u64 first_time = ~u64{0};
  for (const auto& worker : workers_) {
    account_.samples += worker->delivered;
    account_.filtered += worker->filtered;
    account_.missing_chains += worker->missing_chains;
    account_.unwound.add(worker->user_stacks.counts());
    account_.malformed_samples.merge(worker->malformed);
    account_.unknown_event.merge(worker->unknown_event);
    first_time = std::min(first_time, worker->first_time);
    account_.last_time = std::max(account_.last_time, worker->last_time);
    for (u32 event = 0; event < worker->by_event.size(); ++event) {
      event_account(event).samples += worker->by_event[event];
    }
  }
  account_.first_time = first_time == ~u64{0} ? 0 : first_time;
  account_.proc_map_timeouts = machine_.counts().proc_map_timeouts;
  account_.lost_jitdumps = machine_.counts().lost_jitdumps;
  account_.timeless_jitdumps = machine_.counts().timeless_jitdumps;
  account_.outside_records = machine_.counts().outside_records;
  account_.unreadable_files = machine_.dsos().unreadable_files();
  workers_.clear();
}

}  // namespace peregrine
