// Texts call the program `perf`; with_program_name() replaces this by the name under which it was started.
//
// Messages apply it to hints, and help applies it to descriptions and examples. Do not pass texts with names of files
// or symbols; they should take Messages::program() as an argument instead.
#pragma once
#include <string>
#include <string_view>

namespace peregrine {

// Replaces `perf` at the start of a word if a lower-case word or an option follows: "perf record -g", "'perf list'
// shows them". Leaves "linux-perf", "perf.data", "perf events" and "python3 -X perf" alone.
std::string with_program_name(std::string_view program, std::string_view text);

}  // namespace peregrine
