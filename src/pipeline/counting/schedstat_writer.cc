#include "pipeline/counting/schedstat_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/synthesis/session.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "sys/hardware/cpu_mask.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Formats a CPU list as "0-3,8"; `cpus` must ascend.
std::string list_text(const std::vector<u32>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    if (!text.empty()) text += ',';
    text += end == i ? fmt::format("{}", cpus[i]) : fmt::format("{}-{}", cpus[i], cpus[end]);
    i = end + 1;
  }
  return text;
}

}  // namespace

std::vector<abi::SchedstatRecord> schedstat_records(const SchedCounters& reading, std::span<const u32> cpus) {
  std::vector<abi::SchedstatRecord> records;
  const auto version = static_cast<u16>(reading.version);
  for (const SchedCpuCounters& cpu : reading.cpus) {
    if (!cpus.empty() && std::ranges::find(cpus, cpu.cpu) == cpus.end()) continue;
    records.push_back({.time = reading.time, .cpu = cpu.cpu, .version = version, .counters = {}, .values = cpu.values});
    for (const SchedDomainCounters& domain : cpu.domains)
      records.push_back({.time = reading.time,
                         .cpu = cpu.cpu,
                         .version = version,
                         .domain = static_cast<u16>(domain.number),
                         .counters = {},
                         .values = domain.values});
  }
  return records;
}

data::SchedulingDomains scheduling_domains(const SchedCounters& reading) {
  data::SchedulingDomains all{.schedstat_version = reading.version, .most_domains = 0, .cpus = {}};
  for (const SchedCpuCounters& cpu : reading.cpus) {
    data::CpuDomains domains{.cpu = cpu.cpu, .domains = {}};
    for (const SchedDomainCounters& domain : cpu.domains)
      domains.domains.push_back({domain.number, domain.name, domain.mask, list_text(cpus_of_mask(domain.mask))});
    all.most_domains = std::max(all.most_domains, static_cast<u32>(domains.domains.size()));
    all.cpus.push_back(std::move(domains));
  }
  return all;
}

Result<SchedstatWriter> SchedstatWriter::create(const Root& root, const std::string& path, HostFeatureRequest host) {
  auto place = RecordingPlace::claim(path, RecordingPlace::Shape::File);
  if (!place) return std::unexpected(std::move(place.error()));
  auto file = place->file();
  if (!file) return std::unexpected(std::move(file.error()));
  auto writer = data::Writer::open_fd(std::move(*file), path, {});
  if (!writer) return std::unexpected(std::move(writer.error()));
  SchedstatWriter made(root, std::move(host), std::move(*place), std::move(*writer));
  PEREGRINE_TRY(made.writer_.begin(data::Evlist(), made.features_));
  return made;
}

Result<> SchedstatWriter::add_reading(const SchedCounters& reading, std::span<const u32> cpus) {
  PEREGRINE_TRY(place_.take());
  features_.scheduling_domains = scheduling_domains(reading);
  ByteWriter out;
  for (const abi::SchedstatRecord& record : schedstat_records(reading, cpus)) synthesize_schedstat(record, out);
  return writer_.append(out.bytes());
}

Result<> SchedstatWriter::finish() {
  gather_host_features(root_, host_, features_);
  return writer_.finish(features_);
}

}  // namespace peregrine
