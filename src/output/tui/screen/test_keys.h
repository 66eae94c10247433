// Keys for the tests in this folder.
#pragma once
#include "output/tui/screen/screen.h"

namespace peregrine::tui {

inline Key letter(char32_t glyph) { return {.code = Key::Code::Char, .glyph = glyph}; }
inline Key of(Key::Code code) { return {.code = code}; }

}  // namespace peregrine::tui
