#include "symbol/debug_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

namespace peregrine {

namespace {

struct OpenedFile {
  std::optional<ElfFile> file;
  MissReason miss = MissReason::None;
};

MissReason miss_of_errno(int error_number) {
  switch (error_number) {
    case EACCES:
    case EPERM:
      return MissReason::Denied;
    default:
      return MissReason::Absent;
  }
}

// A path out of a recording may name a device that acts when it is opened: look before opening.
OpenedFile open_candidate(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return {.miss = miss_of_errno(errno)};
  if (!S_ISREG(status.st_mode)) return {.miss = MissReason::NotRegular};
  auto file = ElfFile::open(path);
  if (file) return {.file = std::move(*file)};
  switch (file.error().kind) {
    case ErrorKind::Denied:
      return {.miss = MissReason::Denied};
    case ErrorKind::NotFound:
      return {.miss = MissReason::Absent};
    default:
      return {.miss = MissReason::NotElf};
  }
}

bool is_folder(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

// "/usr/lib/x.so" -> "/usr/lib/" and "x.so".
std::pair<std::string, std::string> split_path(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return {"", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

bool is_vdso(const std::string& path) { return path == "[vdso]" || path == "[vdso32]" || path == "[vdsox32]"; }

// A link may name a plain file only: it comes from a file that anyone may have written.
bool is_plain_name(const std::string& name) {
  return !name.empty() && name.find('/') == std::string::npos && name != "." && name != "..";
}

// A file is of the wanted build, or what the debug link meant where there are no build-ids.
MissReason verify(const ElfFile& file, const BuildId& wanted, std::optional<u32> crc) {
  if (wanted && !file.build_id().matches(wanted)) return MissReason::BuildIdMismatch;
  if (!wanted && crc && file.crc().value_or(~*crc) != *crc) return MissReason::CrcMismatch;
  return MissReason::None;
}

// The recorded build-id; of an old recording the file's own, which leads to its debug file.
BuildId wanted_build_id(const std::string& path, const BuildId& recorded, const DebugSearch& search) {
  if (recorded || !path.starts_with('/')) return recorded;
  const OpenedFile opened = open_candidate(search.symfs + search.root + path);
  return opened.file ? opened.file->build_id() : BuildId();
}

bool has(const ElfFile& file, DsoPart part) {
  return std::ranges::any_of(file.sections(), [part](const ElfSection& section) {
    if (section.type == SHT_NOBITS) return false;
    if (part == DsoPart::DebugInfo) return section.name == ".debug_info" || section.name == ".zdebug_info";
    return (section.flags & SHF_EXECINSTR) != 0;
  });
}

// Picks the file with .symtab and the file that programs map from candidates met in order.
class SymbolFiles {
 public:
  explicit SymbolFiles(const BuildId& wanted) : wanted_(wanted) {}

  bool complete() const { return symbols_ && (runtime_ || symbols_->has_dynsym()); }

  MissReason offer(const SymbolCandidate& candidate, std::optional<u32> crc) {
    if (complete()) return MissReason::NotNeeded;
    OpenedFile opened = open_candidate(candidate.path);
    if (!opened.file) return opened.miss;
    ElfFile& file = *opened.file;
    if (const MissReason miss = verify(file, wanted_, crc); miss != MissReason::None) return miss;
    const bool mapped = file.has_dynsym();
    if (!symbols_ && file.has_symtab()) {
      symbols_ = std::move(file);
      return MissReason::None;
    }
    if (!runtime_ && mapped) {
      runtime_ = std::move(file);
      return MissReason::None;
    }
    return symbols_ ? MissReason::NotNeeded : MissReason::NoSymbols;
  }

  SymbolTable load() const {
    const ElfFile* runtime = runtime_ ? &*runtime_ : symbols_ ? &*symbols_ : nullptr;
    if (runtime == nullptr) return {};
    auto table = load_elf_symbols(symbols_ ? *symbols_ : *runtime, *runtime);
    return table ? std::move(*table) : SymbolTable();
  }

 private:
  BuildId wanted_;
  std::optional<ElfFile> symbols_;
  std::optional<ElfFile> runtime_;
};

}  // namespace

std::string_view describe(MissReason reason) {
  switch (reason) {
    case MissReason::None:
      return "used";
    case MissReason::Absent:
      return "no such file";
    case MissReason::Denied:
      return "permission denied";
    case MissReason::NotRegular:
      return "not a regular file";
    case MissReason::NotElf:
      return "not an ELF file";
    case MissReason::BuildIdMismatch:
      return "build-id differs";
    case MissReason::CrcMismatch:
      return "checksum differs from the debug link's";
    case MissReason::NoSymbols:
      return "no symbols in it";
    case MissReason::NotNeeded:
      return "not needed";
  }
  return "";
}

std::string build_id_cache_path(const std::string& cache_folder, const BuildId& id, std::string_view leaf) {
  const std::string hex = id.hex();
  std::string path = cache_folder + "/.build-id/" + hex.substr(0, 2) + "/" + (hex.size() > 2 ? hex.substr(2) : "");
  if (!leaf.empty()) path.append("/").append(leaf);
  return path;
}

std::vector<SymbolCandidate> symbol_candidates(const std::string& path, const BuildId& recorded,
                                               const DebugSearch& search) {
  std::vector<SymbolCandidate> candidates;
  const bool has_path = path.starts_with('/');
  const std::string before = search.symfs + search.root;
  const std::string dso = before + path;
  const std::string debug = before + search.debug_folder;
  const auto [folder, file] = split_path(path);

  if (has_path) {
    const OpenedFile opened = open_candidate(dso);
    const auto link = opened.file ? opened.file->debug_link() : std::nullopt;
    if (link && is_plain_name(link->file_name)) {
      for (const std::string& place : {before + folder, before + folder + ".debug/", debug + folder})
        candidates.push_back({SourceKind::DebugLink, place + link->file_name, link->crc});
    }
  }
  if (recorded && !search.cache_folder.empty()) {
    const std::string entry = build_id_cache_path(search.cache_folder, recorded, "");
    if (is_folder(entry)) {
      candidates.push_back({SourceKind::BuildIdCache, entry + (is_vdso(path) ? "/vdso" : "/elf")});
      candidates.push_back({SourceKind::BuildIdCacheDebug, entry + "/debug"});
    } else {  // before linux-perf 4.6 the entry was a link to the file
      candidates.push_back({SourceKind::BuildIdCache, entry});
    }
  }
  if (has_path) {
    candidates.push_back({SourceKind::FedoraDebug, debug + path + ".debug"});
    candidates.push_back({SourceKind::UbuntuDebug, debug + path});
  }
  if (recorded && recorded.size > 1)
    candidates.push_back({SourceKind::BuildIdDebug, build_id_cache_path(debug, recorded, "") + ".debug"});
  if (has_path) {
    candidates.push_back({SourceKind::Dso, dso});
    candidates.push_back({SourceKind::OpenEmbeddedDebug, before + folder + ".debug/" + file});
    if (path.starts_with("/usr/lib/"))
      candidates.push_back({SourceKind::MixedUpUbuntuDebug, debug + path.substr(std::string_view("/usr").size())});
  }
  return candidates;
}

DsoSymbols load_dso_symbols(const std::string& path, const BuildId& recorded, const DebugSearch& search) {
  const BuildId wanted = wanted_build_id(path, recorded, search);
  DsoSymbols result;
  SymbolFiles files(search.ignore_build_id ? BuildId() : wanted);
  for (SymbolCandidate& candidate : symbol_candidates(path, wanted, search)) {
    if (files.complete()) break;
    const MissReason miss = files.offer(candidate, candidate.crc);
    result.tried.push_back({candidate.kind, std::move(candidate.path), miss});
  }
  result.table = files.load();
  return result;
}

Result<ElfFile> find_dso_file(const std::string& path, const BuildId& recorded, const DebugSearch& search,
                              DsoPart part) {
  const BuildId wanted = wanted_build_id(path, recorded, search);
  std::string missed;
  for (const SymbolCandidate& candidate : symbol_candidates(path, wanted, search)) {
    OpenedFile opened = open_candidate(candidate.path);
    MissReason miss = opened.miss;
    if (opened.file) miss = verify(*opened.file, search.ignore_build_id ? BuildId() : wanted, candidate.crc);
    if (miss == MissReason::None && has(*opened.file, part)) return std::move(*opened.file);
    if (miss == MissReason::Absent) continue;
    const std::string_view why = miss != MissReason::None ? describe(miss)
                                 : part == DsoPart::Code  ? "no code in it"
                                                          : "no debug information in it";
    fmt::format_to(std::back_inserter(missed), "{}{}: {}", missed.empty() ? "" : "; ", candidate.path, why);
  }
  if (missed.empty()) missed = describe(MissReason::Absent);
  return fail(ErrorKind::NotFound, "{}: {}", path, missed);
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
  if (kernel && !search.cache_folder.empty())
    candidates.push_back({SourceKind::BuildIdCache, build_id_cache_path(search.cache_folder, kernel, "elf")});
  for (std::string& path : vmlinux_candidates(release, search.symfs))
    candidates.push_back({SourceKind::Vmlinux, std::move(path)});
  KernelImage result;
  for (SymbolCandidate& candidate : candidates) {
    OpenedFile opened = open_candidate(candidate.path);
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
