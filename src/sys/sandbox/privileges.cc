#include "sys/sandbox/privileges.h"

#include <linux/prctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace peregrine {

Result<> keep_capabilities(u64 kept_set) {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct sets[2] = {};
  if (::syscall(SYS_capget, &header, sets) != 0) return fail_errno("capabilities");
  for (unsigned half = 0; half < 2; ++half) {
    const u32 kept = static_cast<u32>(kept_set >> (half * 32));
    sets[half].effective &= kept;
    sets[half].permitted &= kept;
    sets[half].inheritable = 0;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::syscall(SYS_capset, &header, sets) != 0) return fail_errno("capabilities");
  return {};
}

Result<> deny_new_privileges() {
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return fail_errno("no_new_privs");
  return {};
}

}  // namespace peregrine
