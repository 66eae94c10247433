// Where the symbols of a dso may lie, in linux-perf's order, and which file was taken or why not.
//
// The machine room names the dso as programs map it, its recorded build-id, and the places to look at; this opens the
// candidates one by one, and never takes a file whose build-id differs from the recorded one. Every candidate leaves a
// line in `tried`, so that a missing symbol can be explained.
#pragma once
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

enum class ServerFile { Executable, DebugInfo };

struct DebugSearch {
  std::string symfs;          // --symfs: put before paths of dsos and of /usr/lib/debug
  bool flat = false;          // --symfs DIR,flat: all binaries lie in that one folder
  std::string root;           // /proc/PID/root or empty: put before the dso's path if it is there
  std::string cache_folder;   // the build-id cache, linux-perf's ~/.debug; empty for none
  std::string bundle_folder;  // the same, of the archive that the recording came with; empty for none
  std::string debug_folder = "/usr/lib/debug";
  bool ignore_build_id = false;
  bool stripped_functions = false;  // without .symtab, functions are found by unwind tables: function_extent.h
  // Asked for after all of the above: the file as a living process sees it, and a server's copy. Empty: nobody to ask.
  std::function<std::vector<std::string>()> live;
  std::function<Result<std::string>(const BuildId&, ServerFile)> fetch;  // the path of the local copy
  ReadFailures* failures = nullptr;  // told which files the machine fails to read; outlives the files found

  // Where below `symfs` a dso that programs map as `path` lies.
  std::string below(const std::string& path) const {
    const std::size_t name = path.rfind('/');
    return flat && name != std::string::npos ? path.substr(name) : path;
  }
};

// One place to look at.
struct SymbolCandidate {
  SourceKind kind;
  std::string path;
  std::optional<u32> crc = {};         // of the file that a debug link means
  MissReason miss = MissReason::None;  // why there is no use in opening it
};
// The places for a dso mapped as `mapped`, in order. A debug link is read from the dso itself when that can be opened;
// if the machine fails to read it, the dso comes first as an Unreadable one.
std::vector<SymbolCandidate> symbol_candidates(const std::string& mapped, const BuildId& recorded,
                                               const DebugSearch& search);

// What was met at one of them.
struct OpenedFile {
  std::optional<ElfFile> file;
  MissReason miss = MissReason::None;
  int error = 0;  // errno
};
// Only regular files are opened; compressed ones and members of zip archives are unpacked (stored_elf.h).
OpenedFile open_candidate(const std::string& path, ReadFailures* failures = nullptr);
// Whether it is of the wanted build, or what the debug link meant where there are no build-ids.
MissReason verify_build(const ElfFile& file, const BuildId& wanted, std::optional<u32> crc);

// Visits the candidates in order, then what living processes see, then `servers`' copies, until the visitor has enough.
// `miss`: why a server has nothing to open.
enum class Search { Continue, NoServers, Enough };
using CandidateVisitor = std::function<Search(const SymbolCandidate&, MissReason miss)>;
void for_each_candidate(const std::string& path, const BuildId& wanted, const DebugSearch& search,
                        std::initializer_list<ServerFile> servers, const CandidateVisitor& visit);
struct WantedBuild {
  BuildId id;
  MissReason miss = MissReason::None;  // Unreadable: the machine failed to read the id
};
// The recorded build-id; of an old recording the file's own, which leads to its debug file.
WantedBuild wanted_build(const std::string& path, const BuildId& recorded, const DebugSearch& search);

enum class DsoPart {
  Code,       // instructions, constants and unwind tables, as programs map them
  DebugInfo,  // .debug_info and what belongs to it
};
bool has_part(const ElfFile& file, DsoPart part);
// The first of the candidates that has that part. NotFound names those that were there and why they were not taken.
Result<ElfFile> find_dso_file(const std::string& path, const BuildId& recorded, const DebugSearch& search,
                              DsoPart part);

// vmlinux of that kernel: the build-id cache, then the places linux-perf tries, in its order; taken only when its
// build-id is `kernel`.
std::vector<std::string> vmlinux_candidates(const std::string& release, const std::string& symfs);
struct KernelImage {
  std::optional<ElfFile> file;
  std::vector<SymbolSource> tried;
};
KernelImage find_vmlinux(const std::string& release, const BuildId& kernel, const DebugSearch& search);

// Paths inside linux-perf's build-id cache. Only hex digits and a fixed leaf go into them.
std::string build_id_cache_path(const std::string& cache_folder, const BuildId& id, std::string_view leaf);

}  // namespace peregrine
