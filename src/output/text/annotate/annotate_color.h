// The colours of annotate's listings: red and green for hot code, others for columns.
#pragma once
#include <string>
#include <string_view>

#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// linux-perf's thresholds for colours.
inline constexpr double kHotPercent = 5.0;
inline constexpr double kNotablePercent = 0.5;

enum class Color : u8 { None = 0, Red = 31, Green = 32, Blue = 34, Magenta = 35 };

Color percent_color(double percent);
void append_colored(Sink& out, Color color, std::string_view text);
// "/usr/src/work.c:8", optionally without its folder.
std::string short_place(std::string_view place, bool full);

}  // namespace peregrine
