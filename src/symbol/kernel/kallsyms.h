// Kallsyms: what the running kernel says of its own addresses, from /proc/kallsyms or a saved copy.
//
// Filled from text (parse_kallsyms) or from a cache file of our own (KallsymsCache), since the kernel takes some 36 ms
// to print the text. Symbols that come and go by themselves (BPF programs, trampolines) are left out: KSYMBOL records
// name those. All addresses are absolute. Immutable after parsing.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/build_id.h"
#include "base/result.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// One line of /proc/modules.
struct ModuleRange {
  std::string name;  // without brackets, '-' as '_'
  u64 start = 0;
  u64 size = 0;
};
// Lines that cannot be understood are skipped; addresses are 0 when the kernel hides them.
std::vector<ModuleRange> parse_modules(std::string_view text);

struct ModuleSymbols {
  std::string name;  // with brackets, as dsos are named: "[ext4]"
  u64 start = 0;     // lowest and highest address of its symbols
  u64 end = 0;
  SymbolTable table;
};

struct Kallsyms {
  SymbolTable kernel;
  std::vector<ModuleSymbols> modules;  // in order of name
  u64 text = 0;                        // _text; 0 when the list has none
  u64 stext = 0;
  u64 etext = 0;
  bool hidden = false;  // kptr_restrict: every address is zero, so there are no symbols

  // The reference symbol linux-perf puts in the kernel's map name: "_text", else "_stext"; empty when neither is there.
  std::string_view reference_name() const { return text != 0 ? "_text" : stext != 0 ? "_stext" : ""; }
  u64 reference() const { return text != 0 ? text : stext; }
  const ModuleSymbols* find_module(std::string_view bracketed_name) const;
};

// Never fails: lines that are not "hex type name [module]" are skipped.
Kallsyms parse_kallsyms(std::string_view text);
Result<Kallsyms> load_kallsyms(const std::string& path);
// Of an open regular file, which errors call `name`.
Result<Kallsyms> load_kallsyms(int fd, const std::string& name);

// _text, _stext and _etext only (as far as they are met early): reads until _text, a few kB in practice.
// For the recorder, which names the kernel map by it, and for KallsymsCache's key.
struct KernelReference {
  u64 text = 0;
  u64 stext = 0;
  bool hidden = false;
  std::string_view name() const { return text != 0 ? "_text" : stext != 0 ? "_stext" : ""; }
  u64 address() const { return text != 0 ? text : stext; }
};
Result<KernelReference> read_kernel_reference(const std::string& kallsyms_path);

}  // namespace peregrine
