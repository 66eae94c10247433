#include "cli/frame/version.h"

#include <fmt/format.h>

namespace peregrine {

std::string version_line(std::string_view program) {
  if (program == "perf") return fmt::format("perf version {}-peregrine-{}", kSpeaks, kVersion);
  return fmt::format("{} version {}", program, kVersion);
}

std::string creator_name() { return fmt::format("peregrine {}", kVersion); }

}  // namespace peregrine
