// Settings through which `kvm` passes its guest options to other commands: guest.kallsyms, guest.modules,
// guest.vmlinux, guest.mount, and guest.sides: "host", "guest" or "host,guest".
#pragma once
#include <optional>

#include "cli/frame/config.h"
#include "machine/dso/dso.h"
#include "session/report/report_request.h"

namespace peregrine::cmd {

// The guest options passed to `kvm`.
struct GuestOptions {
  GuestPlaces places;
  bool host = false;
  std::optional<bool> guest;  // unset: yes
  bool wants_guests() const { return guest.value_or(true); }
};
void set_guests(const GuestOptions& guests, Config& config);

// Unset: no side was chosen.
std::optional<bool> wants_guests(const Config& config);
std::optional<bool> wants_hosts(const Config& config);
// Fills members that were not given from the settings.
GuestPlaces guest_places(const Config& config, GuestPlaces said);
// Whether to read samples of guests and of hosts; both by default.
void choose_sides(SampleSelection& selection, const Config& config);

}  // namespace peregrine::cmd
