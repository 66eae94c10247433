#include "cmd/trace_replay.h"

#include <algorithm>
#include <limits>

#include "cmd/recording.h"
#include "output/text/printable.h"
#include "output/text/trace_event.h"

namespace peregrine::cmd {

namespace {

// Of a raw_syscalls record: behind its common fields.
constexpr std::size_t kNumber = 8;

// A number that no call has stays one.
u32 call_number(u64 number) { return static_cast<u32>(std::min<u64>(number, std::numeric_limits<u32>::max())); }

CallFilter filter_of(const TraceRequest& request, const Signatures& signatures) {
  CallFilter filter;
  filter.chosen = request.calls.chosen(signatures);
  filter.least_duration = static_cast<u64>(std::max(request.least_ms, 0.0) * 1e6);
  filter.only_failed = request.only_failed;
  filter.whole = request.summary;
  return filter;
}

}  // namespace

TraceReplay::TraceReplay(const TraceRequest& request, const data::Reader& reader, TracePrinter& printer, Sink& out,
                         Pid workload, std::vector<Pid> hidden)
    : request_(request),
      reader_(reader),
      printer_(printer),
      out_(out),
      calls_(printer.signatures(), filter_of(request, printer.signatures()), printer),
      workload_(workload),
      hidden_(std::move(hidden)) {
  hidden_.insert(hidden_.end(), request.excluded.begin(), request.excluded.end());
  learn_events();
}

void TraceReplay::begin_batch() {
  if (events_.size() != reader_.evlist().size()) learn_events();
}

void TraceReplay::learn_events() {
  const data::Evlist& evlist = reader_.evlist();
  const std::vector<std::string> names = event_names(reader_);
  if (!tracing_) {
    if (auto bytes = reader_.read_feature(static_cast<u32>(data::FeatureId::TracingData)))
      if (auto decoded = decode_tracing_data(*bytes)) tracing_ = std::move(*decoded);
  }
  for (std::size_t i = events_.size(); i < evlist.size(); ++i) {
    const abi::EventAttr& attr = evlist[i].attr;
    Known known{.event = TracedEvent(printable(names[i]), attr, tracing_ ? &*tracing_ : nullptr, request_)};
    known.kind = kind_of(known.event.name(), attr);
    has_calls_ |= known.kind == Kind::Enter || known.kind == Kind::Leave;
    events_.push_back(std::move(known));
  }
}

TraceReplay::Kind TraceReplay::kind_of(const std::string& name, const abi::EventAttr& attr) const {
  if (attr.type == static_cast<u32>(abi::EventType::Software)) {
    if (attr.config == static_cast<u64>(abi::SoftwareEvent::MinorFaults)) return Kind::MinorFault;
    if (attr.config == static_cast<u64>(abi::SoftwareEvent::MajorFaults)) return Kind::MajorFault;
  }
  if (name == "raw_syscalls:sys_enter") return Kind::Enter;
  if (name == "raw_syscalls:sys_exit") return Kind::Leave;
  return request_.sched && name == "sched:sched_stat_runtime" ? Kind::Runtime : Kind::Other;
}

Result<> TraceReplay::use_switches() {
  const auto place = [&](const std::string& name) -> Result<std::optional<u32>> {
    if (name.empty()) return std::optional<u32>();
    const auto found = std::ranges::find(events_, name, [](const Known& known) { return known.event.name(); });
    if (found == events_.end()) return fail(ErrorKind::NotFound, "no event \"{}\" found", name);
    return std::optional(static_cast<u32>(found - events_.begin()));
  };
  auto on = place(request_.switch_on), off = place(request_.switch_off);
  if (!on) return std::unexpected(std::move(on.error()));
  if (!off) return std::unexpected(std::move(off.error()));
  switch_ = EventSwitch(*on, *off, request_.show_switches);
  return {};
}

void TraceReplay::side_band(const ReplaySideBand& record, Resolver&, unsigned) {
  if (workload_ < 0 || record.side_band == nullptr) return;
  const auto* comm = std::get_if<abi::CommRecord>(&record.side_band->body);
  if (comm != nullptr && comm->exec && static_cast<Pid>(comm->pid) == workload_) workload_ = -1;
}

void TraceReplay::sample(const ReplaySample& replayed, Resolver& resolver, unsigned) {
  const abi::Sample& sample = replayed.sample;
  if (enough_ || replayed.event >= events_.size()) return;
  if (workload_ >= 0 && static_cast<Pid>(sample.pid) == workload_) return;
  if (!hidden_.empty() && (is_hidden(sample.pid) || is_hidden(sample.tid))) return;
  if (switch_.any() && switch_.discards(replayed.event)) return;
  Known& known = events_[replayed.event];
  printer_.name(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), resolver.comm(replayed.context));
  if (!is_deep_enough(replayed, resolver)) return;
  bool goes_on = true;
  const u64 before = printer_.shown();
  switch (known.kind) {
    case Kind::Runtime:
      add_runtime(sample, known);
      break;
    case Kind::Enter:
      put_sample(sample, known);
      goes_on = enter(sample);
      break;
    case Kind::Leave:
      put_sample(sample, known);
      goes_on = leave(replayed, resolver);
      if (printer_.shown() != before) put_stack(replayed, resolver);
      break;
    default:
      goes_on = event(replayed, known, resolver);
      break;
  }
  enough_ = !goes_on;
}

bool TraceReplay::enter(const abi::Sample& sample) {
  ByteReader raw(sample.raw, reader_.evlist().order());
  raw.take(kNumber);
  const u32 number = call_number(raw.get64());
  std::array<u64, kMostArguments> arguments{};
  for (u64& argument : arguments) argument = raw.get64();
  if (!raw.ok()) return true;
  printer_.count_event(static_cast<i32>(sample.tid));
  return calls_.enter(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time, number, arguments);
}

// A child that has done nothing yet has a name too.
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
  ByteReader raw(sample.raw, reader_.evlist().order());
  raw.take(kNumber);
  const u32 number = call_number(raw.get64());
  const auto result = static_cast<i64>(raw.get64());
  if (!raw.ok()) return true;
  name_result(sample, result, number, replayed.moment, resolver);
  printer_.count_event(static_cast<i32>(sample.tid));
  return calls_.leave(static_cast<i32>(sample.pid), static_cast<i32>(sample.tid), sample.time, number, result);
}

bool TraceReplay::event(const ReplaySample& replayed, Known& known, Resolver& resolver) {
  const abi::Sample& sample = replayed.sample;
  printer_.count_event(static_cast<i32>(sample.tid));
  if (request_.summary || !known.event.take()) return true;
  if (!calls_.interrupt()) return false;
  const bool fault = known.kind == Kind::MinorFault || known.kind == Kind::MajorFault;
  const auto tid = static_cast<i32>(sample.tid);
  const bool goes_on = printer_.event(
      sample.time, fault ? std::optional<u64>(0) : std::nullopt, fault || has_calls_, tid, [&](ScriptText& text) {
        if (fault) return put_fault(text, resolver, replayed.context, sample, known.kind == Kind::MajorFault);
        known.event.put(text, printer_, sample.raw, reader_.evlist().order());
      });
  put_stack(replayed, resolver);
  return goes_on;
}

void TraceReplay::add_runtime(const abi::Sample& sample, const Known& known) {
  const TraceFormat* format = known.event.format();
  const TraceField* pid = format == nullptr ? nullptr : format->find("pid");
  const TraceField* runtime = format == nullptr ? nullptr : format->find("runtime");
  if (pid == nullptr || runtime == nullptr) return;
  const auto number = [&](const TraceField& field) -> u64 {
    ByteReader raw(sample.raw, reader_.evlist().order());
    raw.take(field.offset);
    return field.size == 8 ? raw.get64() : raw.get32();
  };
  printer_.summary().add_runtime(static_cast<Pid>(number(*pid)), number(*runtime));
}

// --print-sample, in linux-perf's form.
void TraceReplay::put_sample(const abi::Sample& sample, const Known& known) {
  if (!request_.print_samples) return;
  const auto tid = static_cast<i32>(sample.tid);
  const std::string line =
      fmt::format("{:>22} {:.3f} {} {}/{} [{}]\n", known.event.name(), static_cast<double>(sample.time) / 1e6,
                  printer_.comm(tid), static_cast<i32>(sample.pid), tid, sample.cpu);
  printer_.text([&](ScriptText& text) {
    text.room(line.size());
    text.put(line);
  });
}

// --min-stack
bool TraceReplay::is_deep_enough(const ReplaySample& replayed, Resolver& resolver) {
  if (!request_.min_stack || replayed.sample.callchain.empty()) return true;
  frames_.clear();
  resolver.chain(replayed.context, replayed.sample.callchain, *request_.min_stack, frames_);
  return frames_.size() >= *request_.min_stack;
}

void TraceReplay::put_stack(const ReplaySample& replayed, Resolver& resolver) {
  if (replayed.sample.callchain.empty()) return;
  frames_.clear();
  ips_.clear();
  resolver.chain(replayed.context, replayed.sample.callchain, request_.max_stack.value_or(127), frames_, &ips_);
  printer_.text([&](ScriptText& text) { put_chain(text, resolver, frames_, ips_); });
}

bool TraceReplay::end_batch() {
  printer_.flush();
  return !enough_ && out_.flush().has_value();
}

}  // namespace peregrine::cmd
