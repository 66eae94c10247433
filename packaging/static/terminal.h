// The screen of the static program: where the terminal database has no entry, those of common terminals are built in.
#pragma once
#include "base/types.h"
#include "output/tui/screen/screen.h"

namespace peregrine {

tui::Screen* open_linked_screen(u32 number, const tui::ScreenOptions& options);

// Made by cmake/TerminalEntries.cmake: entries of the terminal database in the notation of $TERMINFO ("hex:…").
struct TerminalEntry {
  const char *name, *entry;
};
extern const TerminalEntry kTerminals[];
extern const unsigned kTerminalCount;

}  // namespace peregrine
