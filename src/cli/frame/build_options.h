// The features of this build, by linux-perf's names and macros: `version --build-options` and `check feature`.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace peregrine {

struct BuildOption {
  std::string_view name, macro;
  bool on;          // the feature works, whichever library provides it
  bool in_version;  // `version --build-options` of linux-perf 6.1 lists it; only `check feature` has the rest
  std::string_view plugin = {};  // file that the feature needs, next to the program
};

std::span<const BuildOption> build_options();

// By name or macro, case-insensitive; nullptr if linux-perf has no such feature.
const BuildOption* find_build_option(std::string_view name);

// The error for such a name, with the nearest feature or all of them as the hint.
Error unknown_build_option(std::string_view name);

// Whether the feature is on, and its plug-in is in the folder `plugins`.
bool build_option_works(const BuildOption& option, const std::string& plugins);

// "                 dwarf: [ OFF ]  # HAVE_DWARF_SUPPORT\n"
std::string build_option_row(const BuildOption& option, bool on);

}  // namespace peregrine
