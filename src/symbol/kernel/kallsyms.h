// Kallsyms: the running kernel's symbols and modules, from /proc/kallsyms or a saved copy.
//
// Parsed from text (parse_kallsyms) or loaded from our cache file (KallsymsCache), since the kernel takes some 36 ms to
// print the text. Omits transient symbols (BPF programs, trampolines), which KSYMBOL records name. All addresses are
// absolute. Immutable after parsing.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "symbol/table/symbol_table.h"

namespace peregrine {

// One line of /proc/modules.
struct ModuleRange {
  std::string name;  // without brackets, '-' as '_'
  u64 start = 0;
  u64 size = 0;
};
// Skips lines that do not parse. Addresses are 0 if the kernel hides them.
std::vector<ModuleRange> parse_modules(std::string_view text);

struct ModuleSymbols {
  std::string name;  // with brackets, like dso names: "[ext4]"
  u64 start = 0;     // lowest and highest address of its symbols
  u64 end = 0;
  SymbolTable table;
};

struct Kallsyms {
  SymbolTable kernel;
  std::vector<ModuleSymbols> modules;  // sorted by name
  u64 text = 0;                        // address of _text; 0 if absent
  u64 stext = 0;
  u64 etext = 0;
  bool hidden = false;  // kptr_restrict: every address is zero, so there are no symbols

  // The reference symbol linux-perf puts into the kernel map's name: "_text", else "_stext"; empty if neither exists.
  std::string_view reference_name() const { return text != 0 ? "_text" : stext != 0 ? "_stext" : ""; }
  u64 reference() const { return text != 0 ? text : stext; }
  const ModuleSymbols* find_module(std::string_view bracketed_name) const;
};

// Never fails: lines other than "hex type name [module]" are skipped.
Kallsyms parse_kallsyms(std::string_view text);
Result<Kallsyms> load_kallsyms(const std::string& path);
// Reads an open regular file; errors call it `name`.
Result<Kallsyms> load_kallsyms(int fd, const std::string& name);

// Reads only _text, _stext and _etext, stopping at _text: a few kB in practice. The recorder names the kernel map after
// it, and KallsymsCache uses it as a key.
struct KernelReference {
  u64 text = 0;
  u64 stext = 0;
  bool hidden = false;
  std::string_view name() const { return text != 0 ? "_text" : stext != 0 ? "_stext" : ""; }
  u64 address() const { return text != 0 ? text : stext; }
};
Result<KernelReference> read_kernel_reference(const std::string& kallsyms_path);

}  // namespace peregrine
