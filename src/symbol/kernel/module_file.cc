#include "symbol/kernel/module_file.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/judged_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {
namespace {

constexpr std::size_t kMostDependencies = std::size_t{64} << 20;

// The module's name, with '_' for '-': "xfs" from "kernel/fs/xfs/xfs.ko.xz".
std::string module_of(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  std::string name(path.substr(0, path.find(".ko")));
  std::ranges::replace(name, '-', '_');
  return name;
}

std::vector<SymbolCandidate> module_candidates(std::string_view bracketed_name, const std::string& path,
                                               const std::string& release, const BuildId& recorded,
                                               const DebugSearch& search) {
  std::vector<SymbolCandidate> candidates;
  for (const auto& [folder, kind] : {std::pair(search.bundle_folder, SourceKind::Bundle),
                                     std::pair(search.cache_folder, SourceKind::BuildIdCache)}) {
    if (recorded && !folder.empty()) candidates.push_back({kind, build_id_cache_path(folder, recorded, "elf")});
  }
  if (recorded && recorded.size > 1) {
    candidates.push_back(
        {SourceKind::BuildIdDebug, build_id_cache_path(search.symfs + search.debug_folder, recorded, "") + ".debug"});
  }
  if (path.starts_with('/')) candidates.push_back({SourceKind::Module, search.symfs + search.below(path)});
  if (release.empty() || release.find('/') != std::string::npos) return candidates;
  const std::string folder = search.symfs + "/lib/modules/" + release + "/";
  const auto dependencies = read_regular_file(folder + "modules.dep", kMostDependencies);
  if (!dependencies) note_failure(search.failures, folder + "modules.dep", dependencies.error());
  const std::string found = dependencies ? find_in_modules_dep(*dependencies, bracketed_name) : std::string();
  if (!found.empty()) {
    std::string file = found.starts_with('/') ? search.symfs + search.below(found) : folder + found;
    if (file != search.symfs + search.below(path)) candidates.push_back({SourceKind::Module, std::move(file)});
  } else {
    candidates.push_back({SourceKind::Module, folder + "modules.dep"});  // so that messages name the file searched
  }
  return candidates;
}

// Adds the debug files of the candidate modules, by path, and by the build-id of the first module that exists. That id
// is the one wanted if the recording has none.
BuildId add_debug_files(std::vector<SymbolCandidate>& candidates, BuildId wanted, const DebugSearch& search) {
  const std::string folder = search.symfs + search.debug_folder;
  for (std::size_t i = 0, count = candidates.size(); i < count; ++i) {
    if (candidates[i].kind != SourceKind::Module || candidates[i].path.ends_with("/modules.dep")) continue;
    if (!wanted) {
      const OpenedFile module = open_candidate(candidates[i].path, search.failures);
      if (module.file) wanted = module.file->build_id();
      if (wanted) candidates.push_back({SourceKind::BuildIdDebug, build_id_cache_path(folder, wanted, "") + ".debug"});
    }
    std::string place = candidates[i].path.substr(search.symfs.size());
    place.erase(std::min(place.rfind(".ko"), place.size() - 3) + 3);  // debug files are not compressed
    candidates.push_back({SourceKind::UbuntuDebug, folder + place});
    candidates.push_back({SourceKind::FedoraDebug, folder + place + ".debug"});
  }
  return wanted;
}

}  // namespace

std::string find_in_modules_dep(std::string_view text, std::string_view bracketed_name) {
  if (bracketed_name.starts_with('[')) bracketed_name.remove_prefix(1);
  if (bracketed_name.ends_with(']')) bracketed_name.remove_suffix(1);
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::string_view path = line.substr(0, line.find(':'));
    if (path.size() < line.size() && module_of(path) == bracketed_name) return std::string(path);
  }
  return {};
}

ModuleFile find_module(std::string_view bracketed_name, const std::string& path, const std::string& release,
                       const BuildId& recorded, const DebugSearch& search, std::optional<DsoPart> part) {
  ModuleFile result;
  std::vector<SymbolCandidate> candidates = module_candidates(bracketed_name, path, release, recorded, search);
  BuildId wanted = search.ignore_build_id ? BuildId() : recorded;
  if (part == DsoPart::DebugInfo) wanted = add_debug_files(candidates, wanted, search);
  for (SymbolCandidate& candidate : candidates) {
    OpenedFile opened = open_candidate(candidate.path, search.failures);
    MissReason miss = opened.miss;
    if (opened.file) miss = verify_build(*opened.file, wanted, {});
    const bool useful = opened.file && (part ? has_part(*opened.file, *part) : opened.file->has_symtab());
    if (opened.file && miss == MissReason::None && !useful) miss = MissReason::NoSymbols;
    const bool taken = miss == MissReason::None;
    result.tried.push_back({candidate.kind, std::move(candidate.path), miss, taken ? SymbolSet::All : SymbolSet::None});
    if (!taken) continue;
    result.file = std::move(opened.file);
    result.file->place_as_module();
    break;
  }
  return result;
}

}  // namespace peregrine
