// Drops root's privileges before reading untrusted bytes, or before starting a program that displays them.
#pragma once
#include <linux/capability.h>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// A set of capabilities as a bit mask, numbered as in capabilities(7).
inline constexpr u64 capability_bit(unsigned capability) { return u64{1} << capability; }

// Drops all capabilities of the calling thread except these.
Result<> keep_capabilities(u64 kept);
// Programs that this thread starts cannot gain privileges: no set-uid, no capabilities of root.
Result<> deny_new_privileges();

}  // namespace peregrine
