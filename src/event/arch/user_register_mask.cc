#include "event/record_config.h"

namespace peregrine {

u64 user_register_mask() {
#if defined(__x86_64__)
  return 0xff0fff;  // all but ds, es, fs, gs, which the kernel does not give for user space
#elif defined(__aarch64__)
  return (u64{1} << 33) - 1;
#else
  return 0;
#endif
}

}  // namespace peregrine
