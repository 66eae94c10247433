// Texts name the program `perf`, whatever it is called; with_program_name() puts in the name under which it was
// started.
//
// Messages do so with hints, and help with descriptions and examples. A text with names of files or symbols in it must
// not pass: it takes Messages::program() as an argument instead.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// `perf` at the start of a word, with a lower-case word or an option behind it: "perf record -g", "'perf list' shows
// them". Neither "linux-perf", "perf.data" and "perf events", nor "python3 -X perf".
std::string with_program_name(std::string_view program, std::string_view text);

}  // namespace peregrine
