#include "output/json/data_json.h"

#include <ctime>

#include "output/json/json_text.h"

namespace peregrine {

namespace {

std::string utc_time(i64 seconds) {
  const std::time_t when = seconds;
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

}  // namespace

DataJson::DataJson(const data::Reader& reader, Sink& out) : out_(out) {
  out_.append("{\n\t\"linux-perf-json-version\": 1,\n\t\"headers\": {\n");
  put_header(reader.header());
  out_.append("\n\t},\n\t\"samples\": [");
}

void DataJson::put_text(std::string_view key, const std::optional<std::string>& value) {
  if (value) out_.format(",\n\t\t\"{}\": \"{}\"", key, json_escaped(*value));
}

void DataJson::put_header(const data::Header& header) {
  const data::Features& facts = header.features;
  out_.append("\t\t\"header-version\": 1");
  out_.format(",\n\t\t\"captured-on\": \"{}\"", utc_time(header.captured_on));
  out_.format(",\n\t\t\"data-offset\": {}", header.data_offset);
  out_.format(",\n\t\t\"data-size\": {}", header.data_size);
  out_.format(",\n\t\t\"feat-offset\": {}", header.feature_offset);
  put_text("hostname", facts.hostname);
  put_text("os-release", facts.os_release);
  put_text("arch", facts.arch);
  put_text("cpu-desc", facts.cpu_desc);
  put_text("cpuid", facts.cpuid);
  if (facts.cpus)
    out_.format(",\n\t\t\"nrcpus-online\": {},\n\t\t\"nrcpus-avail\": {}", facts.cpus->online, facts.cpus->available);
  put_text("perf-version", facts.version);
  if (!facts.cmdline) return;
  out_.append(",\n\t\t\"cmdline\": [");
  bool first = true;
  for (const std::string& word : *facts.cmdline) {
    out_.format("{}\n\t\t\t\"{}\"", first ? "" : ",", json_escaped(word));
    first = false;
  }
  out_.append("\n\t\t]");
}

void DataJson::put_frame(Resolver& resolver, u64 address, const Frame& frame) {
  out_.format("\n\t\t\t\t{{\n\t\t\t\t\t\"ip\": \"{:#x}\"", address);
  if (frame.symbol) {
    out_.format(",\n\t\t\t\t\t\"symbol\": \"{}\"", json_escaped(resolver.symbol_name(frame)));
    if (frame.dso)
      out_.format(",\n\t\t\t\t\t\"dso\": \"{}\"", json_escaped(resolver.machine().dsos().at(frame.dso).short_name));
  }
  out_.append("\n\t\t\t\t}");
}

void DataJson::sample(const ReplaySample& replayed, Resolver& resolver, unsigned) {
  const abi::Sample& sample = replayed.sample;
  out_.append(samples_++ == 0 ? "\n\t\t{" : ",\n\t\t{");
  out_.format("\n\t\t\t\"timestamp\": {},\n\t\t\t\"pid\": {},\n\t\t\t\"tid\": {}", sample.time,
              static_cast<i32>(sample.pid), static_cast<i32>(sample.tid));
  if ((sample.fields & abi::sample_bit::Cpu) != 0) out_.format(",\n\t\t\t\"cpu\": {}", sample.cpu);
  out_.format(",\n\t\t\t\"comm\": \"{}\",\n\t\t\t\"callchain\": [", json_escaped(resolver.comm(replayed.context)));
  if (sample.callchain.empty()) {
    put_frame(resolver, sample.ip, resolver.at(resolver.frame(replayed.context, sample.ip, sample.cpumode())));
  } else {
    frames_.clear();
    addresses_.clear();
    resolver.chain(replayed.context, sample.callchain, ~0u, frames_, &addresses_);
    for (std::size_t i = 0; i < frames_.size(); ++i) {
      if (i != 0) out_.append(',');
      put_frame(resolver, addresses_[i], resolver.at(frames_[i]));
    }
  }
  out_.append("\n\t\t\t]\n\t\t}");
}

void DataJson::finish() { out_.append("\n\t]\n}\n"); }

}  // namespace peregrine
