#include "pipeline/trace_dat/recording_header.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "abi/attr.h"
#include "abi/record_rows.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/text/words.h"
#include "base/types.h"
#include "capture/synthesis/kernel.h"
#include "capture/synthesis/record_encoder.h"
#include "data/feature/feature_table.h"
#include "data/trace_dat/trace_clock_names.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {
namespace {

namespace bit = abi::sample_bit;

void set_clock(std::string_view name, bool dated, abi::EventAttr& attr) {
  const auto* found = std::ranges::find(data::kTraceClockNames, name, &data::TraceClockName::name);
  if (dated) {
    attr.clockid = CLOCK_REALTIME;
  } else if (found != data::kTraceClockNames.end()) {
    attr.clockid = found->clockid;
  } else {
    return;
  }
  attr.set(abi::attr_flag::UseClockid);
}

data::Evlist make_evlist(const data::TraceDat& trace, const TraceContents& contents) {
  data::Evlist evlist(trace.tracing.order);
  abi::EventAttr attr;
  attr.type = static_cast<u32>(abi::EventType::Tracepoint);
  attr.sample_period = 1;
  attr.sample_type = bit::Identifier | bit::Tid | bit::Time | bit::Cpu | bit::Period | bit::Raw;
  if (contents.stacks || contents.functions) attr.sample_type |= bit::Ip | bit::Callchain;
  attr.set(abi::attr_flag::SampleIdAll);
  set_clock(trace.clock_name, trace.dated, attr);
  for (const u32 id : contents.ids) {
    attr.config = id;
    const TraceFormat* format = trace.tracing.find(id);
    data::Event event{.attr = attr, .ids = {evlist.size() + 1}};
    if (format != nullptr) event.name = fmt::format("{}:{}", format->system, format->name);
    evlist.add(std::move(event));
  }
  return evlist;
}

data::Features make_features(const data::TraceDat& trace, const TraceContents& contents, const data::Evlist& evlist) {
  data::Features features;
  TracingData tracing = trace.tracing;
  tracing.version = "0.6";
  tracing.kallsyms.clear();  // kept in a file
  features.tracing_data = encode_tracing_data(tracing);
  features.event_desc.emplace();
  for (const data::Event& event : evlist) features.event_desc->push_back({event.attr, event.name, event.ids});
  // "Linux host 6.1.0 x86_64"
  const auto words = split_words(trace.uname, ' ');
  if (words.size() >= 4) {
    features.hostname = words[1];
    features.os_release = words[2];
    features.arch = words.back();
  }
  if (!trace.writer.empty()) features.version = fmt::format("trace-cmd {}", trace.writer);
  if (trace.cpus != 0) features.cpus = data::CpuCount{.available = trace.cpus, .online = trace.cpus};
  if (contents.events != 0) features.sample_times = data::SampleTimes{contents.first, contents.last};
  return features;
}

// The trailer of such records has time 0.
void put_kernel_maps(std::string_view text, std::size_t trailer, ByteWriter& out) {
  const Kallsyms symbols = parse_kallsyms(text);
  const SymbolTable& kernel = symbols.kernel;
  u64 start = symbols.reference(), end = symbols.etext;
  if (start == 0 && !kernel.empty()) start = kernel.start(SymbolIndex{0});
  if (end == 0 && !kernel.empty()) end = kernel.end(SymbolIndex{static_cast<u32>(kernel.size() - 1)});
  if (start != 0 && end > start) {
    const std::string name = fmt::format("[kernel.kallsyms]{}", symbols.reference_name());
    put_kernel_map({start, end - start, start, name}, trailer, out);
  }
  for (const ModuleSymbols& module : symbols.modules)
    if (module.end > module.start)
      put_kernel_map({module.start, module.end - module.start, 0, module.name}, trailer, out);
}

void put_comm(u32 tid, std::string_view comm, std::size_t trailer, ByteWriter& out) {
  RecordEncoder record(out, abi::RecordType::Comm, 0);
  record.body().put32(tid).put32(tid);
  record.text(comm.substr(0, 255));
  record.end(trailer);
}

}  // namespace

RecordingHeader recording_header(const data::TraceDat& trace, const TraceContents& contents) {
  RecordingHeader made{.evlist = make_evlist(trace, contents)};
  made.features = make_features(trace, contents, made.evlist);
  if (made.evlist.empty()) return made;
  const std::size_t trailer = abi::sample_id_size(made.evlist[0].attr);
  ByteWriter records(trace.tracing.order);
  put_kernel_maps(trace.tracing.kallsyms, trailer, records);
  for (const auto& [tid, comm] : contents.names) put_comm(tid, comm, trailer, records);
  made.side_band = records.take();
  return made;
}

Result<> write_features(const RecordingHeader& header, data::CopyWriter& writer) {
  std::vector<data::FeatureBytes> sections;
  std::vector<data::FeatureSize> sizes;
  for (const data::FeatureRow& row : data::feature_table()) {
    const u32 id = static_cast<u32>(row.id);
    auto bytes = data::encode_feature(id, header.features, header.evlist.order());
    if (!bytes) continue;
    sizes.push_back({id, bytes->size()});
    sections.push_back({id, std::move(*bytes)});
  }
  PEREGRINE_TRY(writer.begin_features(sizes));
  for (const data::FeatureBytes& section : sections) PEREGRINE_TRY(writer.append_feature(section.bytes));
  return writer.end();
}

}  // namespace peregrine
