#include "output/ctf/ctf_uuid.h"

#include <sys/random.h>
#include <sys/types.h>

#include "base/types.h"

namespace peregrine {

Result<CtfUuid> new_ctf_uuid() {
  CtfUuid uuid{};
  if (::getrandom(uuid.data(), uuid.size(), 0) != static_cast<ssize_t>(uuid.size())) return fail_errno("getrandom");
  uuid[6] = static_cast<u8>((uuid[6] & 0x0f) | 0x40);
  uuid[8] = static_cast<u8>((uuid[8] & 0x3f) | 0x80);
  return uuid;
}

}  // namespace peregrine
