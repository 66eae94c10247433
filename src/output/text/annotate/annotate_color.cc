#include "output/text/annotate/annotate_color.h"

#include "output/text/format/printable.h"

namespace peregrine {

Color percent_color(double percent) {
  if (percent >= kHotPercent) return Color::Red;
  return percent > kNotablePercent ? Color::Green : Color::None;
}

void append_colored(Sink& out, Color color, std::string_view text) {
  if (color == Color::None)
    out.append(text);
  else
    out.format("\x1b[{}m{}\x1b[m", static_cast<unsigned>(color), text);
}

std::string short_place(std::string_view place, bool full) {
  return printable(full ? place : place.substr(place.rfind('/') + 1));
}

}  // namespace peregrine
