#include "cmd/recording/guest_settings.h"

#include <string>
#include <string_view>
#include <utility>

namespace peregrine::cmd {

namespace {

std::optional<bool> has_side(const Config& config, std::string_view side) {
  const auto sides = config.find("guest.sides");
  if (!sides) return std::nullopt;
  return sides->find(side) != std::string_view::npos;
}

}  // namespace

void set_guests(const GuestOptions& guests, Config& config) {
  std::string sides = guests.host ? "host" : "";
  if (guests.wants_guests()) sides += sides.empty() ? "guest" : ",guest";
  config.set("guest.sides", std::move(sides));
  const auto set = [&](std::string key, const std::string& value) {
    if (!value.empty()) config.set(std::move(key), value);
  };
  set("guest.kallsyms", guests.places.kallsyms);
  set("guest.modules", guests.places.modules);
  set("guest.vmlinux", guests.places.vmlinux);
  set("guest.mount", guests.places.mount);
}

std::optional<bool> wants_guests(const Config& config) { return has_side(config, "guest"); }
std::optional<bool> wants_hosts(const Config& config) { return has_side(config, "host"); }

GuestPlaces guest_places(const Config& config, GuestPlaces said) {
  const auto complete = [&](std::string& place, std::string_view key) {
    if (place.empty()) place = config.text(key, "");
  };
  complete(said.kallsyms, "guest.kallsyms");
  complete(said.modules, "guest.modules");
  complete(said.vmlinux, "guest.vmlinux");
  complete(said.mount, "guest.mount");
  return said;
}

void choose_sides(SampleSelection& selection, const Config& config) {
  selection.guests = wants_guests(config).value_or(true);
  selection.hosts = wants_hosts(config).value_or(true);
}

}  // namespace peregrine::cmd
