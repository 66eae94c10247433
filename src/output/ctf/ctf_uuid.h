// new_ctf_uuid: a unique identifier for a CTF trace.
#pragma once
#include "base/result.h"
#include "output/ctf/tsdl.h"

namespace peregrine {

// A random UUID as defined by RFC 4122.
Result<CtfUuid> new_ctf_uuid();

}  // namespace peregrine
