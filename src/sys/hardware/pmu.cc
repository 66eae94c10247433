#include "sys/hardware/pmu.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr std::string_view kPmuDevices = "/sys/bus/event_source/devices";

std::string device(std::string_view name) { return fmt::format("{}/{}", kPmuDevices, name); }

bool is_attribute_of_event(std::string_view name) {
  for (const std::string_view end : {".scale", ".unit", ".per-pkg", ".snapshot"})
    if (name.ends_with(end)) return true;
  return false;
}

std::vector<PmuFormat> read_formats(const Root& root, const std::string& folder) {
  std::vector<PmuFormat> formats;
  for (const auto& name : root.sorted_names(folder)) {
    const auto text = root.line(folder + '/' + name);
    if (!text) continue;
    if (auto format = parse_pmu_format(name, trim(*text))) formats.push_back(std::move(*format));
  }
  return formats;
}

std::vector<PmuEvent> read_events(const Root& root, const std::string& folder) {
  std::vector<PmuEvent> events;
  for (const auto& name : root.names(folder)) {
    if (is_attribute_of_event(name)) continue;
    const auto path = folder + '/' + name;
    const auto terms = root.line(path);
    if (!terms) continue;
    PmuEvent event;
    event.name = name;
    event.terms = trim(*terms);
    event.unit = trim(root.line(path + ".unit").value_or(""));
    if (const auto scale = root.line(path + ".scale")) {
      std::string_view number = trim(*scale);
      event.scale = take_finite(number).value_or(event.scale);
      event.has_scale = true;
    }
    event.per_package = root.exists(path + ".per-pkg");
    event.snapshot = root.exists(path + ".snapshot");
    events.push_back(std::move(event));
  }
  return events;
}

void read_cpus(const Root& root, const std::string& folder, Pmu& pmu) {
  // "cpumask" has one CPU for each package or die, to count an uncore PMU on; "cpus" has all CPUs of one kind of core.
  const auto mask = root.line(folder + "/cpumask");
  const auto text = mask ? mask : root.line(folder + "/cpus");
  pmu.is_core = pmu.name == "cpu" || (!mask && text);
  if (!text) return;
  pmu.is_uncore = mask.has_value();
  pmu.cpumask = parse_cpu_list(trim(*text)).value_or(CpuList{});
}

Pmu read_one(const Root& root, std::string name, u32 type) {
  const auto folder = device(name);
  Pmu pmu;
  pmu.name = std::move(name);
  pmu.type = type;
  pmu.formats = read_formats(root, folder + "/format");
  pmu.events = read_events(root, folder + "/events");
  read_cpus(root, folder, pmu);
  for (const auto& cap : root.sorted_names(folder + "/caps"))
    if (auto text = root.line(folder + "/caps/" + cap)) pmu.caps.emplace_back(cap, *text);
  return pmu;
}

}  // namespace

const PmuFormat* Pmu::format(std::string_view wanted) const {
  const auto at = std::find_if(formats.begin(), formats.end(), [&](const PmuFormat& f) { return f.name == wanted; });
  return at == formats.end() ? nullptr : &*at;
}

const PmuEvent* Pmu::event(std::string_view wanted) const {
  const auto at = std::find_if(events.begin(), events.end(), [&](const PmuEvent& e) { return e.name == wanted; });
  return at == events.end() ? nullptr : &*at;
}

Result<PmuFormat> parse_pmu_format(std::string_view name, std::string_view text) {
  using Word = PmuFormat::Word;
  PmuFormat format;
  format.name = name;
  const auto colon = text.find(':');
  const auto word = text.substr(0, colon);
  if (word == "config")
    format.word = Word::Config;
  else if (word == "config1")
    format.word = Word::Config1;
  else if (word == "config2")
    format.word = Word::Config2;
  else if (word == "config3")
    format.word = Word::Config3;
  else
    return fail(ErrorKind::Malformed, "PMU format {}: unknown field in '{}'", name, text);
  if (colon == std::string_view::npos) {
    format.ranges.push_back({0, 63});
    return format;
  }
  for (auto rest = text.substr(colon + 1);;) {
    const auto part = rest.substr(0, rest.find(','));
    const auto dash = part.find('-');
    const auto first = to_number(part.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : to_number(part.substr(dash + 1));
    if (!first || !last || *last > 63 || *first > *last)
      return fail(ErrorKind::Malformed, "PMU format {}: bits '{}' must be 0-63", name, part);
    format.ranges.push_back({static_cast<unsigned>(*first), static_cast<unsigned>(*last)});
    if (part.size() == rest.size()) return format;
    rest.remove_prefix(part.size() + 1);
  }
}

std::vector<std::pair<std::string, u32>> pmu_types(const Root& root) {
  std::vector<std::pair<std::string, u32>> types;
  for (auto& name : root.names(kPmuDevices))
    if (const auto type = root.number(device(name) + "/type"))
      types.emplace_back(std::move(name), static_cast<u32>(*type));
  return types;
}

std::vector<Pmu> read_pmus(const Root& root) {
  std::vector<Pmu> pmus;
  for (auto& [name, type] : pmu_types(root)) pmus.push_back(read_one(root, std::move(name), type));
  return pmus;
}

std::optional<Pmu> read_pmu(const Root& root, std::string_view name) {
  const auto type = root.number(device(name) + "/type");
  if (!type || name.find('/') != std::string_view::npos) return std::nullopt;
  return read_one(root, std::string(name), static_cast<u32>(*type));
}

std::vector<std::string> core_pmu_names(const Root& root) {
  if (root.exists(device("cpu") + "/type")) return {"cpu"};
  auto names = root.names(kPmuDevices);
  std::erase_if(names, [&](const std::string& name) { return !root.exists(device(name) + "/cpus"); });
  return names;
}

}  // namespace peregrine
