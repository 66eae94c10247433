// GlobalOptions: the options before the command's name: `perf --no-pager report`.
//
// Environment variables set some of them (PAGER, PERF_BUILDID_DIR); the options take precedence.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/option/option.h"

namespace peregrine::cmd {

struct GlobalOptions {
  unsigned version = 0;  // twice: with the build options
  bool help = false;
  bool show_exec_path = false, html_path = false, list_commands = false;
  std::optional<bool> sandbox;  // --sandbox, --no-sandbox
  bool parse_only = false;      // say how the command line is understood, run nothing
  std::optional<bool> paginate;
  std::string exec_path = "/usr/lib/peregrine";
  std::string buildid_directory, debugfs_directory;
  unsigned verbose = 0;  // explain how the command line is parsed without running it
};

std::span<const Option> global_option_table();

// If the first argument is `--version`, it became the command `version`, so the following arguments are its options.
std::vector<std::string> with_version_as_command(std::vector<std::string> arguments);

}  // namespace peregrine::cmd
