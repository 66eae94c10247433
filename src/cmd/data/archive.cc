// archive: the binaries that a recording needs, packed to be taken along; alone or together with the recording.
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <filesystem>

#include "base/file/folder_entries.h"
#include "base/text/counted.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "cmd/sandbox/denied_files.h"
#include "output/text/format/printable.h"
#include "pipeline/bundle/bundle.h"
#include "pipeline/bundle/bundle_files.h"
#include "pipeline/recording/place/unpacked_recording.h"
#include "sys/kernel/host.h"

namespace peregrine::cmd {
namespace {

struct ArchiveOptions {
  std::string output;
  bool all = false, unpack = false, force = false;
  int verbose = 0;
};

constexpr Option kArchiveOptions[] = {
    {.name = "all",
     .help = "include the recording: perf.all-HOST-TIME.tar.bz2, for --unpack or report -i",
     .store = set<&ArchiveOptions::all>},
    {.name = "unpack",
     .help = "unpack an archive: files into the build-id cache, the recording into this folder",
     .store = set<&ArchiveOptions::unpack>},
    {.name = "output",
     .letter = 'o',
     .value = Value::Required,
     .metavar = "bundle",
     .help = "write one file with the recording and all files that name its samples, for report -i on any machine",
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

void tell_contents(const ArchiveOptions& options, const BundleContents& contents, Invocation& call) {
  if (options.verbose > 0) {
    for (const BundledFile& file : contents.files)
      call.messages.note(printable(fmt::format("{} {}", file.id.hex(), file.source)));
  }
  for (const data::BuildIdEntry& entry : contents.missing) {
    const bool hidden = is_hidden_by_sandbox(confinement_of(call), entry.name);
    call.messages.warning(
        printable(fmt::format("{} {}: {}", entry.id.hex(), entry.name,
                              hidden ? "the sandbox hides this file" : "its file of that build was not found")),
        hidden
            ? fmt::format("to pack it: {} --no-sandbox archive ... (or core.sandbox = false)", call.messages.program())
            : std::string());
  }
}

// perf.data.tar.bz2: the files alone, as a build-id cache has them.
Result<int> pack_symbols(const std::string& input, const BundleContents& contents, Invocation& call) {
  const std::string path = input + ".tar.bz2";
  auto tar = TarWriter::create(path, Packing::Bzip2);
  if (!tar) return std::unexpected(std::move(tar.error()));
  PEREGRINE_TRY(add_bundle(*tar, contents));
  PEREGRINE_TRY(tar->finish());
  call.out.format(
      "{0} holds {1}. Keep it next to {2}, where report finds it.\n"
      "To give the files to other tools, unpack it: tar xvf {0} -C ~/.debug\n",
      path, counted(contents.files.size(), "file"), input);
  return 0;
}

std::string all_name() {
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32] = {};
  std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return fmt::format("perf.all-{}-{}.tar.bz2", read_host(Root()).hostname, text);
}

// perf.all-HOST-TIME.tar.bz2: the recording, and the archive above inside.
Result<int> pack_all(const std::string& input, const BundleContents& contents, Invocation& call) {
  const std::string path = all_name(), inner = "perf.symbols.tar.bz2";
  auto symbols = TarWriter::create_unnamed(path, Packing::Bzip2);
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  PEREGRINE_TRY(add_bundle(*symbols, contents));
  const auto packed = symbols->finish_unnamed();
  if (!packed) return std::unexpected(packed.error());
  auto tar = TarWriter::create(path, Packing::Bzip2);
  if (!tar) return std::unexpected(std::move(tar.error()));
  PEREGRINE_TRY(add_recording(*tar, input));
  PEREGRINE_TRY(tar->add_file(inner, packed->get(), inner));
  PEREGRINE_TRY(tar->finish());
  call.out.format("{0} holds the recording and {1}:\n\n$ {2} report -i {0}\n$ {2} archive --unpack {0}\n", path,
                  counted(contents.files.size(), "file"), call.messages.program());
  return 0;
}

Result<int> pack_bundle(const std::string& path, const std::string& input, const BundleContents& contents,
                        Invocation& call) {
  auto tar = TarWriter::create(path, Packing::Zstd);
  if (!tar) return std::unexpected(std::move(tar.error()));
  PEREGRINE_TRY(add_recording(*tar, input));
  PEREGRINE_TRY(add_bundle(*tar, contents));
  PEREGRINE_TRY(tar->finish());
  if (path == "-")
    call.messages.note(
        fmt::format("the recording and {} written to standard output", counted(contents.files.size(), "file")));
  else
    call.messages.note(fmt::format("{0} holds the recording and {1}: {2} report -i {0}", path,
                                   counted(contents.files.size(), "file"), call.messages.program()));
  return 0;
}

Result<int> pack(const ArchiveOptions& options, const std::string& input, Invocation& call) {
  auto reader = open_recording(input, options.force);
  if (!reader) return say_open_error(call, input, reader.error());
  const BuildIdCache cache(call.config.buildid_directory());
  DebugSearch search;
  search.cache_folder = cache.folder();
  auto contents = gather_bundle(*reader, cache, search, options.output.empty() ? Gather::Kept : Gather::Everywhere);
  if (!contents) return std::unexpected(std::move(contents.error()));
  tell_contents(options, *contents, call);
  if (!options.output.empty()) return pack_bundle(options.output, input, *contents, call);
  if (contents->files.empty()) {
    call.messages.verbatim("archive: the build-id cache has nothing of this recording\n");
    return 1;
  }
  return options.all ? pack_all(input, *contents, call) : pack_symbols(input, *contents, call);
}

// The newest perf.all-*.tar.bz2 of this folder.
std::string newest_archive() {
  std::string found;
  std::filesystem::file_time_type newest;
  std::error_code error;
  for (const std::string& name : names_in_folder(".")) {
    if (!name.starts_with("perf.all-") || !name.ends_with(".tar.bz2")) continue;
    const auto time = std::filesystem::last_write_time(name, error);
    if (!found.empty() && time <= newest) continue;
    found = name;
    newest = time;
  }
  return found;
}

Result<int> unpack_archive(const ArchiveOptions& options, const std::string& path, Invocation& call) {
  if (path.empty()) return fail(ErrorKind::NotFound, "there is no perf.all-*.tar.bz2 here: name the archive");
  auto bundle = open_archive(path, options.force);
  if (!bundle) return std::unexpected(std::move(bundle.error()));
  for (const std::string& problem : bundle->problems()) call.messages.warning(problem);
  if (!bundle->recording().empty())
    PEREGRINE_TRY(put_recording(bundle->recording(), std::string(kDefaultInput), options.force));
  const BuildIdCache cache(call.config.buildid_directory());
  auto added = add_to_cache(*bundle, cache);
  if (!added) return std::unexpected(std::move(added.error()));
  call.messages.note(fmt::format("{} put into {}", counted(*added, "file"), cache.folder()));
  if (const Bundle::Refusals& refusals = bundle->refusals(); refusals.refused != 0)
    call.messages.warning(printable(
        fmt::format("{} of {} refused: {}", refusals.refused, counted(refusals.members, "member"), refusals.first)));
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
  needs.links = options.unpack;  // those of the build-id cache
  return needs;
}

Result<int> archive(ArchiveOptions& options, Invocation& call) {
  if (call.words.size() > 1) return fail(ErrorKind::Usage, "one file at a time");
  if (options.all + options.unpack + !options.output.empty() > 1)
    return fail(ErrorKind::Usage, "--all, --unpack and -o exclude each other");
  const std::string word = call.words.empty() ? std::string() : call.words.front();
  std::string input = word;
  if (word.empty()) input = options.unpack ? newest_archive() : std::string(kDefaultInput);
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
        "Without options they are taken from the build-id cache and go into FILE.tar.bz2: copy that file and the "
        "recording into one folder. With -o, everything goes into one file, the recording too.\n\n"
        "report, script and other commands read an archive in place, without unpacking it: name it with -i, or keep "
        "it beside the recording. They verify each file's build-id, and name missing or damaged files.",
    .examples = kArchiveExamples,
    .run = entry<ArchiveOptions, archive>};

}  // namespace peregrine::cmd
