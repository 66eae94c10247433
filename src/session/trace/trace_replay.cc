#include "session/trace/trace_replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "analysis/trace/raw_call.h"
#include "base/types.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "event/syscall/signature.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/process/moment.h"
#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "output/text/format/script_text.h"
#include "session/event_names.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_request.h"
#include "sys/process/process.h"

namespace peregrine {

namespace {

CallFilter filter_of(const TraceRequest& request, const Signatures& signatures) {
  CallFilter filter;
  filter.chosen = request.calls.chosen(signatures);
  // Whether a call gets a line is known only when it ends.
  filter.whole = request.summary || request.only_failed || request.least_ns() != 0 || request.report.any();
  return filter;
}

}  // namespace

TraceReplay::TraceReplay(const TraceRequest& request, const data::Reader& reader, TracePrinter& printer, Sink& out,
                         TraceReplaySource source)
    : request_(request),
      reader_(reader),
      printer_(printer),
      out_(out),
      calls_(printer.signatures(), filter_of(request, printer.signatures()), printer),
      lines_(request, printer),
      live_(source.live),
      workload_(source.workload),
      hidden_(std::move(source.hidden)) {
  hidden_.insert(hidden_.end(), request.excluded.begin(), request.excluded.end());
  learn_events();
}

void TraceReplay::begin_batch() {
  if (lines_.size() != reader_.evlist().size()) learn_events();
}

void TraceReplay::learn_events() {
  const data::Evlist& evlist = reader_.evlist();
  const std::vector<std::string> names = event_names(reader_);
  if (!tracing_) {
    if (auto bytes = reader_.read_feature(static_cast<u32>(data::FeatureId::TracingData)))
      if (auto decoded = decode_tracing_data(*bytes)) tracing_ = std::move(*decoded);
  }
  const bool own_kernel =
      live_ || reader_.header().features.os_release == request_.sources.root().line("/proc/sys/kernel/osrelease");
  for (std::size_t i = lines_.size(); i < evlist.size(); ++i) {
    lines_.add(names[i], evlist[i].attr, tracing_ ? &*tracing_ : nullptr, own_kernel);
    chosen_.push_back(is_chosen(i));
    has_calls_ |= chosen_[i] && (lines_.kind(i) == Kind::Enter || lines_.kind(i) == Kind::Leave);
  }
}

// A live trace records only what -e names; a recording may have more.
bool TraceReplay::is_chosen(std::size_t event) const {
  if (live_ || !request_.chooses()) return true;
  const std::string& name = lines_.name(event);
  if (request_.show_switches && (name == request_.switch_on || name == request_.switch_off)) return true;
  const bool named = request_.names(name, reader_.evlist()[event].attr);
  switch (lines_.kind(event)) {
    case Kind::Enter:
    case Kind::Leave:
      return named || request_.wants_calls();
    case Kind::Runtime:
      return true;
    case Kind::MinorFault:
    case Kind::MajorFault:
      return named || !request_.faults.empty();
    default:
      return named;
  }
}

void TraceReplay::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (record.side_band == nullptr) return;
  const auto* comm = std::get_if<abi::CommRecord>(&record.side_band->body);
  if (comm == nullptr) return;
  // Threads with filtered-out samples are still named in the calls of others: kill(pid: 7 (prog)).
  printer_.name(static_cast<i32>(comm->pid), static_cast<i32>(comm->tid), comm->comm);
  if (workload_ >= 0 && comm->exec && static_cast<Pid>(comm->pid) == workload_) workload_ = -1;
}

// In a live trace, only the caller's chain, unless the kernel's was requested; the kernel's is the same for all calls.
std::span<const u64> TraceReplay::callers(const abi::Sample& sample) const {
  if (request_.kernel_graph || !live_) return sample.callchain;
  return {std::ranges::find(sample.callchain, abi::kContextUser), sample.callchain.end()};
}

void TraceReplay::sample(const ReplaySample& replayed, Resolver& resolver, unsigned) {
  const abi::Sample& sample = replayed.sample;
  if (enough_ || replayed.event >= lines_.size()) return;
  if (workload_ >= 0 && static_cast<Pid>(sample.pid) == workload_) return;
  if (!hidden_.empty() && (is_hidden(sample.pid) || is_hidden(sample.tid))) return;
  if (lines_.discards(replayed.event)) return;
  printer_.begin_at(sample.time);
  printer_.name(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), resolver.comm(replayed.context));
  if (!chosen_[replayed.event]) return;
  const TraceEventLines::Place place{resolver, replayed.context};
  if (!lines_.is_deep_enough(sample.callchain, place)) return;
  bool goes_on = true;
  const u64 before = printer_.shown();
  switch (lines_.kind(replayed.event)) {
    case Kind::Runtime:
      lines_.add_runtime(replayed.event, sample, reader_.evlist().order());
      break;
    case Kind::Enter:
      put_sample(replayed);
      goes_on = enter(sample);
      break;
    case Kind::Leave:
      put_sample(replayed);
      goes_on = leave(replayed, resolver);
      if (printer_.shown() != before) lines_.put_chain(callers(sample), place);
      break;
    default:
      goes_on = event(replayed, resolver);
      break;
  }
  enough_ = !goes_on;
}

bool TraceReplay::enter(const abi::Sample& sample) {
  const auto raw = decode_raw_enter(sample.raw, reader_.evlist().order());
  if (!raw) return true;
  printer_.count_event(static_cast<i32>(sample.tid));
  return calls_.enter(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time, raw->number,
                      raw->arguments, static_cast<i32>(sample.cpu));
}

// A child that has not done anything yet has a name too.
void TraceReplay::name_result(const abi::Sample& sample, i64 result, u32 number, Moment moment, Resolver& resolver) {
  if (printer_.signatures().of(number).result != ResultKind::Process || result <= 0 ||
      result > std::numeric_limits<i32>::max() || !sample.callchain.empty())
    return;
  const auto tid = static_cast<u32>(result);
  const std::string comm(resolver.comm(resolver.context(tid, tid, moment)));
  if (!comm.starts_with(':')) printer_.name(static_cast<i32>(tid), static_cast<i32>(tid), comm);
}

bool TraceReplay::leave(const ReplaySample& replayed, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  const auto raw = decode_raw_exit(sample.raw, reader_.evlist().order());
  if (!raw) return true;
  name_result(sample, raw->result, raw->number, replayed.moment, resolver);
  printer_.count_event(static_cast<i32>(sample.tid));
  return calls_.leave(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time, raw->number, raw->result,
                      static_cast<i32>(sample.cpu));
}

bool TraceReplay::event(const ReplaySample& replayed, Resolver& resolver) {
  // In linux-perf's summary, a thread's events are its calls and page faults.
  if (lines_.is_fault(replayed.event)) {
    const auto tid = static_cast<Pid>(replayed.sample.tid);
    printer_.count_event(tid);
    lines_.add_fault(replayed.event, tid);
  }
  if (!lines_.take(replayed.event)) return true;
  if (!calls_.interrupt()) return false;
  return lines_.put(replayed.event, replayed.sample, reader_.evlist().order(), {resolver, replayed.context},
                    has_calls_);
}

// --print-sample, in linux-perf's format.
void TraceReplay::put_sample(const ReplaySample& replayed) {
  if (!request_.print_samples) return;
  const abi::Sample& sample = replayed.sample;
  const auto tid = static_cast<i32>(sample.tid);
  const std::string line =
      fmt::format("{:>22} {:.3f} {} {}/{} [{}]\n", lines_.name(replayed.event), static_cast<double>(sample.time) / 1e6,
                  printer_.comm(tid), static_cast<i32>(sample.pid), tid, sample.cpu);
  printer_.text([&](ScriptText& text) {
    text.room(line.size());
    text.put(line);
  });
}

bool TraceReplay::end_batch() {
  printer_.flush();
  return !enough_ && out_.flush().has_value();
}

}  // namespace peregrine
