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

void put_value(const decltype(FeatureValue::value)& value, JsonDocument& json) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    json.value(*text);
  } else if (const auto* number = std::get_if<u64>(&value)) {
    json.value(*number);
  } else {
    json.array([&] {
      for (const std::string& word : std::get<std::span<const std::string>>(value)) json.value(word);
    });
  }
}

// Depths of items.
constexpr unsigned kInSamples = 2, kInSample = 3, kInChain = 4, kInFrame = 5;

constexpr auto kSampleStart = json_start<kInSamples>("timestamp");
constexpr auto kFrameStart = json_start<kInChain>("ip");
constexpr auto kPidKey = json_key<kInSample>("pid");
constexpr auto kTidKey = json_key<kInSample>("tid");
constexpr auto kCpuKey = json_key<kInSample>("cpu");
constexpr auto kCommKey = json_key<kInSample>("comm");
constexpr auto kEventKey = json_key<kInSample>("event");
constexpr auto kChainKey = json_key<kInSample>("callchain");

}  // namespace

void put_features(const data::Features& features, JsonDocument& json, std::span<const FeatureText> texts) {
  for (const FeatureText& text : texts) {
    if (text.values == nullptr) continue;
    for (const auto& [key, value] : text.values(features)) put_value(value, json.key(key));
  }
}

DataJson::DataJson(const data::Reader& reader, EventNames event_names, Sink& out)
    : reader_(reader), out_(out), json_(out, JsonLayout::Indented), event_names_(std::move(event_names)) {
  json_.begin_object().member("linux-perf-json-version", 1);
  json_.object("headers", [&] { put_header(reader.header()); });
  json_.key("samples").begin_array();
}

void DataJson::put_header(const data::Header& header) {
  json_.member("header-version", 1).member("captured-on", utc_time(header.captured_on));
  json_.member("data-offset", header.data_offset).member("data-size", header.data_size);
  json_.member("feat-offset", header.feature_offset);
  put_features(header.features, json_);
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
      worker.names.push_back('"' + JsonDocument::prepared(JsonLayout::Indented, kInFrame, [&](JsonDocument& json) {
                               if (frame.symbol) json.member("symbol", resolver.symbol_name(frame));
                               if (frame.symbol && frame.dso)
                                 json.member("dso", resolver.machine().dsos().at(frame.dso).short_name);
                               json.end_object();
                             }));
    }
  }
  return worker.names[index];
}

// Called for every frame of every sample.
void DataJson::put_frame(JsonDocument& json, Worker& worker, Resolver& resolver, u64 address, FrameId frame) {
  json.put(kFrameStart.view()).append("\"0x").hex(address).append(name_of(worker, resolver, frame));
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

void DataJson::put_event(JsonDocument& json, const ReplaySample& replayed, Worker& worker) const {
  if (replayed.event >= reader_.evlist().size()) return;
  if (replayed.event < names_.size()) json.key(kEventKey).escaped(names_[replayed.event]);
  const abi::EventAttr& attr = reader_.evlist()[replayed.event].attr;
  if (attr.type != static_cast<u32>(abi::EventType::Tracepoint) || !formats_) return;
  const TraceFormat* const format = formats_->format(attr.config);
  const PrintFormat* const print = formats_->print_format(attr.config);
  if (format == nullptr || print == nullptr) return;
  worker.fields = '{';
  append_trace_fields(worker.fields, *format, *print, replayed.sample.raw);
  json.next().append(std::string_view(worker.fields).substr(1));
}

void DataJson::sample(const ReplaySample& replayed, Resolver& resolver, unsigned number) {
  const abi::Sample& sample = replayed.sample;
  Worker& worker = workers_[number];
  ++worker.text->samples;
  worker.text->text.append(kSampleStart.view()).decimal(sample.time);
  JsonDocument json(worker.text->text, JsonLayout::Indented, kInSample);
  json.key(kPidKey).value(static_cast<i32>(sample.pid)).key(kTidKey).value(static_cast<i32>(sample.tid));
  if ((sample.fields & abi::sample_bit::Cpu) != 0) json.key(kCpuKey).value(sample.cpu);
  json.key(kCommKey).value(resolver.comm(replayed.context));
  put_event(json, replayed, worker);
  json.key(kChainKey).begin_array();
  if (sample.callchain.empty()) {
    put_frame(json, worker, resolver, sample.ip, resolver.frame(replayed.context, sample.ip, sample.cpumode()));
  } else {
    worker.frames.clear();
    worker.addresses.clear();
    resolver.chain(replayed.context, sample.callchain, ~0u, worker.frames, &worker.addresses);
    for (std::size_t i = 0; i < worker.frames.size(); ++i)
      put_frame(json, worker, resolver, worker.addresses[i], worker.frames[i]);
  }
  json.end_array().end_object();
}

void DataJson::end_slice(u64 slice, unsigned worker) {
  slices_.end(slice, std::move(workers_[worker].text), [this](const SliceText& due) {
    out_.append(due.text.text().substr(samples_ == 0 && due.samples != 0 ? 1 : 0));
    samples_ += due.samples;
  });
}

void DataJson::finish() {
  json_.end_array().end_object();
  out_.append('\n');
}

}  // namespace peregrine
