#include "session/build_id/kernel_listing.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <expected>
#include <string_view>

#include "base/build_id.h"
#include "base/text/counted.h"
#include "base/text/words.h"
#include "base/types.h"
#include "capture/synthesis/kernel.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/table/symbol_table.h"
#include "sys/kernel/host.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

void print_kernel_map(const BuildId& id, u64 start, u64 end, std::string_view name, Sink& out) {
  out.format("{:>40} {:16x} {:16x} {}\n", id.hex(), start, end, name);
}

// Returns the number of symbols printed. `module`, `place`: linux-perf's two names for the table.
u64 print_matching(const SymbolTable& table, std::string_view module, std::string_view place, const std::string& word,
                   Sink& out) {
  u64 found = 0;
  const auto print = [&](const Symbol& symbol) {
    out.format("{}: {} {} {:#x}-{:#x} ({:#x}-{:#x})\n", symbol.name, module, place, symbol.start, symbol.end,
               symbol.start, symbol.end);
    ++found;
  };
  if (word.find_first_of("*?[") == word.npos) {
    for (const Symbol& symbol : table.find_name(word)) print(symbol);
    return found;
  }
  for (u32 i = 0; i < table.size(); ++i) {
    const Symbol symbol = table.at(SymbolIndex(i));
    if (::fnmatch(word.c_str(), symbol.name.c_str(), 0) == 0) print(symbol);
  }
  return found;
}

}  // namespace

Result<> print_kernel_build_id(const Root& root, Sink& out) {
  const BuildId id = BuildId::from_bytes(kernel_build_id(root));
  if (id.empty()) return fail(ErrorKind::NotFound, "/sys/kernel/notes: no build-id");
  out.format("{}\n", id.hex());
  return {};
}

void print_kernel_maps(const Root& root, Sink& out) {
  if (const auto text = kernel_text(root))
    print_kernel_map(BuildId::from_bytes(kernel_build_id(root)), text->start, text->end, "[kernel.kallsyms]", out);
  for (const auto& module : kernel_modules(root))
    print_kernel_map(BuildId::from_bytes(module_build_id(root, module.name)), module.start, module.start + module.size,
                     fmt::format("[{}]", module.name), out);
}

Result<> print_kernel_symbols(const KernelSymbolRequest& request, const Root& root, Sink& out,
                              SessionListener& listener) {
  const auto symbols = load_kallsyms(root.path("/proc/kallsyms"));
  if (!symbols) return std::unexpected(symbols.error());
  if (symbols->hidden)
    return std::unexpected(Error{ErrorKind::Denied, "the kernel hides its addresses"}.with_hint(
        "run as root, or allow it with `sysctl kernel.kptr_restrict=0`"));
  if (request.verbose)
    listener.note(fmt::format("{} symbols of the kernel, {}", symbols->kernel.size(),
                              counted(symbols->modules.size(), "module")));
  for (const std::string& words : request.words) {
    for (const std::string& word : split_words(words)) {
      u64 found = print_matching(symbols->kernel, "[kernel]", "[kernel.kallsyms]", word, out);
      for (const ModuleSymbols& module : symbols->modules)
        found += print_matching(module.table, module.name, module.name, word, out);
      if (found == 0) out.format("{}: not found\n", word);
    }
  }
  return {};
}

}  // namespace peregrine
