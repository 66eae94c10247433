// kallsyms: where the running kernel has a symbol.
#include <fnmatch.h>

#include "base/text/counted.h"
#include "cmd/command_table.h"
#include "cmd/recording/recording.h"
#include "symbol/kernel/kallsyms.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

struct KallsymsOptions {
  int verbose = 0;
  std::string root;
};
constexpr Option kKallsymsOptions[] = {
    {.name = "verbose",
     .letter = 'v',
     .help = "print the number of symbols",
     .store = count<&KallsymsOptions::verbose>},
    {.name = "sysroot",
     .value = Value::Required,
     .metavar = "folder",
     .help = "folder with a copy of another machine's /proc",
     .store = set<&KallsymsOptions::root>,
     .since = Since::Ours},
};
constexpr std::string_view kKallsymsUsage[] = {"[<options>] symbol_name[,symbol_name...]"};
constexpr std::string_view kKallsymsExamples[] = {
    "perf kallsyms vfs_read|where the function starts and ends",
    "perf kallsyms 'tcp_send*'|all matching symbols",
};

// Every symbol that the word names, or whose name the glob matches.
u64 print_matching(const SymbolTable& table, std::string_view module, std::string_view place, const std::string& word,
                   Sink& out) {
  const bool glob = word.find_first_of("*?[") != word.npos;
  u64 found = 0;
  const auto print = [&](const Symbol& symbol) {
    out.format("{}: {} {} {:#x}-{:#x} ({:#x}-{:#x})\n", symbol.name, module, place, symbol.start, symbol.end,
               symbol.start, symbol.end);
    ++found;
  };
  if (!glob) {
    for (const Symbol& symbol : table.find_name(word)) print(symbol);
    return found;
  }
  for (u32 i = 0; i < table.size(); ++i) {
    const Symbol symbol = table.at(SymbolIndex(i));
    if (::fnmatch(word.c_str(), symbol.name.c_str(), 0) == 0) print(symbol);
  }
  return found;
}

Result<int> kallsyms(KallsymsOptions& options, Invocation& call) {
  if (call.words.empty()) return fail(ErrorKind::Usage, "which symbols?");
  const auto symbols = load_kallsyms(Root(options.root).path("/proc/kallsyms"));
  if (!symbols) return std::unexpected(symbols.error());
  if (symbols->hidden)
    return std::unexpected(Error{ErrorKind::Denied, "the kernel hides its addresses"}.with_hint(
        "run as root, or allow it with `sysctl kernel.kptr_restrict=0`"));
  if (options.verbose > 0)
    call.messages.note(fmt::format("{} symbols of the kernel, {}", symbols->kernel.size(),
                                   counted(symbols->modules.size(), "module")));
  for (const std::string& words : call.words) {
    for (const std::string& word : split_words(words)) {
      u64 found = print_matching(symbols->kernel, "[kernel]", "[kernel.kallsyms]", word, call.out);
      for (const ModuleSymbols& module : symbols->modules)
        found += print_matching(module.table, module.name, module.name, word, call.out);
      if (found == 0) call.out.format("{}: not found\n", word);
    }
  }
  return 0;
}

}  // namespace

constinit const Command kKallsyms{.name = "kallsyms",
                                  .summary = "Look up symbols of the running kernel",
                                  .usage = kKallsymsUsage,
                                  .options = kKallsymsOptions,
                                  .examples = kKallsymsExamples,
                                  .run = entry<KallsymsOptions, kallsyms>};

}  // namespace peregrine::cmd
