// print_number: printf-style formatting of numbers and text into a TextBuffer.
//
// Widths and precisions come from files and are limited to kMostWidth. Each function reserves its space.
#pragma once
#include <string_view>

#include "base/text/text_buffer.h"
#include "base/types.h"

namespace peregrine {

struct PrintSpec {
  static constexpr u32 kMostWidth = 4096;

  bool left = false, plus = false, blank = false, alternate = false, zero = false;
  u32 width = 0;
  i32 precision = -1;   // -1: none
  char conversion = 0;  // d, i, u, x, X, o, c, s, p
  u8 bytes = 4;         // size of the printed number: %hhd 1, %ld 8
  bool plain() const { return width == 0 && precision < 0 && !left && !plus && !blank && !alternate && !zero; }
};

void put_number(TextBuffer& out, const PrintSpec& spec, u64 value);
// Truncated to the precision, then padded to the width.
void put_text(TextBuffer& out, const PrintSpec& spec, std::string_view text);

}  // namespace peregrine
