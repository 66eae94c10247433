#include "cmd/recording/kept_files.h"

#include "base/number/quantity.h"
#include "base/types.h"

namespace peregrine::cmd {

KeptFiles kept_files(const Config& config) {
  constexpr u64 kDefaultQuota = u64{256} << 20;
  const auto size = config.find("lines.cache-size");
  return {config.cache_directory(), size ? parse_bytes(*size).value_or(0) : kDefaultQuota};
}

}  // namespace peregrine::cmd
