// Modifiers: the letters after an event ("cycles:upp") and their effect on its attr. Pure.
//
// u k h: count only user, kernel, hypervisor · G H: only guests, only the host · I: not when idle · p pp ppp P: precise
// ip · S: leader samples the group · D: pinned · e: exclusive · W: weak group · b: count by BPF
#pragma once
#include <string_view>

#include "event/spec.h"

namespace peregrine {

inline constexpr std::string_view kModifierLetters = "ukhpPGHSDIWebR";

// Only the letters above; no letter twice, except up to three p.
bool valid_modifiers(std::string_view text);

// Applies valid modifiers. `fresh`: to an event without any (its exclude bits start at 0, as in linux-perf); otherwise
// they are a group's and add to the member's own. Returns false if precise_ip would exceed 3.
bool apply_modifiers(std::string_view text, bool fresh, bool guest, EventSpec& spec, bool leader);

}  // namespace peregrine
