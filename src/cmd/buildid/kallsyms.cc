// kallsyms: finds symbols of the running kernel.
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "session/build_id/kernel_listing.h"
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
     .help = "use this copy of another machine's /proc",
     .store = set<&KallsymsOptions::root>,
     .since = Since::Ours},
};
constexpr std::string_view kKallsymsUsage[] = {"[<options>] symbol_name[,symbol_name...]"};
constexpr std::string_view kKallsymsExamples[] = {
    "perf kallsyms vfs_read|start and end address of the function",
    "perf kallsyms 'tcp_send*'|all matching symbols",
};

Result<int> kallsyms(KallsymsOptions& options, Invocation& call) {
  if (call.words.empty()) return fail(ErrorKind::Usage, "missing symbol name");
  PEREGRINE_TRY(print_kernel_symbols({.words = call.words, .verbose = options.verbose > 0}, Root(options.root),
                                     call.out, call.messages));
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
