// Settings through which `kvm` passes its guest options to other commands: guest.kallsyms, guest.modules,
// guest.vmlinux, guest.mount, and guest.sides: "host", "guest" or "host,guest".
#pragma once
#include <optional>

#include "cli/frame/config.h"
#include "machine/dso/dso.h"
#include "session/report/report_request.h"

namespace peregrine::cmd {

// What `kvm` was told of guests.
struct GuestOptions {
  GuestPlaces places;
  bool host = false;
  std::optional<bool> guest;  // not said: yes
  bool wants_guests() const { return guest.value_or(true); }
};
void set_guests(const GuestOptions& guests, Config& config);

// Nothing: no side was chosen.
std::optional<bool> wants_guests(const Config& config);
std::optional<bool> wants_hosts(const Config& config);
// What is not `said`, from the settings.
GuestPlaces guest_places(const Config& config, GuestPlaces said);
// Whether samples of guests and hosts are read; both by default.
void choose_sides(SampleSelection& selection, const Config& config);

}  // namespace peregrine::cmd
