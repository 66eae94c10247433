#include "session/recording/symbol_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/build_id.h"
#include "base/result.h"
#include "data/feature/features.h"
#include "data/reader/reader.h"
#include "output/text/format/printable.h"
#include "pipeline/bundle/bundle.h"
#include "symbol/elf/build_id.h"
#include "symbol/lookup/build_id_cache.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/table/demangle.h"
#include "sys/kernel/host.h"

namespace peregrine {

namespace {

// Whether this machine has the file of an entry: in the cache, or at the path where it was mapped.
bool is_here(const data::BuildIdEntry& entry, const DebugSearch& search) {
  if (!BuildIdCache(search.cache_folder).find(entry.id).empty()) return true;
  const auto here = entry.name.starts_with('/') ? read_build_id(search.symfs + search.below(entry.name))
                    : search.symfs.empty()      ? read_build_id_notes("/sys/kernel/notes")
                                                : Result<BuildId>(BuildId());
  return here && here->matches(entry.id);
}

bool lacks_files(const data::Reader& reader, const DebugSearch& search) {
  const auto& ids = reader.header().features.build_ids;
  return !ids || !std::ranges::all_of(*ids, [&](const data::BuildIdEntry& entry) { return is_here(entry, search); });
}

void open_archive_beside(OpenedRecording& recording, const SymbolRequest& request, const DebugSearch& search,
                         SessionListener& listener) {
  if (recording.bundle || recording.path() == "-") return;
  const std::string path = archive_beside(recording.path());
  if (path.empty() || !lacks_files(recording, search)) return;
  auto bundle = open_archive({.path = path, .force = request.force, .temporary_folder = request.temporary_folder});
  if (!bundle) return listener.warning(bundle.error().message);
  recording.bundle = std::move(*bundle);
}

// Files missing from the archive may be on this machine; the others are reported.
void warn_about_missing_files(const OpenedRecording& recording, const DebugSearch& search, SessionListener& listener) {
  for (const std::string& problem : recording.bundle->problems()) listener.warning("archive: " + printable(problem));
  const auto& ids = recording.header().features.build_ids;
  if (!ids) return;
  for (const data::BuildIdEntry& entry : *ids) {
    if (!recording.bundle->has(entry.id) && !is_here(entry, search))
      listener.warning(printable(fmt::format("archive: {} {} is missing", entry.id.hex(), entry.name)));
  }
}

SymbolPlaces places_of(const UserFolders& folders) {
  SymbolPlaces places;
  places.search.cache_folder = folders.build_ids;
  places.own_cache_folder = folders.own_cache;
  places.kept = folders.kept;
  return places;
}

}  // namespace

SymbolPlaces live_symbol_places(const UserFolders& folders) {
  SymbolPlaces places = places_of(folders);
  places.kernel_release = read_host(places.live_root).release;
  return places;
}

SymbolPlaces symbol_places(const SymbolRequest& request, OpenedRecording& recording, SessionListener& listener) {
  SymbolPlaces places = places_of(request.folders);
  places.search.symfs = request.sysroot.folder;
  places.search.flat = request.sysroot.flat;
  // A folder of another machine contains that machine's cache; this machine's does not apply.
  if (!request.sysroot.folder.empty()) places.search.cache_folder = request.sysroot.folder + "/.debug";
  open_archive_beside(recording, request, places.search, listener);
  if (recording.bundle) {
    places.search.bundle_folder = recording.bundle->folder();
    warn_about_missing_files(recording, places.search, listener);
  }
  // The decoding thread may still use the servers of an earlier call.
  if (request.servers && !recording.server) recording.server = open_debug_servers(*request.servers, listener);
  if (recording.server) {
    places.search.fetch = [server = recording.server.get()](const BuildId& id, ServerFile wish) {
      return server->fetch(id, wish);
    };
  }
  places.kallsyms = request.kallsyms;
  if (places.kallsyms.empty())
    places.recorded_kernel = {recording.kallsyms.get(), recording.kcore.get(), recording.path() + "/kcore_dir/"};
  places.vmlinux = request.vmlinux;
  places.guests = request.guests;
  places.check_perf_map_owner = !request.force;
  places.demangle = request.demangle;
  places.demangle_kernel = request.demangle_kernel;
  places.search.stripped_functions = request.stripped_functions;
  if (request.parameters) places.demangle_detail = DemangleDetail::Parameters;
  places.kernel_release = recording.header().features.os_release.value_or("");
  return places;
}

}  // namespace peregrine
