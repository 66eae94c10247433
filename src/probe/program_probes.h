// Probes in a program or library, or in a kernel with debug information: from a definition to the lines of
// uprobe_events or kprobe_events that create it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "probe/argument/fetch.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/point/point_finder.h"
#include "symbol/cfi/cfi_table.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/elf/elf_file.h"
#include "symbol/lookup/debug_file.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// A program with its symbols and debug information, each read on first use.
class ProbeProgram {
 public:
  // `path` is the absolute path without links that the kernel gets; it is read at `search.root` + path if `root` is
  // set.
  static Result<std::unique_ptr<ProbeProgram>> open(const std::string& path, const DebugSearch& search);
  // A kernel image or module file that contains debug information. `module`: empty for the kernel.
  static Result<std::unique_ptr<ProbeProgram>> open_kernel(ElfFile file, const std::string& module);

  const std::string& path() const { return path_; }  // for the kernel, the module's name
  bool is_kernel() const { return is_kernel_; }
  const ElfFile& file() const { return file_; }
  // nullptr if unavailable; no_information() lists the places searched.
  const DebugInformation* information();
  const Error& no_information() const { return no_information_; }
  const CfiTable& frames();
  const SymbolTable& symbols();

 private:
  ProbeProgram(std::string path, ElfFile file, const DebugSearch& search)
      : path_(std::move(path)), file_(std::move(file)), search_(search) {}

  std::string path_;
  ElfFile file_;
  DebugSearch search_;
  bool is_kernel_ = false;
  bool information_asked_ = false, symbols_asked_ = false;
  std::unique_ptr<DebugInformation> information_;
  Error no_information_;
  std::optional<CfiTable> frames_;
  SymbolTable symbols_;
};

struct ProbeWishes {
  PointOptions points;
  FetchAbilities abilities;
  std::string source_folder;
};

// The result of one definition. `notes` are for the user: places left out, prologues skipped.
struct MadeProbes {
  std::vector<TraceProbe> probes;
  std::vector<std::string> notes;
};
Result<MadeProbes> make_program_probes(const ProbeDefinition& definition, ProbeProgram& program,
                                       const ProbeWishes& wishes);

// The name in debug information for the function of this symbol: malloc is __libc_malloc there. Empty if unknown.
std::string debug_name(const ElfFile& file, const DebugInformation& information, std::string_view symbol);

// "probe_libc" for /usr/lib/libc.so.6, "probe" for the kernel.
std::string default_group(std::string_view path);
// The event name if the user gave none.
std::string default_event(const ProbePlace& place, std::string_view function);
// The given event name, with __return appended for a return probe as in linux-perf, or the default.
std::string event_name_of(const ProbeDefinition& definition, std::string_view function);

}  // namespace peregrine
