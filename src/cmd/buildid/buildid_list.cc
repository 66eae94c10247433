// buildid-list: the build-ids that a recording carries, of an ELF file, or of the running kernel.
#include <sys/stat.h>

#include <algorithm>
#include <span>

#include "capture/synthesis/kernel.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/format/printable.h"
#include "pipeline/build_id/hit_dsos.h"
#include "symbol/elf/build_id.h"
#include "symbol/elf/elf_file.h"
#include "sys/kernel/host.h"
#include "sys/process/process.h"

namespace peregrine::cmd {
namespace {

struct BuildidListOptions {
  std::string input;
  bool force = false, with_hits = false, kernel = false, kernel_maps = false;
  int verbose = 0;
};

constexpr std::string_view kBuildidListUsage[] = {"[<options>]"};
constexpr std::string_view kBuildidListDescription =
    "Prints the build-id and the path of each binary in a recording. Use it to see which builds were sampled, or "
    "which debug information to fetch.";
constexpr std::string_view kBuildidListExamples[] = {
    "perf buildid-list -i perf.data|the binaries of a recording",
    "perf buildid-list -k|the build-id of the running kernel",
};

constexpr Option kBuildidListOptions[] = {
    {.name = "with-hits",
     .letter = 'H',
     .help = "only binaries with samples",
     .store = set<&BuildidListOptions::with_hits>},
    {.name = "input",
     .letter = 'i',
     .value = Value::Required,
     .metavar = "file",
     .help = "the recording to read (default: a pipe on stdin, else perf.data; -: stdin)",
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

Result<int> show_kernel(const Root& root, Invocation& call) {
  const BuildId id = BuildId::from_bytes(kernel_build_id(root));
  if (id.empty()) return fail(ErrorKind::NotFound, "/sys/kernel/notes: no build-id");
  call.out.format("{}\n", id.hex());
  return 0;
}

Result<int> show_kernel_maps(const Root& root, Invocation& call) {
  const auto line = [&](const BuildId& id, u64 start, u64 end, std::string_view name) {
    call.out.format("{:>40} {:16x} {:16x} {}\n", id.hex(), start, end, name);
  };
  if (const auto text = kernel_text(root)) {
    line(BuildId::from_bytes(kernel_build_id(root)), text->start, text->end, "[kernel.kallsyms]");
  }
  for (const auto& module : kernel_modules(root)) {
    line(BuildId::from_bytes(module_build_id(root, module.name)), module.start, module.start + module.size,
         fmt::format("[{}]", module.name));
  }
  return 0;
}

// Ids as the recording has them; dsos that were hit but have none get blanks, when hits are what is asked for.
Result<int> show_recording(const BuildidListOptions& options, data::Reader& reader, Invocation& call) {
  const bool by_hits = options.with_hits || !reader.header().has(data::FeatureId::BuildId);
  const auto ids = [&]() -> std::span<const data::BuildIdEntry> {
    const auto& feature = reader.header().features.build_ids;
    return feature ? std::span<const data::BuildIdEntry>(*feature) : std::span<const data::BuildIdEntry>();
  };
  const auto say_ids = [&] {
    if (options.verbose == 0) return;
    for (const auto& entry : ids()) {
      call.messages.verbatim(fmt::format("build id event received for {}: {} [{}]\n", printable(entry.name),
                                         entry.id.hex(), entry.id.size));
    }
  };
  if (!by_hits) {
    say_ids();
    const std::string zeroes(40, '0');  // what a table without an id for the name has
    for (const auto& entry : ids()) {
      call.out.format("{:>40} {}\n", entry.id.empty() ? zeroes : entry.id.hex(), printable(entry.name));
    }
    return 0;
  }
  auto summary = find_hit_dsos(reader);
  if (!summary) return std::unexpected(std::move(summary.error()));
  say_ids();
  for (const auto& dso : summary->dsos) {
    if (!dso.hit) continue;
    const auto known = ids();
    const auto entry = std::ranges::find(known, dso.name, &data::BuildIdEntry::name);
    const BuildId& id = entry != known.end() ? entry->id : dso.id;
    call.out.format("{:>40} {}\n", id.hex(), printable(dso.name));
  }
  return 0;
}

Result<int> buildid_list(BuildidListOptions& options, Invocation& call) {
  const Root root;
  if (options.kernel) return show_kernel(root, call);
  if (options.kernel_maps) return show_kernel_maps(root, call);
  if (!options.input.empty() && options.input != "-") {
    if (const auto id = read_build_id(options.input)) {
      call.out.format("{}\n", id->hex());
      return 0;
    }
  }
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  return show_recording(options, *reader, call);
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
