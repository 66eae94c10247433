// JSON strings: the text between the quotes.
#pragma once
#include <string>
#include <string_view>

#include "output/sink.h"

namespace peregrine {

// Escapes quotes, backslashes and all characters that printable() would change: controls, invisible ones, and those
// that change the direction of text. Bytes that are not UTF-8 become U+FFFD.
std::string json_escaped(std::string_view text);
// Appends the same to `to`.
void append_json_escaped(std::string& to, std::string_view text);
void append_json_escaped(Sink& to, std::string_view text);

}  // namespace peregrine
