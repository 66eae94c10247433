#include "sys/hardware/sensor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "base/text/trim.h"

namespace peregrine {

namespace {

constexpr std::string_view kClass = "/sys/class/hwmon";

struct SensorKind {
  std::string_view prefix, what, unit;
  double scale;
};

// Units from Documentation/hwmon/sysfs-interface.
constexpr SensorKind kSensorKinds[] = {
    {"curr", "Current", "A", 1e-3},      {"energy", "Energy", "J", 1e-6}, {"fan", "Fan", "rpm", 1},
    {"humidity", "Humidity", "%", 1e-3}, {"in", "Voltage", "V", 1e-3},    {"intrusion", "Chassis intrusion", "", 1},
    {"power", "Power", "W", 1e-6},       {"pwm", "Pulse width", "", 1},   {"temp", "Temperature", "'C", 1e-3},
    {"freq", "Frequency", "MHz", 1e-6},
};

// Returns "temp1" for "temp1_input". "pwm1" has no suffix.
std::string_view sensor_of(std::string_view file) {
  constexpr std::string_view kInput = "_input", kAverage = "_average", kAlarm = "_alarm";
  if (file.ends_with(kInput)) return file.substr(0, file.size() - kInput.size());
  if (file.starts_with("power") && file.ends_with(kAverage)) return file.substr(0, file.size() - kAverage.size());
  if (file.starts_with("intrusion") && file.ends_with(kAlarm)) return file.substr(0, file.size() - kAlarm.size());
  return file.starts_with("pwm") ? file : std::string_view();
}

const SensorKind* kind_of(std::string_view sensor) {
  for (const auto& kind : kSensorKinds) {
    if (!sensor.starts_with(kind.prefix) || sensor.size() == kind.prefix.size()) continue;
    if (sensor.find_first_not_of("0123456789", kind.prefix.size()) == std::string_view::npos) return &kind;
  }
  return nullptr;
}

// "Core 0" → "core_0".
std::string as_word(std::string_view text) {
  std::string word;
  for (const char c : text) {
    const auto letter = static_cast<unsigned char>(c);
    word += std::isalnum(letter) != 0 ? static_cast<char>(std::tolower(letter)) : '_';
  }
  return word;
}

void add_chip(const Root& root, const std::string& folder, std::vector<Sensor>& sensors) {
  const std::string chip = as_word(trim(root.line(folder + "/name").value_or("")));
  if (chip.empty()) return;
  std::vector<std::string> seen;
  for (const auto& file : root.sorted_names(folder)) {
    const std::string name(sensor_of(file));
    const SensorKind* kind = kind_of(name);
    if (kind == nullptr || std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    Sensor sensor{"hwmon_" + chip, name, {}, folder + '/' + file, std::string(kind->unit), kind->scale, {}};
    const std::string label(trim(root.line(folder + '/' + name + "_label").value_or("")));
    if (!label.empty()) sensor.label = fmt::format("{}_{}", kind->prefix, as_word(label));
    sensor.description = fmt::format("{} in unit {} named {}.", kind->what, sensor.pmu, label.empty() ? name : label);
    for (const std::string_view limit : {"min", "max", "crit"})
      if (const auto value = root.number(fmt::format("{}/{}_{}", folder, name, limit)))
        sensor.description += fmt::format(" {}={:g}{}", limit, static_cast<double>(*value) * kind->scale, kind->unit);
    sensors.push_back(std::move(sensor));
  }
}

}  // namespace

std::vector<Sensor> read_sensors(const Root& root) {
  std::vector<Sensor> sensors;
  for (const auto& name : root.sorted_names(kClass)) add_chip(root, fmt::format("{}/{}", kClass, name), sensors);
  return sensors;
}

}  // namespace peregrine
