#include "symbol/debug_file.h"

#include <sys/stat.h>

#include <cerrno>

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
    const BuildId id = file.build_id();
    if (wanted_ && !id.matches(wanted_)) return MissReason::BuildIdMismatch;
    if (!wanted_ && crc && file.crc().value_or(~*crc) != *crc) return MissReason::CrcMismatch;
    const bool mapped = file.has_dynsym();
    if (!symbols_ && file.has_symtab()) {
      symbols_ = std::move(file);
      return MissReason::None;
    }
    if (!runtime_ && mapped) {
      runtime_ = std::move(file);
      return MissReason::None;
    }
    if (!spare_ && candidate.kind == SourceKind::Dso) spare_ = std::move(file);
    return symbols_ ? MissReason::NotNeeded : MissReason::NoSymbols;
  }

  void finish(DsoSymbols& result) {
    const ElfFile* runtime = runtime_ ? &*runtime_ : symbols_ ? &*symbols_ : nullptr;
    const ElfFile* symbols = symbols_ ? &*symbols_ : runtime;
    if (symbols != nullptr) {
      if (auto table = load_elf_symbols(*symbols, *runtime)) result.table = std::move(*table);
    }
    if (runtime_ && symbols_) {
      result.debug = std::move(symbols_);
      result.runtime = std::move(runtime_);
    } else {
      result.runtime = runtime_ ? std::move(runtime_) : symbols_ ? std::move(symbols_) : std::move(spare_);
    }
  }

 private:
  BuildId wanted_;
  std::optional<ElfFile> symbols_;
  std::optional<ElfFile> runtime_;
  std::optional<ElfFile> spare_;  // the dso itself though it names nothing: still good for unwinding
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
  BuildId wanted = recorded;
  if (!wanted && path.starts_with('/')) {  // an old recording: the file's own id leads to its debug file
    const OpenedFile opened = open_candidate(search.symfs + search.root + path);
    if (opened.file) wanted = opened.file->build_id();
  }
  DsoSymbols result;
  SymbolFiles files(search.ignore_build_id ? BuildId() : wanted);
  for (SymbolCandidate& candidate : symbol_candidates(path, wanted, search)) {
    if (files.complete()) break;
    const MissReason miss = files.offer(candidate, candidate.crc);
    result.tried.push_back({candidate.kind, std::move(candidate.path), miss});
  }
  files.finish(result);
  return result;
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
