// new_ctf_uuid: what a CTF trace is known by.
#pragma once
#include "base/result.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

// A random one, as RFC 4122 marks them.
Result<CtfUuid> new_ctf_uuid();

}  // namespace peregrine
