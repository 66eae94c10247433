// Dso: a source of mapped code: a file, the kernel, a module, the vdso, a BPF program, or a JIT's memory.
//
// Machine::apply creates dsos; they are stored in a DsoTable and never move. Symbols are loaded once, on the first
// query, by whichever thread needs them first. Everything else is written only while side-band is applied.
#pragma once
#include <atomic>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/build_id.h"
#include "base/file/read_failures.h"
#include "base/judged_file.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/kept_files.h"
#include "machine/process/moment.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/lookup/symbol_source.h"
#include "symbol/table/demangle.h"
#include "symbol/table/symbol_table.h"
#include "sys/root.h"

namespace peregrine {

enum class DsoKind : u8 {
  File,       // a path
  Kernel,     // [kernel.kallsyms]
  Module,     // [xfs]
  Generated,  // named by a KSYMBOL record: a BPF program or trampoline; a single symbol covers it
  Vdso,       // [vdso], or [vdso32] for 32-bit programs
  Anonymous,  // executable memory without a file; /tmp/perf-PID.map may name its symbols
  JitDump,    // a jit-PID.dump with code of a JIT compiler; addresses are offsets in the dump (JitCode)
  Guest,      // a guest's kernel or one of its modules: GuestKernels
  NoSymbols,  // [heap], [stack], [vsyscall], non-executable memory
};

// Distinguishes files with the same path; all zero if not recorded.
struct FileIdentity {
  u32 major = 0, minor = 0;
  u64 inode = 0, generation = 0;
  bool known() const { return inode != 0; }
  // Maps read from /proc at the start have no generation: 0 agrees with any.
  bool agrees(const FileIdentity& other) const {
    return major == other.major && minor == other.minor && inode == other.inode &&
           (generation == 0 || other.generation == 0 || generation == other.generation);
  }
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class KernelSymbols;

struct Dso {
  DsoKind kind = DsoKind::File;
  std::string name;        // as in script: the whole path, "[kernel.kallsyms]", "[xfs]", "/tmp/perf-7.map"
  std::string short_name;  // as in report: the last part of the path, "[xfs]", "[JIT] tid 7"
  std::string path;        // the file's path on the recorded machine (of a module: its .ko, if recorded)
  BuildId build_id;        // empty if not recorded
  FileIdentity identity;
  u64 start = 0, size = 0;  // Generated: address of its code; Module: address of its memory, size 0 if unknown
  u32 pid = 0;              // Anonymous: the perf map's process; File: a process that mapped it

  bool is_kernel() const { return kind == DsoKind::Kernel || kind == DsoKind::Module || kind == DsoKind::Generated; }
};

// Copies of the symbol lists and images of guest kernels.
struct GuestPlaces {
  std::string kallsyms, modules, vmlinux;  // of a single guest
  std::string mount;                       // contains a folder PID with each guest's root
};

// The copy of the kernel in a recording, as borrowed open files; -1 if absent.
struct RecordedKernel {
  int kallsyms = -1, kcore = -1;
  std::string folder;  // folder that contains them, with a slash
};

// How and where to look for symbols; cmd fills it from options and the environment.
struct SymbolPlaces {
  DebugSearch search;    // --symfs, the build-id cache
  std::string kallsyms;  // -k FILE, --kallsyms FILE; if empty, found by the recorded build-id, or the live list
  std::string vmlinux;   // -k FILE if that is an image
  RecordedKernel recorded_kernel;
  GuestPlaces guests;
  std::string live_kallsyms = "/proc/kallsyms";
  std::string live_modules = "/proc/modules";
  std::string live_notes = "/sys/kernel/notes";
  std::string live_core = "/proc/kcore";
  std::string own_cache_folder;  // for parsed kallsyms; empty: no cache
  KeptFiles kept;                // data about other files, kept from earlier runs
  Root live_root;                // its /proc may still show the recording's processes and containers
  std::string perf_map_folder = "/tmp";
  std::string kernel_release;        // of the recording; to find vmlinux
  bool load = true;                  // false: all symbols stay unknown
  bool check_perf_map_owner = true;  // -f disables it
  bool demangle = true;
  bool demangle_kernel = false;
  DemangleDetail demangle_detail = DemangleDetail::Name;

  // The required owners of files that programs write about themselves, besides root; nothing: anybody.
  FileOwners run_time_file_owners(u32 pid) const;
};

// The dsos of one machine, by id. Only symbols() is thread safe.
class DsoTable {
 public:
  explicit DsoTable(SymbolPlaces places);
  ~DsoTable();
  DsoTable(const DsoTable&) = delete;
  DsoTable& operator=(const DsoTable&) = delete;

  std::size_t size() const { return entries_.size(); }
  const Dso& at(DsoId id) const { return entries_[id.value].dso; }
  Dso& at(DsoId id) { return entries_[id.value].dso; }
  // Returns the dso with this name and identity, adding it if it is new. A dso without an identity gets that of its
  // first map.
  DsoId find_or_add(DsoKind kind, std::string_view name, const FileIdentity& identity = {});
  DsoId add(Dso dso);
  // Returns the first dso with this name, or an invalid id.
  DsoId find(std::string_view name) const;
  void set_build_id(DsoId id, const BuildId& build_id) { at(id).build_id = build_id; }
  // Sets the dso of the kernel itself. Its build-id decides which kallsyms may be used.
  void set_kernel(DsoId id) { kernel_id_ = id; }
  DsoId kernel() const { return kernel_id_; }

  // Sets symbols from the side-band. Call this before any look-up.
  void set_symbols(DsoId id, SymbolTable table, SymbolSource source);
  // Loads the symbols on the first call. Thread safe. A kernel table may be from another boot: add bias() to an
  // address before looking it up.
  const SymbolTable& symbols(DsoId id) const;
  u64 bias(DsoId id) const { return entries_[id.value].bias; }
  // Where symbols were searched, for "no symbols found" hints. Valid after symbols().
  const std::vector<SymbolSource>& tried(DsoId id) const { return entries_[id.value].tried; }
  // Files with symbols, code or source lines that the machine has failed to read so far.
  std::vector<ReadFailure> unreadable_files() const;
  // Frees the symbols of files and of run-time code, except those of `used` dsos, by id. They are loaded again on
  // request; if the file is gone by then, the dso has no symbols. No other thread may use the table meanwhile.
  void release_symbols(const std::vector<bool>& used);
  // What release_symbols() frees if no dso is used.
  std::size_t releasable_bytes() const;
  // Whether the dso's symbols include this one; not if they were released and cannot be loaded again.
  bool has_symbol(DsoId id, SymbolIndex symbol) const { return symbol && symbol.value < symbols(id).size(); }
  bool symbols_were_loaded(DsoId id) const { return entries_[id.value].loaded; }
  // Returns the displayed name, demangled as configured in `places`, or an empty string without has_symbol(). Demangles
  // on every call, so keep the result.
  std::string symbol_name(DsoId id, SymbolIndex symbol) const;

  // Open the file with the dso's instructions and unwind tables, or with its debug information. The file has the
  // recorded build and is opened anew on each call. NotFound lists the searched places; Unsupported: this kind has no
  // file.
  Result<ElfFile> open_code(DsoId id) const { return open_part(id, DsoPart::Code); }
  Result<ElfFile> open_debug(DsoId id) const { return open_part(id, DsoPart::DebugInfo); }

  // Returns the offset from a dso address to the virtual address in a file of open_code() or open_debug(). For the
  // kernel, its modules and files without segments; user files have ElfFile::virtual_address().
  u64 image_bias(DsoId id, const ElfFile& image) const;

  const SymbolPlaces& places() const { return places_; }
  // Sets the address of _text (or _stext) at recording time; 0: unknown. Call this before any symbol look-up.
  void set_kernel_reference(std::string_view symbol, u64 address);

 private:
  struct Entry {
    Dso dso;
    mutable std::once_flag once;
    mutable SymbolTable own;
    mutable const SymbolTable* table = nullptr;  // `own`, or one of kernel_
    mutable u64 bias = 0;
    mutable std::vector<SymbolSource> tried;
    mutable std::atomic<bool> loaded = false;

    bool is_releasable() const {
      return loaded && table == &own && (dso.kind == DsoKind::File || dso.kind == DsoKind::Anonymous);
    }
  };
  void load_guarded(const Entry& entry) const;
  void load(const Entry& entry) const;
  void load_file(const Entry& entry) const;
  void load_module(const Entry& entry) const;
  static bool overlaps_recorded_range(const SymbolTable& table, const Dso& dso);
  void load_generated(const Entry& entry) const;
  void load_vdso(const Entry& entry) const;
  void load_perf_map(const Entry& entry) const;
  Result<ElfFile> open_part(DsoId id, DsoPart part) const;
  Result<ElfFile> open_vdso(const Dso& dso) const;
  std::optional<ElfFile> open_kept_vdso(const Dso& dso) const;
  Result<ElfFile> open_jitdump(const Dso& dso, const std::vector<SymbolSource>& tried) const;
  Result<ElfFile> open_module(const Dso& dso, DsoPart part) const;
  Result<ElfFile> open_kernel(const Dso& dso, DsoPart part) const;
  std::optional<ElfFile> from_server(const Dso& dso, DsoPart part) const;
  DebugSearch search_of(const Dso& dso) const;

  mutable ReadFailures failures_;
  SymbolPlaces places_;
  mutable std::mutex large_;
  std::deque<Entry> entries_;
  std::unordered_multimap<std::string_view, DsoId> by_name_;
  // A file that is rebuilt repeatedly appears as many dsos with one name, so those with an identity have a separate
  // index: each by its generation, and one of each inode by kAnyGeneration.
  struct FileKey {
    std::string_view name;
    FileIdentity identity;
    friend bool operator==(const FileKey&, const FileKey&) = default;
  };
  struct FileKeyHash {
    std::size_t operator()(const FileKey& key) const;
  };
  static constexpr u64 kAnyGeneration = ~u64{0};
  std::optional<DsoId> find_file(std::string_view name, const FileIdentity& identity) const;
  std::optional<DsoId> find_named(std::string_view name) const;
  std::optional<DsoId> take_unidentified(std::string_view name);
  bool is_of_file(DsoId id) const;
  void identify(DsoId id, const FileIdentity& identity);
  std::unordered_map<FileKey, DsoId, FileKeyHash> by_file_;
  std::unordered_multimap<std::string_view, DsoId> unidentified_;  // dsos of files, by name
  std::unique_ptr<KernelSymbols> kernel_;
  DsoId kernel_id_;
};

}  // namespace peregrine
