// Where the symbols of a dso may lie, in linux-perf's order, and which file was taken or why not.
//
// The machine room names the dso as programs map it, its recorded build-id, and the places to look at; this opens the
// candidates one by one, and never takes a file whose build-id differs from the recorded one. Every candidate leaves a
// line in `tried`, so that a missing symbol can be explained.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "base/build_id.h"
#include "symbol/elf_file.h"

namespace peregrine {

enum class SourceKind {
  DebugLink,           // what .gnu_debuglink names: beside the dso, in .debug/, below /usr/lib/debug
  BuildIdCache,        // ~/.debug/.build-id/xx/yyyy…/elf (or …/vdso; from old versions a link to the file itself)
  BuildIdCacheDebug,   // ~/.debug/.build-id/xx/yyyy…/debug
  FedoraDebug,         // /usr/lib/debug/PATH.debug
  UbuntuDebug,         // /usr/lib/debug/PATH
  BuildIdDebug,        // /usr/lib/debug/.build-id/xx/yyyy….debug
  Dso,                 // the mapped file itself
  OpenEmbeddedDebug,   // DIR/.debug/FILE
  MixedUpUbuntuDebug,  // /usr/lib/debug/lib/X for /usr/lib/X
  Vmlinux,             // a kernel image
  Kallsyms,            // the kernel's own list, live or saved
  PerfMap,             // /tmp/perf-PID.map
  JitDump,             // jit-PID.dump, as the program has mapped it
};

enum class MissReason {
  None,  // it was taken
  Absent,
  Denied,
  NotRegular,
  NotElf,
  BuildIdMismatch,  // the file has another build-id, or none, than the recording says
  CrcMismatch,      // the debug file is not the one its .gnu_debuglink means
  NoSymbols,        // neither .symtab nor .dynsym: stripped
  NotNeeded,        // an earlier candidate had all that is wanted
};
// A few words for people: "build-id differs", "no such file".
std::string_view describe(MissReason reason);

struct SymbolSource {
  SourceKind kind = SourceKind::Dso;
  std::string path;
  MissReason miss = MissReason::None;
};

struct DebugSearch {
  std::string symfs;         // --symfs: put before paths of dsos and of /usr/lib/debug
  std::string root;          // /proc/PID/root or empty: put before the dso's path if it is there
  std::string cache_folder;  // the build-id cache, linux-perf's ~/.debug; empty for none
  std::string debug_folder = "/usr/lib/debug";
  bool ignore_build_id = false;
};

// One place to look at.
struct SymbolCandidate {
  SourceKind kind;
  std::string path;
  std::optional<u32> crc = {};  // of the file that a debug link means
};
// The places for a dso mapped as `path`, in order. A debug link is read from the dso itself when that can be opened.
std::vector<SymbolCandidate> symbol_candidates(const std::string& path, const BuildId& recorded,
                                               const DebugSearch& search);

struct DsoSymbols {
  SymbolTable table;
  std::vector<SymbolSource> tried;  // in order; those taken have MissReason::None
  bool found() const { return !table.empty(); }
};
DsoSymbols load_dso_symbols(const std::string& path, const BuildId& recorded, const DebugSearch& search);

enum class DsoPart {
  Code,       // instructions, constants and unwind tables, as programs map them
  DebugInfo,  // .debug_info and what belongs to it
};
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
