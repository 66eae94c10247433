// buildid-list: the build-ids in a recording, of an ELF file, or of the running kernel.
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "session/build_id/build_id_list.h"
#include "session/build_id/kernel_listing.h"
#include "symbol/elf/build_id.h"
#include "sys/root.h"

namespace peregrine::cmd {
namespace {

struct BuildidListOptions {
  std::string input;
  bool force = false, with_hits = false, kernel = false, kernel_maps = false;
  int verbose = 0;
};

constexpr std::string_view kBuildidListUsage[] = {"[<options>]"};
constexpr std::string_view kBuildidListDescription =
    "Prints the build-id and path of each binary in a recording. Use it to see which builds were sampled, or which "
    "debug information to fetch.";
constexpr std::string_view kBuildidListExamples[] = {
    "perf buildid-list -i perf.data|the binaries of a recording",
    "perf buildid-list -k|the build-id of the running kernel",
};

constexpr Option kBuildidListOptions[] = {
    {.name = "with-hits",
     .letter = 'H',
     .help = "list only binaries with samples",
     .store = set<&BuildidListOptions::with_hits>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
     .store = set<&BuildidListOptions::input>},
    {.name = "force",
     .letter = 'f',
     .help = "read the file regardless of its owner",
     .store = set<&BuildidListOptions::force>},
    {.name = "kernel",
     .letter = 'k',
     .help = "print the build-id of the running kernel",
     .store = set<&BuildidListOptions::kernel>},
    {.name = "kernel-maps",
     .letter = 'm',
     .help = "print the build-ids of the running kernel and its modules",
     .store = set<&BuildidListOptions::kernel_maps>},
    {.name = "verbose", .letter = 'v', .help = "print more", .store = count<&BuildidListOptions::verbose>},
};

Result<int> buildid_list(BuildidListOptions& options, Invocation& call) {
  if (options.kernel) PEREGRINE_TRY(print_kernel_build_id(Root(), call.out));
  if (options.kernel_maps && !options.kernel) print_kernel_maps(Root(), call.out);
  if (options.kernel || options.kernel_maps) return 0;
  if (!options.input.empty() && options.input != "-") {
    if (const auto id = read_build_id(options.input)) {
      call.out.format("{}\n", id->hex());
      return 0;
    }
  }
  auto reader = open_recording(options.input, options.force, call.messages);
  if (!reader) return say_open_error(call, options.input, reader.error());
  PEREGRINE_TRY(print_build_ids({.with_hits = options.with_hits, .verbose = options.verbose > 0}, *reader, call.out,
                                call.messages));
  return 0;
}

}  // namespace

constinit const Command kBuildidList{.name = "buildid-list",
                                     .summary = "Show the build-ids of a recording's binaries",
                                     .usage = kBuildidListUsage,
                                     .options = kBuildidListOptions,
                                     .description = kBuildidListDescription,
                                     .examples = kBuildidListExamples,
                                     .run = entry<BuildidListOptions, confined<BuildidListOptions, buildid_list>>};

}  // namespace peregrine::cmd
