// The first bytes of trace.dat files, and of the tracing data in perf.data files.
#pragma once
#include <string_view>

namespace peregrine::data {

inline constexpr std::string_view kTraceDatMagic("\x17\x08\x44tracing", 10);

}  // namespace peregrine::data
