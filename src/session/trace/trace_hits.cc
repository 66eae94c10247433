#include "session/trace/trace_hits.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "abi/arch/registers.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/bpf/syscall/syscall_tracer.h"
#include "capture/sampling/hit_reader.h"
#include "capture/sampling/hit_stream.h"
#include "capture/sampling/ring_time.h"
#include "capture/target/target.h"
#include "event/config/default_event.h"
#include "event/spec.h"
#include "event/syntax/parse.h"
#include "event/syscall/call.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/dso/dso.h"
#include "machine/resolver/resolver.h"
#include "sys/process/cgroup.h"
#include "sys/process/limit.h"
#include "sys/process/process.h"

namespace peregrine {

namespace {

constexpr unsigned kMostHitFrames = 127;
constexpr u64 kWideRegisters = 2;  // PERF_SAMPLE_REGS_ABI_64

}  // namespace

Result<EventList> TraceHits::wanted_events() const {
  EventList events = request_.events;
  std::vector<std::string_view> words;
  if (request_.faults == "all" || request_.faults == "maj") words.emplace_back("major-faults");
  if (request_.faults == "all" || request_.faults == "min") words.emplace_back("minor-faults");
  if (request_.sched) words.emplace_back("sched:sched_stat_runtime");
  for (const std::string_view word : words) PEREGRINE_TRY(parse_events(word, request_.sources, events));
  // At least one event must report maps.
  if (events.empty()) events.push_back(dummy_event());
  if (request_.cgroup.empty()) return events;
  std::size_t given = 0;
  PEREGRINE_TRY(bind_cgroups(events, request_.cgroup, cgroup_mount(request_.sources.root()), given));
  return events;
}

// -u, which excludes other targets: the user's currently running threads, and their children.
Result<Target> TraceHits::choose_threads(Target target) const {
  if (request_.target.user.empty()) return target;
  TargetRequest whom = request_.target;
  whom.system_wide = false;
  return make_target(request_.sources.root(), whom);
}

Result<> TraceHits::explain(const EventList& events) {
  if (std::ranges::any_of(events, &EventSpec::is_tracepoint)) {
    auto tracing = gather_tracing_data(request_.sources, events);
    if (!tracing) return std::unexpected(std::move(tracing.error()));
    tracing_ = std::move(*tracing);
  }
  for (const EventSpec& spec : events) lines_.add(spec.name, spec.attr, tracing_ ? &*tracing_ : nullptr, true);
  return lines_.use_switches();
}

Result<> TraceHits::open(Target target, const std::optional<Workload>& workload, SymbolPlaces places) {
  auto events = wanted_events();
  if (!events) return std::unexpected(std::move(events.error()));
  PEREGRINE_TRY(explain(*events));
  const auto chains = request_.chains();
  if (!chains) return std::unexpected(chains.error());
  const bool of_workload = workload && target.kind == TargetKind::Workload;
  if (of_workload) target.set_workload(workload->pid());
  auto whom = choose_threads(std::move(target));
  if (!whom) return std::unexpected(std::move(whom.error()));
  const HitOptions options{.children = request_.inherit,
                           .at_exec = of_workload && request_.delay_ms <= 0,
                           .ring_bytes = request_.ring_bytes,
                           .callgraph = *chains,
                           .addresses = !request_.faults.empty(),
                           .side_band = request_.resolves()};
  auto stream = HitStream::open(std::move(*events), *whom, perf_limits(request_.sources.root()), options);
  if (!stream) return std::unexpected(std::move(stream.error()));
  stream_.emplace(std::move(*stream));
  machine_.emplace(std::move(places), stream_->events().front().attr);
  if (options.side_band)
    machine_->learn_opening(request_.sources.root(), *stream_, *whom,
                            of_workload ? std::optional(workload->pid()) : std::nullopt);
  merge_.emplace(*this, [this](const EventHit& hit) { return show(hit); });
  return {};
}

// The rings hold everything before the moment when the first ring was queried, except what was just being written.
bool TraceHits::drain(SyscallTracer& tracer, bool last) {
  const u64 until = ring_held_until(last);
  std::vector<EventHit> hits;
  std::vector<SideBandHit> side_band;
  stream_->drain(hits, side_band);
  merge_->add(std::move(hits));
  machine_->add(std::move(side_band));
  const bool goes_on = tracer.drain(*merge_);
  machine_->learn_until(until);
  return merge_->release(until) && goes_on;
}

bool TraceHits::is_hidden(u32 pid) const {
  const auto number = static_cast<Pid>(pid);
  return number == ::getpid() || std::ranges::find(hidden_, number) != hidden_.end();
}

bool TraceHits::show(const EventHit& hit) {
  const abi::Sample* read = stream_->sample(hit);
  if (read == nullptr || hit.event >= lines_.size()) return true;
  abi::Sample sample = *read;
  if (is_hidden(sample.pid) || is_hidden(sample.tid) || lines_.discards(hit.event)) return true;
  const TraceEventLines::Place place{
      machine_->resolver(), machine_->context(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time)};
  machine_->complete(place.context, kMostHitFrames, sample);
  if (!lines_.is_deep_enough(sample.callchain, place)) return true;
  if (lines_.kind(hit.event) == TraceEventLines::Kind::Runtime) {
    lines_.add_runtime(hit.event, sample, kHostOrder);
    return true;
  }
  if (lines_.is_fault(hit.event)) {
    const auto tid = static_cast<Pid>(sample.tid);
    printer_.name(static_cast<i32>(sample.pid), tid, machine_->resolver().comm(place.context));
    lines_.add_fault(hit.event, tid);
  }
  return !lines_.take(hit.event) || lines_.put(hit.event, sample, kHostOrder, place, true);
}

std::span<const u64> TraceHits::chain_of(const CallerStack& caller, const Resolver::Context& context) {
  if (!caller.frames.empty()) {
    chain_.assign(1, abi::kContextUser);
    chain_.insert(chain_.end(), caller.frames.begin(), caller.frames.end());
    return chain_;
  }
  const u64 mask = abi::register_table(abi::kHostArch).default_mask;
  caller_.callchain = {};
  caller_.user_registers = {
      .abi = kWideRegisters,
      .mask = mask,
      .values = std::span(caller.registers).first(std::min<std::size_t>(caller.registers.size(), std::popcount(mask)))};
  caller_.user_stack = caller.stack;
  machine_->complete(context, kMostHitFrames, caller_);
  return caller_.callchain;
}

bool TraceHits::call(const TracedCall& call) {
  if (lines_.discards(std::nullopt)) return true;
  if (call.caller == nullptr) return printer_.call(call);
  const TraceEventLines::Place place{machine_->resolver(), machine_->context(call.pid, call.tid, call.end())};
  const auto chain = chain_of(*call.caller, place.context);
  if (!lines_.is_deep_enough(chain, place)) return true;
  const u64 before = printer_.shown();
  const bool goes_on = printer_.call(call);
  if (printer_.shown() != before) lines_.put_chain(chain, place);
  return goes_on;
}

}  // namespace peregrine
