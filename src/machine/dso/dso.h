// Dso: one thing that code was mapped from: a file, the kernel, a module, the vdso, a BPF program, a JIT's memory.
//
// Machine::apply makes dsos; they live in a DsoTable and never move. Symbols are loaded at the first question for one,
// once, from whichever thread asks first; all else is written only while side-band is applied.
#pragma once
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/build_id.h"
#include "machine/dso/kept_files.h"
#include "machine/process/moment.h"
#include "symbol/jit/run_time_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/table/demangle.h"
#include "symbol/table/symbol_table.h"
#include "sys/root.h"

namespace peregrine {

enum class DsoKind : u8 {
  File,       // a path
  Kernel,     // [kernel.kallsyms]
  Module,     // [xfs]
  Generated,  // named by a KSYMBOL record: a BPF program or a trampoline; its one symbol covers all of it
  Vdso,       // [vdso], and [vdso32] of 32-bit programs
  Anonymous,  // executable memory without a file: /tmp/perf-PID.map may name its symbols
  JitDump,    // a jit-PID.dump: code that a JIT compiler dumped, at its places in the dump (JitCode)
  Guest,      // the kernel of a guest, or a module of it: GuestKernels
  NoSymbols,  // [heap], [stack], [vsyscall], memory that is not executable
};

// What tells two files of one path apart; all zero when not recorded.
struct FileIdentity {
  u32 major = 0, minor = 0;
  u64 inode = 0, generation = 0;
  bool known() const { return inode != 0; }
  // Maps read from /proc when recording began have no generation: 0 agrees with any.
  bool agrees(const FileIdentity& other) const {
    return major == other.major && minor == other.minor && inode == other.inode &&
           (generation == 0 || other.generation == 0 || generation == other.generation);
  }
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

class KernelSymbols;

struct Dso {
  DsoKind kind = DsoKind::File;
  std::string name;        // what script prints: the whole path, "[kernel.kallsyms]", "[xfs]", "/tmp/perf-7.map"
  std::string short_name;  // what report prints: the last part of the path, "[xfs]", "[JIT] tid 7"
  std::string path;        // the file to open, as the recorded machine named it (of a module: its .ko, if recorded)
  BuildId build_id;        // as recorded; empty when it was not
  FileIdentity identity;
  u64 start = 0, size = 0;  // Generated: where its code lies; Module: where its memory is, size 0: not known
  u32 pid = 0;              // Anonymous: whose perf map; File: a process that mapped it

  bool is_kernel() const { return kind == DsoKind::Kernel || kind == DsoKind::Module || kind == DsoKind::Generated; }
};

// Copies of what the kernels of guests say of themselves.
struct GuestPlaces {
  std::string kallsyms, modules, vmlinux;  // of the one guest
  std::string mount;                       // a folder PID for each guest: its root
};

// How and where symbols are looked for; cmd fills it from options and environment.
// The copy of the kernel that a recording brings along, as open files: borrowed, -1 where it has none.
struct RecordedKernel {
  int kallsyms = -1, kcore = -1;
  std::string folder;  // where they were opened, with a slash
};

struct SymbolPlaces {
  DebugSearch search;    // --symfs, the build-id cache
  std::string kallsyms;  // -k FILE, --kallsyms FILE; empty: by the recorded build-id, or the live list
  std::string vmlinux;   // -k FILE for an image
  RecordedKernel recorded_kernel;
  GuestPlaces guests;
  std::string live_kallsyms = "/proc/kallsyms";
  std::string live_modules = "/proc/modules";
  std::string live_notes = "/sys/kernel/notes";
  std::string live_core = "/proc/kcore";
  std::string own_cache_folder;  // where parsed kallsyms are kept; empty: nowhere
  KeptFiles kept;                // what was learnt of other files
  Root live_root;                // whose /proc the processes of the recording, and their containers, may still be in
  std::string perf_map_folder = "/tmp";
  std::string kernel_release;        // of the recording; for vmlinux
  bool load = true;                  // false: every symbol stays unknown
  bool check_perf_map_owner = true;  // -f switches it off
  bool demangle = true;
  bool demangle_kernel = false;
  DemangleDetail demangle_detail = DemangleDetail::Name;

  // Who must own files that programs write about themselves, besides root; nothing: anybody.
  FileOwners run_time_file_owners(u32 pid) const;
};

// The dsos of one machine, by id. Not thread safe but for symbols().
class DsoTable {
 public:
  explicit DsoTable(SymbolPlaces places);
  ~DsoTable();
  DsoTable(const DsoTable&) = delete;
  DsoTable& operator=(const DsoTable&) = delete;

  std::size_t size() const { return entries_.size(); }
  const Dso& at(DsoId id) const { return entries_[id.value].dso; }
  Dso& at(DsoId id) { return entries_[id.value].dso; }
  // The dso of that name and identity, added if it is new. One added without identity takes that of its first map.
  DsoId find_or_add(DsoKind kind, std::string_view name, const FileIdentity& identity = {});
  DsoId add(Dso dso);
  // The first one of that name; invalid when there is none.
  DsoId find(std::string_view name) const;
  void set_build_id(DsoId id, const BuildId& build_id) { at(id).build_id = build_id; }
  // Which one is the kernel itself: its build-id tells whose kallsyms may be used.
  void set_kernel(DsoId id) { kernel_id_ = id; }
  DsoId kernel() const { return kernel_id_; }

  // Symbols that came with the side-band. Before anybody asks for them.
  void set_symbols(DsoId id, SymbolTable table, SymbolSource source);
  // Loaded at the first call. Thread safe. Kernel tables may be of another boot: add bias() to an address to look it
  // up.
  const SymbolTable& symbols(DsoId id) const;
  u64 bias(DsoId id) const { return entries_[id.value].bias; }
  // Where symbols were looked for; valid after symbols(). For "no symbols found" hints.
  const std::vector<SymbolSource>& tried(DsoId id) const { return entries_[id.value].tried; }
  // The files with symbols, code or source lines that the machine failed to read so far.
  std::vector<ReadFailure> unreadable_files() const;
  bool symbols_were_loaded(DsoId id) const { return entries_[id.value].loaded; }
  // The name people read: demangled as `places` wants. Costs a demangling each time: keep the result.
  std::string symbol_name(DsoId id, SymbolIndex symbol) const;

  // The file with the dso's instructions and unwind tables, and the one with its debug information: of the recorded
  // build, opened anew at each call. NotFound says where it was looked for; Unsupported: this kind has no file.
  Result<ElfFile> open_code(DsoId id) const { return open_part(id, DsoPart::Code); }
  Result<ElfFile> open_debug(DsoId id) const { return open_part(id, DsoPart::DebugInfo); }

  // What must be added to one of the dso's addresses to get the virtual one in a file of open_code() or open_debug();
  // for the kernel, its modules and what has no segments. Of user files ElfFile::virtual_address() tells.
  u64 image_bias(DsoId id, const ElfFile& image) const;

  const SymbolPlaces& places() const { return places_; }
  // The address of _text (or _stext) when the recording was made; 0: unknown. Before any symbol is asked for.
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
  };
  void load(const Entry& entry) const;
  void load_file(const Entry& entry) const;
  void load_module(const Entry& entry) const;
  static bool is_where_it_lay(const SymbolTable& table, const Dso& dso);
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
  std::unique_ptr<KernelSymbols> kernel_;
  DsoId kernel_id_;
};

}  // namespace peregrine
