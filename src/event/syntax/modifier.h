// Modifiers: the letters behind an event ("cycles:upp") and what they do to its attr. Pure.
//
// u k h: count only user, kernel, hypervisor · G H: only guests, only the host · I: not when idle · p pp ppp P: precise
// ip · S: leader samples the group · D: pinned · e: exclusive · W: weak group · b: count by BPF
#pragma once
#include <string_view>

#include "event/spec.h"

namespace peregrine {

inline constexpr std::string_view kModifierLetters = "ukhpPGHSDIWebR";

// Only letters from above, none twice but p, at most three p.
bool valid_modifiers(std::string_view text);

// Applies valid modifiers. `fresh`: to an event that has none yet (its exclude bits begin at 0, as linux-perf has it);
// otherwise, for the modifiers of a group, they add to what the member has. False when precise_ip would go beyond 3.
bool apply_modifiers(std::string_view text, bool fresh, bool guest, EventSpec& spec, bool leader);

}  // namespace peregrine
