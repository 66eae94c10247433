#include "output/trace_dat/trace_dat_sink.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "data/feature/features.h"
#include "data/trace_dat/trace_clock_names.h"
#include "event/field/trace_value.h"
#include "output/text/format/printable.h"
#include "pipeline/replay/recorded_tracing.h"

namespace peregrine {
namespace {

constexpr u32 kSmallestPage = 4096;
// The recording chooses the page size, and each sample its CPU: this limit keeps one page per CPU within memory.
constexpr u32 kLargestPage = u32{64} << 10;

bool is_tracepoint(const abi::EventAttr& attr) {
  return attr.type == static_cast<u32>(abi::EventType::Tracepoint) && attr.samples(abi::sample_bit::Raw);
}

// The trace clock with the recording's times. Without -k, the times are those of the kernel's scheduler clock, which
// ftrace calls "perf".
std::string_view clock_name(const abi::EventAttr& attr) {
  if (!attr.has(abi::attr_flag::UseClockid)) return "perf";
  const auto* found = std::ranges::find(data::kTraceClockNames, attr.clockid, &data::TraceClockName::clockid);
  return found == data::kTraceClockNames.end() ? "perf" : found->name;
}

}  // namespace

std::bitset<128> TraceDatSink::shown() {
  std::bitset<128> kinds;
  kinds.set(static_cast<std::size_t>(abi::RecordType::Lost));
  kinds.set(static_cast<std::size_t>(abi::RecordType::LostSamples));
  return kinds;
}

void TraceDatSink::begin_batch() {
  if (tracing_ || error_) return;
  if (auto learned = learn(); !learned) error_ = std::move(learned.error());
}

Result<> TraceDatSink::learn() {
  const std::vector<std::byte> bytes = recorded_tracing_data(reader_);
  if (bytes.empty()) return {};
  auto tracing = decode_tracing_data(bytes);
  if (!tracing) return std::unexpected(std::move(tracing.error()));
  tracing_ = std::move(*tracing);
  const u32 long_size = tracing_->long_size == 4 ? 4 : 8;
  u32 page_size = std::clamp(tracing_->page_size, kSmallestPage, kLargestPage);
  if (page_size % kSmallestPage != 0) page_size = kSmallestPage;
  auto layout = data::parse_ring_layout(tracing_->header_page, long_size, tracing_->order);
  if (!layout || tracing_->header_page.empty() || page_size != tracing_->page_size) {
    tracing_->header_page = data::ring_layout_text(long_size, page_size);
    layout = data::parse_ring_layout(tracing_->header_page, long_size, tracing_->order);
    if (!layout) return std::unexpected(std::move(layout.error()));
  }
  layout_ = *layout;
  stack_ids_ = stack_ids(*tracing_);
  tracing_->page_size = page_size;
  pages_.emplace(std::move(pages_file_), page_size);
  return {};
}

Result<> TraceDatSink::write_page(u32 number, Cpu& cpu) { return pages_->append(number, cpu.page.finish()); }

void TraceDatSink::add_event(u32 number, Cpu& cpu, u64 time, Bytes data) {
  if (cpu.page.add(time, data)) return;
  if (auto written = write_page(number, cpu); !written && !error_) error_ = std::move(written.error());
  cpu.page.add(time, data);
}

TraceDatSink::Cpu& TraceDatSink::cpu_of(u32 number) {
  const auto found = cpus_.find(number);
  if (found != cpus_.end()) return found->second;
  return cpus_.emplace(number, Cpu{data::RingPageWriter(layout_, pages_->page_size())}).first->second;
}

// That of the raw data: a sample of an exiting thread has none.
u32 TraceDatSink::tid_of(Bytes raw, const TraceFormat& format) const {
  const TraceField* pid = format.find("common_pid");
  return pid == nullptr ? 0 : static_cast<u32>(number_of(*pid, raw, layout_.order));
}

void TraceDatSink::sample(const ReplaySample& replayed, Resolver& resolver, unsigned) {
  const abi::Sample& sample = replayed.sample;
  const abi::EventAttr& attr = reader_.evlist()[replayed.event].attr;
  const TraceFormat* format = tracing_ && is_tracepoint(attr) ? tracing_->find(static_cast<u32>(attr.config)) : nullptr;
  if (error_ || format == nullptr) {
    ++counts_.others;
    return;
  }
  const u32 number = (sample.fields & abi::sample_bit::Cpu) != 0 && sample.cpu < abi::kMostCpus ? sample.cpu : 0;
  Cpu& cpu = cpu_of(number);
  if (!cpu.page.can_hold(sample.raw.size())) {
    ++counts_.too_large;
    return;
  }
  if (sample.time < cpu.time) ++counts_.moved;
  cpu.time = std::max(cpu.time, sample.time);
  add_event(number, cpu, cpu.time, sample.raw);
  const u32 tid = tid_of(sample.raw, *format);
  if (!sample.callchain.empty()) add_stacks(number, cpu, sample, tid);
  ++counts_.samples;
  if (tid == 0 || tid != sample.tid) return;
  const std::string_view comm = resolver.comm(replayed.context);
  std::string& name = names_[sample.tid];
  if (name != comm) name = comm;
}

void TraceDatSink::side_band(const ReplaySideBand& shown, Resolver&, unsigned) {
  if (shown.side_band == nullptr || !tracing_ || error_) return;
  const abi::SideBandBody& body = shown.side_band->body;
  if (const auto* events = std::get_if<abi::LostRecord>(&body))
    add_lost(shown.side_band->id, events->lost);
  else if (const auto* samples = std::get_if<abi::LostSamplesRecord>(&body))
    add_lost(shown.side_band->id, samples->lost);
}

void TraceDatSink::add_lost(const abi::SampleId& id, u64 count) {
  if ((id.fields & abi::sample_bit::Cpu) == 0 || id.cpu >= abi::kMostCpus) return;
  Cpu& cpu = cpu_of(id.cpu);
  if (!cpu.page.empty()) {
    if (auto written = write_page(id.cpu, cpu); !written) error_ = std::move(written.error());
  }
  if ((id.fields & abi::sample_bit::Time) != 0) cpu.time = std::max(cpu.time, id.time);
  cpu.page.add_lost(count, cpu.time);
}

void TraceDatSink::add_stacks(u32 number, Cpu& cpu, const abi::Sample& sample, u32 tid) {
  bool in_user = false;
  std::array<std::vector<u64>, 2> stacks;  // kernel, user
  for (const u64 address : sample.callchain) {
    if (address >= abi::kContextMax)
      in_user = address == abi::kContextUser;
    else
      stacks[in_user ? 1 : 0].push_back(address);
  }
  for (const bool user : {false, true}) {
    if (stacks[user ? 1 : 0].empty()) continue;
    stacks_ = true;
    const auto event = stack_event({.user = user,
                                    .long_size = layout_.commit_size,
                                    .order = layout_.order,
                                    .pid = sample.pid,
                                    .tid = tid,
                                    .addresses = stacks[user ? 1 : 0]},
                                   stack_ids_);
    if (cpu.page.can_hold(event.size())) add_event(number, cpu, cpu.time, event);
  }
}

bool TraceDatSink::needs_symbols() const {
  constexpr std::string_view kFunctions[] = {"%pS", "%ps", "%pF", "%pf", "%pB"};
  return stacks_ || (tracing_ && std::ranges::any_of(tracing_->formats, [&](const TraceFormat& format) {
                       return std::ranges::any_of(kFunctions, [&](std::string_view function) {
                         return format.print_fmt.find(function) != std::string::npos;
                       });
                     }));
}

data::WrittenTraceDat TraceDatSink::description(unsigned version) const {
  data::WrittenTraceDat file{.version = version, .tracing = *tracing_};
  const data::Features& facts = reader_.header().features;
  file.cpus = cpus_.empty() ? 1 : cpus_.rbegin()->first + 1;
  if (facts.cpus && facts.cpus->available <= abi::kMostCpus) file.cpus = std::max(file.cpus, facts.cpus->available);
  for (const data::Event& event : reader_.evlist())
    if (is_tracepoint(event.attr)) file.clock = clock_name(event.attr);
  if (facts.hostname && facts.os_release && facts.arch)
    file.uname = printable(fmt::format("Linux {} {} {}", *facts.hostname, *facts.os_release, *facts.arch));
  if (facts.version) file.writer = printable(*facts.version);
  file.tracing.saved_cmdlines.clear();
  for (const auto& [tid, comm] : names_) file.tracing.saved_cmdlines += fmt::format("{} {}\n", tid, printable(comm));
  if (stacks_) add_stack_formats(file.tracing);
  return file;
}

Result<> TraceDatSink::finish(int fd, const std::string& name, unsigned version, std::string kallsyms) {
  if (error_) return std::unexpected(*error_);
  if (!tracing_ ||
      std::ranges::none_of(reader_.evlist(), [](const data::Event& event) { return is_tracepoint(event.attr); }))
    return std::unexpected(
        Error{ErrorKind::Unsupported, "no tracepoints in this recording: trace.dat files have no other events"}
            .with_hint("record tracepoints: perf record -e 'sched:*'"));
  for (auto& [number, cpu] : cpus_)
    if (!cpu.page.empty() || cpu.page.has_lost()) PEREGRINE_TRY(write_page(number, cpu));
  data::WrittenTraceDat file = description(version);
  file.name = name;
  file.tracing.kallsyms = std::move(kallsyms);
  return data::write_trace_dat(fd, file, *pages_);
}

}  // namespace peregrine
