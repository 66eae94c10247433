#include "output/json/data_json.h"

#include <fmt/format.h>
#include <time.h>

#include <cstddef>
#include <ctime>
#include <string_view>
#include <utility>
#include <variant>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/header.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "machine/resolver/resolver.h"
#include "output/json/json_text.h"
#include "output/json/trace_fields_json.h"
#include "pipeline/replay/recorded_formats.h"

namespace peregrine {

namespace {

std::string utc_time(i64 seconds) {
  const std::time_t when = seconds;
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

void put_value(const decltype(FeatureValue::value)& value, Sink& out) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    out.format("\"{}\"", json_escaped(*text));
  } else if (const auto* number = std::get_if<u64>(&value)) {
    out.format("{}", *number);
  } else {
    const char* comma = "";
    out.append('[');
    for (const std::string& word : std::get<std::span<const std::string>>(value)) {
      out.format("{}\n\t\t\t\"{}\"", comma, json_escaped(word));
      comma = ",";
    }
    out.append("\n\t\t]");
  }
}

}  // namespace

void put_features(const data::Features& features, Sink& out, std::span<const FeatureText> texts) {
  for (const FeatureText& text : texts) {
    if (text.values == nullptr) continue;
    for (const auto& [key, value] : text.values(features)) {
      out.format(",\n\t\t\"{}\": ", key);
      put_value(value, out);
    }
  }
}

DataJson::DataJson(const data::Reader& reader, EventNames event_names, Sink& out)
    : reader_(reader), out_(out), event_names_(std::move(event_names)) {
  out_.append("{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {\n");
  put_header(reader.header());
  out_.append("\n\t},\n\t\"samples\": [");
}

void DataJson::put_header(const data::Header& header) {
  out_.append("\t\t\"header-version\": 1");
  out_.format(",\n\t\t\"captured-on\": \"{}\"", utc_time(header.captured_on));
  out_.format(",\n\t\t\"data-offset\": {}", header.data_offset);
  out_.format(",\n\t\t\"data-size\": {}", header.data_size);
  out_.format(",\n\t\t\"feat-offset\": {}", header.feature_offset);
  put_features(header.features, out_);
}

// Of frames that differ only by their addresses, all share one text.
std::string_view DataJson::name_of(Worker& worker, Resolver& resolver, FrameId id) {
  if (id.value >= worker.name_of_frame.size()) worker.name_of_frame.resize(resolver.frame_count(), kNotKnown);
  u32& index = worker.name_of_frame[id.value];
  if (index == kNotKnown) {
    const Frame& frame = resolver.at(id);
    const u64 key = frame.symbol ? u64{frame.dso.value} << 32 | frame.symbol.value : ~u64{0};
    const auto [known, fresh] = worker.known.try_emplace(key, static_cast<u32>(worker.names.size()));
    index = known->second;
    if (fresh) {
      std::string& text = worker.names.emplace_back("\"");
      const auto put = [&](std::string_view name, std::string_view value) {
        append_json_escaped(text.append(",\n\t\t\t\t\t\"").append(name).append("\": \""), value);
        text += '"';
      };
      if (frame.symbol) put("symbol", resolver.symbol_name(frame));
      if (frame.symbol && frame.dso) put("dso", resolver.machine().dsos().at(frame.dso).short_name);
      text += "\n\t\t\t\t}";
    }
  }
  return worker.names[index];
}

// Called for every frame of every sample.
void DataJson::put_frame(Worker& worker, Resolver& resolver, u64 address, FrameId frame) {
  Sink& out = worker.text->text;
  out.append("\n\t\t\t\t{\n\t\t\t\t\t\"ip\": \"0x").hex(address).append(name_of(worker, resolver, frame));
}

// Event names and tracepoint formats may arrive after the first records. Formats that cannot be parsed count as
// missing.
void DataJson::begin_batch() {
  names_.clear();
  for (const std::string& name : event_names_()) names_.push_back(json_escaped(name));
  if (formats_ || !has_formats(reader_)) return;
  auto formats = recorded_formats(reader_);
  formats_ = formats ? std::move(*formats) : TraceFormats();
}

void DataJson::put_event(const ReplaySample& replayed, Worker& worker) const {
  Sink& out = worker.text->text;
  if (replayed.event >= reader_.evlist().size()) return;
  if (replayed.event < names_.size()) out.append(",\n\t\t\t\"event\": \"").append(names_[replayed.event]).append('"');
  const abi::EventAttr& attr = reader_.evlist()[replayed.event].attr;
  if (attr.type != static_cast<u32>(abi::EventType::Tracepoint) || !formats_) return;
  const TraceFormat* const format = formats_->format(attr.config);
  const PrintFormat* const print = formats_->print_format(attr.config);
  if (format == nullptr || print == nullptr) return;
  worker.fields = '{';
  append_trace_fields(worker.fields, *format, *print, replayed.sample.raw);
  out.append(",\n\t\t\t").append(std::string_view(worker.fields).substr(1));
}

void DataJson::sample(const ReplaySample& replayed, Resolver& resolver, unsigned number) {
  const abi::Sample& sample = replayed.sample;
  Worker& worker = workers_[number];
  Sink& out = worker.text->text;
  ++worker.text->samples;
  out.append(",\n\t\t{\n\t\t\t\"timestamp\": ").decimal(sample.time);
  out.append(",\n\t\t\t\"pid\": ").decimal_signed(static_cast<i32>(sample.pid));
  out.append(",\n\t\t\t\"tid\": ").decimal_signed(static_cast<i32>(sample.tid));
  if ((sample.fields & abi::sample_bit::Cpu) != 0) out.append(",\n\t\t\t\"cpu\": ").decimal(sample.cpu);
  append_json_escaped(out.append(",\n\t\t\t\"comm\": \""), resolver.comm(replayed.context));
  out.append('"');
  put_event(replayed, worker);
  out.append(",\n\t\t\t\"callchain\": [");
  if (sample.callchain.empty()) {
    put_frame(worker, resolver, sample.ip, resolver.frame(replayed.context, sample.ip, sample.cpumode()));
  } else {
    worker.frames.clear();
    worker.addresses.clear();
    resolver.chain(replayed.context, sample.callchain, ~0u, worker.frames, &worker.addresses);
    for (std::size_t i = 0; i < worker.frames.size(); ++i) {
      if (i != 0) out.append(',');
      put_frame(worker, resolver, worker.addresses[i], worker.frames[i]);
    }
  }
  out.append("\n\t\t\t]\n\t\t}");
}

void DataJson::end_slice(u64 slice, unsigned worker) {
  slices_.end(slice, std::move(workers_[worker].text), [this](const SliceText& due) {
    out_.append(due.text.text().substr(samples_ == 0 && due.samples != 0 ? 1 : 0));
    samples_ += due.samples;
  });
}

void DataJson::finish() { out_.append("\n\t]\n}\n"); }

}  // namespace peregrine
