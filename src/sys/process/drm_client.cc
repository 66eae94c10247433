#include "sys/process/drm_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/number/number_unit.h"
#include "base/number/parse_number.h"
#include "base/text/trim.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Keys from Documentation/gpu/drm-usage-stats. If several prefixes match, the longest must come first.
constexpr DrmKind kDrmKinds[] = {
    {"drm-engine-capacity-", "Number of engines of this kind", "capacity"},
    {"drm-engine-", "Time an engine was busy", "ns", true},
    {"drm-total-cycles-", "Cycles available to an engine", "cycles", true},
    {"drm-cycles-", "Cycles an engine was busy", "cycles", true},
    {"drm-maxfreq-", "Maximum engine frequency", "hz"},
    {"drm-memory-", "Memory of buffers", "bytes"},
    {"drm-total-", "Buffer memory, shared and private", "bytes"},
    {"drm-shared-", "Shared buffer memory", "bytes"},
    {"drm-active-", "Buffer memory in use by engines", "bytes"},
    {"drm-resident-", "Resident buffer memory", "bytes"},
    {"drm-purgeable-", "Purgeable buffer memory", "bytes"},
};

constexpr NumberUnit kDrmUnits[] = {{"", 1},
                                    {"ns", 1},
                                    {"Hz", 1},
                                    {"kHz", 1'000},
                                    {"KHz", 1'000},
                                    {"MHz", 1'000'000},
                                    {"GHz", 1'000'000'000},
                                    {"KiB", u64{1} << 10},
                                    {"MiB", u64{1} << 20},
                                    {"GiB", u64{1} << 30}};

// Parses "25662044495 ns" or "800 MHz".
std::optional<u64> parse_amount(std::string_view text) {
  const auto value = take_number<u64>(text);
  return value ? in_unit(*value, trim(text), kDrmUnits) : std::nullopt;
}

struct OpenFile {
  DrmClient client;
  std::string device, id;
};

OpenFile parse_open_file(std::string_view text) {
  OpenFile file;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    const auto colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view key = line.substr(0, colon), value = trim(line.substr(colon + 1));
    if (key == "drm-driver")
      file.client.driver = value;
    else if (key == "drm-pdev")
      file.device = value;
    else if (key == "drm-client-id")
      file.id = value;
    else if (find_drm_kind(key) != nullptr)
      if (const auto amount = parse_amount(value)) file.client.values.emplace_back(key, *amount);
  }
  return file;
}

}  // namespace

const DrmKind* find_drm_kind(std::string_view key) {
  const auto kind = std::ranges::find_if(
      kDrmKinds, [&](const DrmKind& each) { return key.starts_with(each.prefix) && key.size() > each.prefix.size(); });
  return kind == std::end(kDrmKinds) ? nullptr : kind;
}

std::vector<DrmClient> read_drm_clients(const Root& root, std::span<const Pid> processes) {
  if (!root.is_directory("/sys/class/drm")) return {};  // without a driver, skip looking through all open files
  std::vector<Pid> all;
  if (processes.empty()) {
    all = all_processes(root);
    processes = all;
  }
  std::vector<DrmClient> clients;
  std::set<std::string> seen;
  for (const Pid pid : processes) {
    const std::string folder = fmt::format("/proc/{}/", pid);
    for (const std::string& descriptor : root.sorted_names(folder + "fd")) {
      if (!root.link(folder + "fd/" + descriptor).value_or("").starts_with("/dev/dri/")) continue;
      const auto text = root.read(folder + "fdinfo/" + descriptor);
      if (!text) continue;
      OpenFile file = parse_open_file(*text);
      if (file.client.driver.empty()) continue;
      const bool has_id = !file.id.empty();
      if (has_id && !seen.insert(fmt::format("{} {} {}", file.client.driver, file.device, file.id)).second) continue;
      clients.push_back(std::move(file.client));
    }
  }
  return clients;
}

std::vector<Sensor> drm_sensors(const Root& root) {
  std::set<std::pair<std::string, std::string>> keys;
  for (const DrmClient& client : read_drm_clients(root, {}))
    for (const auto& [key, value] : client.values) keys.emplace(client.driver, key);
  std::vector<Sensor> sensors;
  for (const auto& [driver, key] : keys) {
    const DrmKind& kind = *find_drm_kind(key);
    const std::string pmu = "drm_" + driver;
    sensors.push_back({pmu,
                       key,
                       {},
                       key,
                       std::string(kind.unit),
                       1,
                       fmt::format("{}: {}. Unit: {}", kind.what, key.substr(kind.prefix.size()), pmu)});
  }
  return sensors;
}

}  // namespace peregrine
