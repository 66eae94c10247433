#include "static/terminal.h"

#include <stdlib.h>

#include <span>
#include <string_view>

extern "C" peregrine::tui::Screen* peregrine_open_screen(peregrine::u32 number,
                                                         const peregrine::tui::ScreenOptions& options);

namespace peregrine {

tui::Screen* open_linked_screen(u32 number, const tui::ScreenOptions& options) {
  if (tui::Screen* const screen = peregrine_open_screen(number, options)) return screen;
  const char* const terminal = ::getenv("TERM");
  if (terminal == nullptr) return nullptr;
  for (const TerminalEntry& known : std::span(kTerminals, kTerminalCount)) {
    if (std::string_view(known.name) != terminal) continue;
    ::setenv("TERMINFO", known.entry, 1);
    return peregrine_open_screen(number, options);
  }
  return nullptr;
}

}  // namespace peregrine
