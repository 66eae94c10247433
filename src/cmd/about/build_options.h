// The features of this build, by linux-perf's names and macros: `version --build-options` and `check feature`.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace peregrine::cmd {

struct BuildOption {
  std::string_view name, macro;
  bool on;          // the thing works here, whatever library does it
  bool in_version;  // listed by `version --build-options` of linux-perf 6.1; the others came with `check feature`
  std::string_view plugin = {};  // that it needs beside the program
};

std::span<const BuildOption> build_options();

// By name or macro, in any case; nullptr when linux-perf knows none of that name.
const BuildOption* find_build_option(std::string_view name);

// `plugins`: the folder where plug-ins are.
bool works(const BuildOption& option, const std::string& plugins);

// "                 dwarf: [ OFF ]  # HAVE_DWARF_SUPPORT\n"
std::string build_option_row(const BuildOption& option, bool on);

}  // namespace peregrine::cmd
