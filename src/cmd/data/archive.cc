// archive: packs the binaries that a recording needs on another machine, and unpacks them there.
#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sandbox/denied_files.h"
#include "session/data/archive.h"
#include "session/sandbox/reader_sandbox.h"

namespace peregrine::cmd {
namespace {

struct ArchiveOptions {
  std::string output;
  bool all = false, unpack = false, force = false;
  int verbose = 0;
};

constexpr Option kArchiveOptions[] = {
    {.name = "all",
     .help = "include the recording; writes perf.all-HOST-TIME.tar.bz2, for --unpack or report -i",
     .store = set<&ArchiveOptions::all>},
    {.name = "unpack",
     .help = "unpack an archive: binaries into the build-id cache, the recording into the current folder",
     .store = set<&ArchiveOptions::unpack>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "bundle",
     .help =
         "write one file with the recording and everything needed to resolve its samples, for report -i on any machine",
     .store = set<&ArchiveOptions::output>,
     .since = Since::Ours},
    {.name = "force",
     .letter = 'f',
     .help = "read the recording regardless of its owner; with --unpack: overwrite the existing one",
     .store = set<&ArchiveOptions::force>,
     .since = Since::Ours},
    {.name = "verbose",
     .letter = 'v',
     .help = "list each file",
     .store = count<&ArchiveOptions::verbose>,
     .since = Since::Ours},
};
constexpr std::string_view kArchiveUsage[] = {"[<file>]", "--all [<file>]", "-o <bundle> [<file>]",
                                              "--unpack [<archive>]"};

ArchiveForm form_of(const ArchiveOptions& options) {
  if (!options.output.empty()) return ArchiveForm::Everything;
  return options.all ? ArchiveForm::Recording : ArchiveForm::Symbols;
}

Result<int> pack(const ArchiveOptions& options, const std::string& input, Invocation& call) {
  auto reader = open_recording(input, options.force, call.messages);
  if (!reader) {
    const std::string remedy =
        call.words.empty() ? fmt::format("try '{} record' first", call.messages.program()) : std::string();
    return say_open_error(call, input, reader.error(), "record", remedy);
  }
  const auto packed = pack_recording({.form = form_of(options),
                                      .input = input,
                                      .output = options.output,
                                      .build_ids = call.config.buildid_directory(),
                                      .verbose = options.verbose > 0,
                                      .confinement = confinement_of(call),
                                      .program_name = call.messages.program()},
                                     *reader, call.out, call.messages);
  if (!packed) return std::unexpected(packed.error());
  if (*packed) return 0;
  return refuse_verbatim(call, "archive: the build-id cache contains no files for this recording", 1);
}

Result<int> unpack_archive(const ArchiveOptions& options, const std::string& path, Invocation& call) {
  if (path.empty()) return fail(ErrorKind::NotFound, "no perf.all-*.tar.bz2 in this folder: pass the archive's path");
  const auto bundle = open_archive(path, options.force);
  if (!bundle) return std::unexpected(bundle.error());
  PEREGRINE_TRY(install_archive(
      {.recording = std::string(kDefaultInput), .build_ids = call.config.buildid_directory(), .replace = options.force},
      *bundle, call.messages));
  return 0;
}

ReaderNeeds needs_of(const ArchiveOptions& options, const std::string& input, const Config& config) {
  ReaderNeeds needs{.inputs = {input}};
  if (options.unpack)
    needs.outputs = {std::string(kDefaultInput), config.buildid_directory()};
  else if (options.all)
    needs.outputs = {"perf.all-*"};
  else
    needs.outputs = {options.output.empty() ? input + ".tar.bz2" : options.output};
  needs.links = options.unpack;  // inside the build-id cache
  return needs;
}

Result<int> archive(ArchiveOptions& options, Invocation& call) {
  if (call.words.size() > 1) return fail(ErrorKind::Usage, "expected one file");
  if (options.all + options.unpack + !options.output.empty() > 1)
    return fail(ErrorKind::Usage, "--all, --unpack and -o cannot be combined");
  const std::string word = call.words.empty() ? std::string() : call.words.front();
  std::string input = word;
  if (word.empty()) input = options.unpack ? newest_archive(".") : std::string(kDefaultInput);
  const auto sandbox = enter_sandbox(needs_of(options, input, call.config), call);
  if (!sandbox) return std::unexpected(sandbox.error());
  return options.unpack ? unpack_archive(options, input, call) : pack(options, input, call);
}

constexpr std::string_view kArchiveExamples[] = {
    "perf archive|write perf.data.tar.bz2, to copy along with perf.data",
    "perf archive -o case.tar.zst|pack everything into one file; report -i case.tar.zst reads it",
    "perf archive --unpack perf.all-host.tar.bz2|unpack into this machine's build-id cache",
};

}  // namespace

constinit const Command kArchive{
    .name = "archive",
    .summary = "Pack the binaries of a recording for another machine",
    .usage = kArchiveUsage,
    .options = kArchiveOptions,
    .description =
        "Packs the binaries and kernel symbols that a recording needs, so that it can be read on another machine. "
        "Without options, it packs them from the build-id cache into FILE.tar.bz2; copy that file and the recording "
        "into the same folder. With -o, it packs everything, including the recording, into one file.\n\n"
        "report, script and other commands read an archive without unpacking it: pass it with -i, or keep it next to "
        "the recording. They verify each file's build-id and report missing or damaged files.",
    .examples = kArchiveExamples,
    .run = entry<ArchiveOptions, archive>};

}  // namespace peregrine::cmd
