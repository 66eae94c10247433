#include "session/export/recorded_facts.h"

#include <string_view>

#include "data/feature/features.h"

namespace peregrine {

std::string recorded_command(const data::Reader& reader) {
  std::string text;
  if (const auto& cmdline = reader.header().features.cmdline)
    for (const std::string& word : *cmdline) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string on_recorded_host(const data::Reader& reader) {
  const auto& host = reader.header().features.hostname;
  return host ? " on " + *host : std::string();
}

RecordingFacts recorded_facts(const data::Reader& reader) {
  RecordingFacts facts;
  const auto add = [&](std::string_view label, const std::string& text) {
    if (!text.empty()) facts.emplace_back(label, text);
  };
  const data::Features& features = reader.header().features;
  add("Command", recorded_command(reader));
  add("Machine", features.hostname.value_or(""));
  add("System", features.os_release.value_or(""));
  add("Processor", features.cpu_desc.value_or(features.arch.value_or("")));
  return facts;
}

}  // namespace peregrine
