// Finds the file with a dso's symbols: tries candidates in linux-perf's order and reports which was taken, and why the
// others were not.
//
// The machine room supplies the mapped path, the recorded build-id and the places to search. A file whose build-id
// differs from the recorded one is never taken. Each candidate adds an entry to `tried`, so that a missing symbol can
// be explained.
#pragma once
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

enum class ServerFile { Executable, DebugInfo };

struct DebugSearch {
  std::string symfs;          // --symfs: prefix for the paths of dsos and of /usr/lib/debug
  bool flat = false;          // --symfs DIR,flat: DIR contains all binaries directly
  std::string root;           // /proc/PID/root or empty: prefix for the dso's path if it exists there
  std::string cache_folder;   // the build-id cache, linux-perf's ~/.debug; empty if none
  std::string bundle_folder;  // the same, in the recording's archive; empty if none
  std::string debug_folder = "/usr/lib/debug";
  bool ignore_build_id = false;
  bool stripped_functions = false;  // without .symtab, find functions by unwind tables: function_extent.h
  // Tried last: the file as a living process sees it, and a server's copy. Empty: not available.
  std::function<std::vector<std::string>()> live;
  std::function<Result<std::string>(const BuildId&, ServerFile)> fetch;  // returns the path of the local copy
  ReadFailures* failures = nullptr;  // collects unreadable files; must outlive the files found

  // The path below `symfs` of a dso mapped as `path`.
  std::string below(const std::string& path) const {
    const std::size_t name = path.rfind('/');
    return flat && name != std::string::npos ? path.substr(name) : path;
  }
};

// One place to try.
struct SymbolCandidate {
  SourceKind kind;
  std::string path;
  std::optional<u32> crc = {};         // the checksum a debug link requires
  MissReason miss = MissReason::None;  // why it need not be opened
};
// The places to try for a dso mapped as `mapped`, in order. Reads debug links from the dso if it can be opened; if that
// read fails, the dso comes first, marked Unreadable.
std::vector<SymbolCandidate> symbol_candidates(const std::string& mapped, const BuildId& recorded,
                                               const DebugSearch& search);

// The result of opening a candidate.
struct OpenedFile {
  std::optional<ElfFile> file;
  MissReason miss = MissReason::None;
  int error = 0;  // errno
};
// Opens only regular files; decompresses, and extracts members of zip archives (stored_elf.h).
OpenedFile open_candidate(const std::string& path, ReadFailures* failures = nullptr);
// Checks the build-id, or the debug link's checksum if there are no build-ids.
MissReason verify_build(const ElfFile& file, const BuildId& wanted, std::optional<u32> crc);

// Visits the candidates in order, then files of living processes, then server copies, until the visitor returns Enough.
// `miss`: why a server has no file.
enum class Search { Continue, NoServers, Enough };
using CandidateVisitor = std::function<Search(const SymbolCandidate&, MissReason miss)>;
void for_each_candidate(const std::string& path, const BuildId& wanted, const DebugSearch& search,
                        std::initializer_list<ServerFile> servers, const CandidateVisitor& visit);
struct WantedBuild {
  BuildId id;
  MissReason miss = MissReason::None;  // Unreadable: reading the id failed
};
// The recorded build-id; for old recordings the file's own, which leads to its debug file.
WantedBuild wanted_build(const std::string& path, const BuildId& recorded, const DebugSearch& search);

enum class DsoPart {
  Code,       // instructions, constants and unwind tables, as programs map them
  DebugInfo,  // .debug_info and related sections
};
bool has_part(const ElfFile& file, DsoPart part);
// The first candidate that has `part`. NotFound lists the existing candidates and why they were rejected.
Result<ElfFile> find_dso_file(const std::string& path, const BuildId& recorded, const DebugSearch& search,
                              DsoPart part);

// vmlinux of that kernel: from the build-id cache, then from the places linux-perf tries, in its order. Accepted only
// if its build-id is `kernel`.
std::vector<std::string> vmlinux_candidates(const std::string& release, const std::string& symfs);
struct KernelImage {
  std::optional<ElfFile> file;
  std::vector<SymbolSource> tried;
};
KernelImage find_vmlinux(const std::string& release, const BuildId& kernel, const DebugSearch& search);

// Paths in linux-perf's build-id cache; built only from hex digits and a fixed leaf.
std::string build_id_cache_path(const std::string& cache_folder, const BuildId& id, std::string_view leaf);

}  // namespace peregrine
