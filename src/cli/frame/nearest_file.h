// The file or program that a nonexistent path or name probably means; used in hints.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "cli/frame/command.h"

namespace peregrine {

// Returns "did you mean 'DIR/NAME'?" for the nearest name in the same directory, or "".
std::string nearest_file_hint(std::string_view path);

// Where nearest_program_hint() searches.
struct ProgramPlaces {
  std::string_view search_path;              // $PATH
  std::string_view own_name;                 // the name by which this program was started
  std::span<const Command* const> commands;  // of this program
};

// Same for a command to run. Without a slash: a program of that name in the current folder, a command of this program,
// or a program in $PATH with a typo: one edit from 4 letters on, two from 8 letters on.
std::string nearest_program_hint(std::string_view word, const ProgramPlaces& places);

}  // namespace peregrine
