#include "output/ctf/ctf_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <expected>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/fd.h"
#include "base/file/output_file.h"
#include "base/result.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "machine/resolver/resolver.h"
#include "output/ctf/ctf_stream.h"
#include "output/ctf/tsdl.h"
#include "output/text/format/printable.h"
#include "pipeline/replay/recorded_formats.h"

namespace peregrine {

std::bitset<128> CtfTraceWriter::shown() const {
  using abi::RecordType;
  std::bitset<128> kinds;
  const auto show = [&](std::initializer_list<RecordType> types) {
    for (const RecordType type : types) kinds.set(static_cast<std::size_t>(type));
  };
  show({RecordType::Lost, RecordType::LostSamples});
  if (options_.all) show({RecordType::Comm, RecordType::Exit, RecordType::Fork, RecordType::Mmap, RecordType::Mmap2});
  return kinds;
}

void CtfTraceWriter::begin_batch() {
  if (!formats_known_ && !error_ && has_formats(reader_)) {
    auto formats = recorded_formats(reader_);
    if (formats) {
      formats_ = std::move(*formats);
    } else {
      error_ = std::move(formats.error());
    }
    formats_known_ = true;
  }
  if (begun_) return;
  begun_ = true;
  // Files list all events at the start, but in pipes and in simpleperf's files, tracepoint formats may come after the
  // first records. Such a tracepoint is planned at its first sample.
  for (u32 i = 0; i < reader_.evlist().size(); ++i)
    if (formats_known_ || reader_.evlist()[i].attr.type != static_cast<u32>(abi::EventType::Tracepoint)) plan(i);
  if (!options_.all) return;
  side_band_id_ = static_cast<u32>(classes_.size());
  std::ranges::move(side_band_classes(side_band_id_), std::back_inserter(classes_));
}

const CtfSamplePlan& CtfTraceWriter::plan(u32 event) {
  if (event >= plans_.size()) plans_.resize(event + 1);
  if (plans_[event]) return *plans_[event];
  if (event >= names_.size()) names_ = options_.names();
  const abi::EventAttr& attr = reader_.evlist()[event].attr;
  auto [plan, made] = make_sample_plan(static_cast<u32>(classes_.size()), names_[event], attr,
                                       formats_.format(attr.config), reader_.header().order);
  classes_.push_back(std::move(made));
  plans_[event] = std::move(plan);
  return *plans_[event];
}

CtfStream& CtfTraceWriter::stream(u32 cpu) {
  if (cpu >= abi::kMostCpus) cpu = 0;
  if (last_stream_ != nullptr && cpu == last_cpu_) return *last_stream_;
  const std::string path = fmt::format("{}perf_stream_{}", options_.prefix, cpu);
  last_stream_ = &streams_.try_emplace(cpu, path, options_.uuid, cpu).first->second;
  last_cpu_ = cpu;
  return *last_stream_;
}

void CtfTraceWriter::sample(const ReplaySample& replayed, Resolver&, unsigned) {
  const abi::Sample& sample = replayed.sample;
  const CtfSamplePlan& made = plan(replayed.event);
  CtfStream& out = stream((sample.fields & abi::sample_bit::Cpu) != 0 ? sample.cpu : 0);
  out.begin_event(made.id, sample.time);
  put_sample(made, sample, out);
  ++samples_;
  bytes_ += replayed.record().size();
}

void CtfTraceWriter::side_band(const ReplaySideBand& shown, Resolver&, unsigned) {
  if (shown.side_band == nullptr) return;
  const abi::SideBand& record = *shown.side_band;
  CtfStream& out = stream((record.id.fields & abi::sample_bit::Cpu) != 0 ? record.id.cpu : 0);
  if (const auto* lost = std::get_if<abi::LostRecord>(&record.body)) out.discard(lost->lost);
  if (const auto* lost = std::get_if<abi::LostSamplesRecord>(&record.body)) out.discard(lost->lost);
  const auto kind = side_band_class(record);
  if (!kind) return;
  out.begin_event(side_band_id_ + *kind, shown.time);
  put_side_band(record, out);
  ++others_;
  bytes_ += shown.record.bytes.size();
}

bool CtfTraceWriter::end_batch() {
  return std::ranges::all_of(streams_, [](const auto& entry) { return entry.second.ok(); });
}

u64 CtfTraceWriter::moved() const {
  u64 count = 0;
  for (const auto& [cpu, stream] : streams_) count += stream.moved();
  return count;
}

CtfTrace CtfTraceWriter::metadata() const {
  CtfTrace trace{.uuid = options_.uuid, .clock_uuid = options_.clock_uuid, .clock = options_.clock, .events = classes_};
  const data::Features& facts = reader_.header().features;
  const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
    if (value) trace.environment.emplace_back(name, printable(*value));
  };
  add("host", facts.hostname);
  add("sysname", "Linux");
  add("release", facts.os_release);
  add("version", facts.version);
  add("machine", facts.arch);
  add("domain", "kernel");
  add("tracer_name", "perf");
  return trace;
}

Result<> CtfTraceWriter::finish() {
  begin_batch();  // a recording may have no batches
  for (u32 i = 0; i < reader_.evlist().size(); ++i) plan(i);
  for (auto& [cpu, stream] : streams_) PEREGRINE_TRY(stream.finish());
  const std::string path = options_.prefix + "metadata", text = tsdl_text(metadata());
  auto file = create_output(path);
  if (!file) return std::unexpected(std::move(file.error()));
  if (auto written = write_all(file->get(), text.data(), text.size()); !written) {
    written.error().message = path + ": " + written.error().message;
    return written;
  }
  if (error_) return std::unexpected(*error_);
  return {};
}

}  // namespace peregrine
