#include "session/data/archive.h"

#include <fmt/format.h>
#include <time.h>

#include <ctime>
#include <expected>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/text/counted.h"
#include "data/feature/features.h"
#include "output/text/format/printable.h"
#include "pipeline/bundle/bundle_files.h"
#include "pipeline/bundle/tar_writer.h"
#include "pipeline/recording/place/unpacked_recording.h"
#include "symbol/compression/unpack.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_file.h"
#include "sys/kernel/host.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr std::string_view kArchivePrefix = "perf.all-", kArchiveSuffix = ".tar.bz2";

void tell_contents(const ArchiveRequest& request, const BundleContents& contents, SessionListener& listener) {
  if (request.verbose) {
    for (const BundledFile& file : contents.files)
      listener.note(printable(fmt::format("{} {}", file.id.hex(), file.source)));
  }
  for (const data::BuildIdEntry& entry : contents.missing) {
    const bool hidden = is_hidden_by_sandbox(request.confinement, entry.name);
    listener.warning(printable(fmt::format("{} {}: {}", entry.id.hex(), entry.name,
                                           hidden ? "the sandbox hides this file" : "no file of this build found")),
                     hidden ? fmt::format("to pack it: {} (or core.sandbox = false)", request.confinement.unconfined)
                            : std::string());
  }
}

Result<> pack_symbols(const ArchiveRequest& request, const BundleContents& contents, Sink& out) {
  const std::string path = request.input + std::string(kArchiveSuffix);
  auto tar = TarWriter::create(path, Packing::Bzip2);
  if (!tar) return std::unexpected(std::move(tar.error()));
  PEREGRINE_TRY(add_bundle(*tar, contents));
  PEREGRINE_TRY(tar->finish());
  out.format(
      "{0} contains {1}. Keep it next to {2}, where report finds it.\n"
      "To give the files to other tools, unpack it: tar xvf {0} -C ~/.debug\n",
      path, counted(contents.files.size(), "file"), request.input);
  return {};
}

std::string dated_archive_name() {
  const std::time_t now = ::time(nullptr);
  std::tm local{};
  ::localtime_r(&now, &local);
  char text[32] = {};
  ::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &local);
  return fmt::format("{}{}-{}{}", kArchivePrefix, read_host(Root()).hostname, text, kArchiveSuffix);
}

Result<> pack_with_recording(const ArchiveRequest& request, const BundleContents& contents, Sink& out) {
  const std::string path = dated_archive_name(), inner = "perf.symbols.tar.bz2";
  auto symbols = TarWriter::create_unnamed(path, Packing::Bzip2);
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  PEREGRINE_TRY(add_bundle(*symbols, contents));
  const auto packed = symbols->finish_unnamed();
  if (!packed) return std::unexpected(packed.error());
  auto tar = TarWriter::create(path, Packing::Bzip2);
  if (!tar) return std::unexpected(std::move(tar.error()));
  PEREGRINE_TRY(add_recording(*tar, request.input));
  PEREGRINE_TRY(tar->add_file(inner, packed->get(), inner));
  PEREGRINE_TRY(tar->finish());
  out.format("{0} contains the recording and {1}:\n\n$ {2} report -i {0}\n$ {2} archive --unpack {0}\n", path,
             counted(contents.files.size(), "file"), request.program_name);
  return {};
}

Result<> pack_everything(const ArchiveRequest& request, const BundleContents& contents, SessionListener& listener) {
  auto tar = TarWriter::create(request.output, Packing::Zstd);
  if (!tar) return std::unexpected(std::move(tar.error()));
  PEREGRINE_TRY(add_recording(*tar, request.input));
  PEREGRINE_TRY(add_bundle(*tar, contents));
  PEREGRINE_TRY(tar->finish());
  const std::string files = counted(contents.files.size(), "file");
  if (request.output == "-")
    listener.note(fmt::format("wrote the recording and {} to standard output", files));
  else
    listener.note(fmt::format("{0} contains the recording and {1}: {2} report -i {0}", request.output, files,
                              request.program_name));
  return {};
}

}  // namespace

Result<bool> pack_recording(const ArchiveRequest& request, data::Reader& reader, Sink& out, SessionListener& listener) {
  const BuildIdCache cache(request.build_ids);
  DebugSearch search;
  search.cache_folder = cache.folder();
  const bool everything = request.form == ArchiveForm::Everything;
  const auto contents = gather_bundle(reader, cache, search, everything ? Gather::Everywhere : Gather::Kept);
  if (!contents) return std::unexpected(contents.error());
  tell_contents(request, *contents, listener);
  if (!everything && contents->files.empty()) return false;
  switch (request.form) {
    case ArchiveForm::Symbols:
      PEREGRINE_TRY(pack_symbols(request, *contents, out));
      break;
    case ArchiveForm::Recording:
      PEREGRINE_TRY(pack_with_recording(request, *contents, out));
      break;
    case ArchiveForm::Everything:
      PEREGRINE_TRY(pack_everything(request, *contents, listener));
      break;
  }
  return true;
}

Result<> install_archive(const InstallRequest& request, const Bundle& bundle, SessionListener& listener) {
  for (const std::string& problem : bundle.problems()) listener.warning(problem);
  if (!bundle.recording().empty() && !bundle.recording_is_cut())
    PEREGRINE_TRY(put_recording(bundle.recording(), request.recording, request.replace));
  const BuildIdCache cache(request.build_ids);
  const auto added = add_to_cache(bundle, cache);
  if (!added) return std::unexpected(added.error());
  listener.note(fmt::format("added {} to {}", counted(*added, "file"), cache.folder()));
  if (const Bundle::Refusals& refusals = bundle.refusals(); refusals.refused != 0)
    listener.warning(printable(
        fmt::format("{} of {} refused: {}", refusals.refused, counted(refusals.members, "member"), refusals.first)));
  if (bundle.recording_is_cut())
    return std::unexpected(
        Error{ErrorKind::Malformed, "the archive ends within its recording, which was not unpacked"}.with_hint(
            "report -i ARCHIVE shows the part that it contains"));
  if (bundle.is_cut())
    return fail(ErrorKind::Malformed, "the archive is damaged: only the part before the damage was unpacked");
  return {};
}

std::string newest_archive(const std::string& folder) {
  std::string found;
  std::filesystem::file_time_type newest;
  std::error_code error;
  for (const std::string& name : names_in_folder(folder)) {
    if (!name.starts_with(kArchivePrefix) || !name.ends_with(kArchiveSuffix)) continue;
    const auto time = std::filesystem::last_write_time(fmt::format("{}/{}", folder, name), error);
    if (!found.empty() && time <= newest) continue;
    found = name;
    newest = time;
  }
  return found;
}

}  // namespace peregrine
