// version: the version of this program, and what it was built with. hotspot and other front ends read --build-options.
#include <string>

#include "base/result.h"
#include "cli/frame/build_options.h"
#include "cli/frame/command.h"
#include "cli/frame/version.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/script/script_places.h"

namespace peregrine::cmd {

namespace {

struct VersionOptions {
  bool build_options = false;
};

constexpr Option kVersionOptions[] = {
    {.name = "build-options", .help = "also show build options", .store = set<&VersionOptions::build_options>},
};

Result<int> version(VersionOptions& options, Invocation& call) {
  call.out.append(version_line(call.messages.program())).append('\n');
  if (!options.build_options) return 0;
  const std::string plugins = ScriptPlaces::find(call.config).plugins;
  for (const BuildOption& option : build_options())
    if (option.in_version) call.out.append(build_option_row(option, build_option_works(option, plugins)));
  return 0;
}

}  // namespace

constinit const Command kVersionCommand{.name = "version",
                                        .summary = "Show version and build options",
                                        .options = kVersionOptions,
                                        .run = entry<VersionOptions, version>};

}  // namespace peregrine::cmd
