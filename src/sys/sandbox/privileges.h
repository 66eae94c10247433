// Drops root's privileges before reading untrusted bytes, or before starting a program that shows them.
#pragma once
#include <linux/capability.h>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

// A set of capabilities: bits, as capabilities(7) numbers them.
inline constexpr u64 capability_bit(unsigned capability) { return u64{1} << capability; }

// The calling thread keeps only these, of those that it holds.
Result<> keep_capabilities(u64 kept);
// Programs that this thread starts get nothing that it does not have: no set-uid, no capabilities of root.
Result<> deny_new_privileges();

}  // namespace peregrine
