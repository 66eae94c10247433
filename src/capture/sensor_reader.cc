#include "capture/sensor_reader.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "sys/process/drm_client.h"
#include "sys/root.h"

namespace peregrine {

namespace {

constexpr std::string_view kGraphics = "drm_";

u64 sum_of(const std::vector<DrmClient>& clients, std::string_view driver, std::string_view key) {
  u64 sum = 0;
  for (const DrmClient& client : clients) {
    if (client.driver != driver) continue;
    for (const auto& [name, value] : client.values) sum += name == key ? value : 0;
  }
  return sum;
}

}  // namespace

SensorReader::SensorReader(const Root& root, const EventList& events, std::vector<Pid> processes)
    : root_(root), size_(events.size()), processes_(std::move(processes)) {
  for (std::size_t event = 0; event < events.size(); ++event) {
    const EventSpec& spec = events[event];
    if (spec.tool != ToolEvent::Sensor) continue;
    Place place{event, {}, spec.sensor, false};
    if (spec.pmu.starts_with(kGraphics)) {
      place.driver = spec.pmu.substr(kGraphics.size());
      const DrmKind* kind = find_drm_kind(spec.sensor);
      place.grows = kind != nullptr && kind->grows;
    }
    places_.push_back(std::move(place));
  }
}

std::vector<u64> SensorReader::read() const {
  std::vector<u64> values(size_, 0);
  std::vector<DrmClient> clients;
  if (std::ranges::any_of(places_, [](const Place& place) { return !place.driver.empty(); }))
    clients = read_drm_clients(root_, processes_);
  for (const Place& place : places_)
    values[place.event] = place.driver.empty()
                              ? static_cast<u64>(std::max<i64>(root_.number(place.path).value_or(0), 0))
                              : sum_of(clients, place.driver, place.path);
  return values;
}

// When a client ends, its share disappears from the total; a cumulative value must not count backwards.
std::vector<u64> SensorReader::grown(std::vector<u64> now, const std::vector<u64>& before) const {
  for (const Place& place : places_)
    if (place.grows && place.event < before.size()) now[place.event] -= std::min(now[place.event], before[place.event]);
  return now;
}

void SensorReader::start() { first_ = last_ = read(); }

std::vector<u64> SensorReader::since_start() const { return grown(read(), first_); }

std::vector<u64> SensorReader::since_last() {
  std::vector<u64> now = read();
  std::vector<u64> grew = grown(now, last_);
  last_ = std::move(now);
  return grew;
}

}  // namespace peregrine
