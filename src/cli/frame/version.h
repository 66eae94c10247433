// The version of this program, and the version of linux-perf with a compatible command line.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

inline constexpr std::string_view kVersion = PEREGRINE_VERSION;
inline constexpr std::string_view kSpeaks = "6.18.0";

// "peregrine version 0.1.0", or "perf version 6.18.0-peregrine-0.1.0" when called as perf.
std::string version_line(std::string_view program);
// "peregrine 0.1.0": the program name to write into files.
std::string creator_name();

}  // namespace peregrine
