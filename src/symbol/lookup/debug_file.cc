#include "symbol/lookup/debug_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/file/read_failures.h"
#include "base/process_root.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/compression/stored_elf.h"

namespace peregrine {

namespace {

MissReason miss_of(const Error& error, bool packed) {
  if (is_machine_failure(error)) return MissReason::Unreadable;
  if (error.system_errno == ENOTDIR) return MissReason::Absent;
  switch (error.kind) {
    case ErrorKind::Denied:
      return MissReason::Denied;
    case ErrorKind::NotFound:
      return MissReason::Absent;
    default:
      if (error.system_errno != 0) return MissReason::Unreadable;
      return packed ? MissReason::BadCompression : MissReason::NotElf;
  }
}

bool is_folder(const std::string& path) {
  const auto status = stat_file(path);
  return status && S_ISDIR(status->st_mode);
}

// "/usr/lib/x.so" -> "/usr/lib/" and "x.so".
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

bool is_vdso(const std::string& path) { return path == "[vdso]" || path == "[vdso32]" || path == "[vdsox32]"; }

// A debug link comes from an untrusted file, so it may only name a file in the searched folders.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

// Adds the entries of a build-id cache, or of an archive with the same layout.
void add_cache(const std::string& folder, SourceKind kind, SourceKind debug_kind, const std::string& path,
               const BuildId& recorded, std::vector<SymbolCandidate>& candidates) {
  if (!recorded || folder.empty()) return;
  const std::string entry = build_id_cache_path(folder, recorded, "");
  if (is_folder(entry)) {
    candidates.push_back({kind, entry + (is_vdso(path) ? "/vdso" : "/elf")});
    candidates.push_back({debug_kind, entry + "/debug"});
  } else {  // before linux-perf 4.6 the entry was a link to the file
    candidates.push_back({kind, entry});
  }
}

bool is_unreadable(const OpenedFile& opened) {
  return opened.file ? opened.file->read_failed() : opened.miss == MissReason::Unreadable;
}

}  // namespace

bool has_part(const ElfFile& file, DsoPart part) {
  return std::ranges::any_of(file.sections(), [part](const ElfSection& section) {
    if (section.type == SHT_NOBITS) return false;
    if (part == DsoPart::DebugInfo) return section.name == ".debug_info" || section.name == ".zdebug_info";
    return (section.flags & SHF_EXECINSTR) != 0;
  });
}

OpenedFile open_candidate(const std::string& path, ReadFailures* failures) {
  if (const auto status = stat_file(path); status && !S_ISREG(status->st_mode)) return {.miss = MissReason::NotRegular};
  auto file = open_stored_elf(path, failures);
  if (file) return {.file = std::move(*file)};
  const bool packed = path.ends_with(".xz") || path.ends_with(".zst") || path.ends_with(".gz");
  return {.miss = miss_of(file.error(), packed), .error = file.error().system_errno};
}

MissReason verify_build(const ElfFile& file, const BuildId& wanted, std::optional<u32> crc) {
  if (wanted && !file.build_id().matches(wanted)) return MissReason::BuildIdMismatch;
  if (!wanted && crc && file.crc().value_or(~*crc) != *crc) return MissReason::CrcMismatch;
  return MissReason::None;
}

WantedBuild wanted_build(const std::string& path, const BuildId& recorded, const DebugSearch& search) {
  if (recorded || !path.starts_with('/')) return {.id = recorded};
  const OpenedFile opened = open_candidate(search.symfs + search.root + search.below(path), search.failures);
  WantedBuild wanted;
  if (opened.file) wanted.id = opened.file->build_id();
  if (is_unreadable(opened)) wanted.miss = MissReason::Unreadable;
  return wanted;
}

std::string build_id_cache_path(const std::string& cache_folder, const BuildId& id, std::string_view leaf) {
  const std::string hex = id.hex();
  std::string path = cache_folder + "/.build-id/" + hex.substr(0, 2) + "/" + (hex.size() > 2 ? hex.substr(2) : "");
  if (!leaf.empty()) path.append("/").append(leaf);
  return path;
}

std::vector<SymbolCandidate> symbol_candidates(const std::string& mapped, const BuildId& recorded,
                                               const DebugSearch& search) {
  std::vector<SymbolCandidate> candidates;
  const std::string path = search.below(mapped);
  const bool has_path = path.starts_with('/');
  const std::string before = search.symfs + search.root;
  const std::string dso = before + path;
  const std::string debug = before + search.debug_folder;
  const auto [folder, file] = split_path(path);

  if (has_path) {
    // The debug link is in the dso itself, which must be opened for it, although as a candidate it comes later.
    const OpenedFile opened = open_candidate(dso, search.failures);
    const auto link = opened.file ? opened.file->debug_link() : std::nullopt;
    if (link && is_plain_name(link->file_name)) {
      for (const std::string& place : {before + folder, before + folder + ".debug/", debug + folder})
        candidates.push_back({SourceKind::DebugLink, place + link->file_name, link->crc});
    }
    if (is_unreadable(opened))
      candidates.push_back({.kind = SourceKind::Dso, .path = dso, .miss = MissReason::Unreadable});
  }
  add_cache(search.bundle_folder, SourceKind::Bundle, SourceKind::Bundle, mapped, recorded, candidates);
  add_cache(search.cache_folder, SourceKind::BuildIdCache, SourceKind::BuildIdCacheDebug, mapped, recorded, candidates);
  if (has_path) {
    candidates.push_back({SourceKind::FedoraDebug, debug + path + ".debug"});
    candidates.push_back({SourceKind::UbuntuDebug, debug + path});
  }
  if (recorded && recorded.size > 1)
    candidates.push_back({SourceKind::BuildIdDebug, build_id_cache_path(debug, recorded, "") + ".debug"});
  if (has_path) {
    candidates.push_back({dso.find("!/") == std::string::npos ? SourceKind::Dso : SourceKind::ZipMember, dso});
    if (constexpr std::string_view kDeleted = " (deleted)";
        recorded && path.ends_with(kDeleted))  // the file may have been restored
      candidates.push_back({SourceKind::Dso, dso.substr(0, dso.size() - kDeleted.size())});
    candidates.push_back({SourceKind::OpenEmbeddedDebug, before + folder + ".debug/" + file});
    if (path.starts_with("/usr/lib/"))
      candidates.push_back({SourceKind::MixedUpUbuntuDebug, debug + path.substr(std::string_view("/usr").size())});
  }
  return candidates;
}

void for_each_candidate(const std::string& path, const BuildId& wanted, const DebugSearch& search,
                        std::initializer_list<ServerFile> servers, const CandidateVisitor& visit) {
  Search next = Search::Continue;
  for (const SymbolCandidate& candidate : symbol_candidates(path, wanted, search)) {
    next = visit(candidate, candidate.miss);
    if (next == Search::Enough) return;
  }
  if (search.live) {
    for (std::string& place : search.live()) {
      next = visit({SourceKind::LiveProcess, std::move(place)}, MissReason::None);
      if (next == Search::Enough) return;
    }
  }
  if (!search.fetch || !wanted) return;
  for (const ServerFile wish : servers) {
    if (next != Search::Continue) return;
    auto copy = search.fetch(wanted, wish);
    const std::string_view what = wish == ServerFile::DebugInfo ? "debug information" : "program";
    if (copy)
      next = visit({SourceKind::DebugServer, *copy}, MissReason::None);
    else
      next = visit({SourceKind::DebugServer, fmt::format("{} of {}", what, wanted.hex())},
                   copy.error().kind == ErrorKind::NotFound ? MissReason::NotOnServer : MissReason::NoServer);
  }
}

Result<ElfFile> find_dso_file(const std::string& path, const BuildId& recorded, const DebugSearch& search,
                              DsoPart part) {
  const auto [wanted, failed] = wanted_build(path, recorded, search);
  std::optional<ElfFile> found;
  std::string missed;
  bool names_path = failed != MissReason::None;
  if (names_path) missed = fmt::format("{}: {}", path, describe(failed));
  const auto visit = [&](const SymbolCandidate& candidate, MissReason miss) {
    OpenedFile opened =
        miss == MissReason::None ? open_candidate(candidate.path, search.failures) : OpenedFile{.miss = miss};
    miss = opened.miss;
    if (opened.file) miss = verify_build(*opened.file, search.ignore_build_id ? BuildId() : wanted, candidate.crc);
    if (miss == MissReason::None && has_part(*opened.file, part)) {
      found = std::move(*opened.file);
      return Search::Enough;
    }
    if (miss == MissReason::Absent) return Search::Continue;
    const std::string_view why = miss != MissReason::None ? describe(miss)
                                 : part == DsoPart::Code  ? "contains no code"
                                                          : "contains no debug information";
    // Files rejected for the same reason share it: "FILE, FILE: no debug information in it".
    const bool alike = !missed.empty() && missed.ends_with(fmt::format(": {}", why));
    if (alike) missed.resize(missed.size() - why.size() - 2);
    const std::string_view separator = missed.empty() ? "" : alike ? ", " : "; ";
    fmt::format_to(std::back_inserter(missed), "{}{}: {}", separator, candidate.path, why);
    names_path |= candidate.path == path;
    return Search::Continue;
  };
  const ServerFile wish = part == DsoPart::Code ? ServerFile::Executable : ServerFile::DebugInfo;
  for_each_candidate(path, wanted, search, {wish}, visit);
  if (found) return std::move(*found);
  if (missed.empty()) missed = describe(MissReason::Absent);
  return fail(ErrorKind::NotFound, "{}{}", names_path ? "" : path + ": ", missed);
}

std::vector<std::string> vmlinux_candidates(const std::string& release, const std::string& symfs) {
  return {symfs.empty() ? "vmlinux" : symfs + "/vmlinux",
          symfs + "/boot/vmlinux",
          symfs + "/boot/vmlinux-" + release,
          symfs + "/usr/lib/debug/boot/vmlinux-" + release,
          symfs + "/lib/modules/" + release + "/build/vmlinux",
          symfs + "/usr/lib/debug/lib/modules/" + release + "/vmlinux",
          symfs + "/usr/lib/debug/boot/vmlinux-" + release + ".debug"};
}

KernelImage find_vmlinux(const std::string& release, const BuildId& kernel, const DebugSearch& search) {
  std::vector<SymbolCandidate> candidates;
  for (const auto& [folder, kind] : {std::pair(search.bundle_folder, SourceKind::Bundle),
                                     std::pair(search.cache_folder, SourceKind::BuildIdCache)}) {
    if (kernel && !folder.empty()) candidates.push_back({kind, build_id_cache_path(folder, kernel, "elf")});
  }
  for (std::string& path : vmlinux_candidates(release, search.symfs))
    candidates.push_back({SourceKind::Vmlinux, std::move(path)});
  KernelImage result;
  for (SymbolCandidate& candidate : candidates) {
    OpenedFile opened = open_candidate(candidate.path, search.failures);
    MissReason miss = opened.miss;
    if (opened.file && !search.ignore_build_id && (!kernel || !opened.file->build_id().matches(kernel)))
      miss = MissReason::BuildIdMismatch;
    else if (opened.file && !opened.file->has_symtab())
      miss = MissReason::NoSymbols;
    result.tried.push_back({candidate.kind, std::move(candidate.path), miss});
    if (miss != MissReason::None) continue;
    result.file = std::move(opened.file);
    break;
  }
  return result;
}

}  // namespace peregrine
