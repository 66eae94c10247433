#include "event/print/print_names.h"

#include <fmt/format.h>

#include <string_view>

namespace peregrine {

std::string PrintNames::number_text(u64 value) { return fmt::format("{:#x}", value); }

void PrintNames::put(TextBuffer& out, u64 value) const {
  each(value, [&](std::string_view piece, bool) {
    out.room(piece.size());
    out.put(piece);
  });
}

std::string PrintNames::text(u64 value) const {
  std::string text;
  each(value, [&](std::string_view piece, bool) { text += piece; });
  return text;
}

}  // namespace peregrine
