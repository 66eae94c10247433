// The options of `lock contention` that choose rows, output and format; --output belongs to all subcommands of
// `lock`.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "output/text/kernel/lock_text.h"

namespace peregrine::cmd {

struct LockTableOptions {
  std::string functions;  // -S
  std::string separator;  // -x; empty: a table
  std::string output;     // --output; empty: standard output
  bool csv_safe = false;  // with a separator
};

template <auto... Member>
inline constexpr Option kCallstackFilterRow{
    .name = "callstack-filter",
    .letter = 'S',
    .value = Value::Required,
    .metavar = "text[,text...]",
    .help = "only waits with one of these texts in a function name of the call chain",
    .store = set<Member...>,
    .since = Since::Ours};
template <auto... Member>
inline constexpr Option kLockSeparatorRow{.name = "field-separator",
                                          .letter = 'x',
                                          .value = Value::Required,
                                          .metavar = "separator",
                                          .help = "separate values by this text, with times in ns",
                                          .store = set<Member...>,
                                          .since = Since::Ours};
template <auto... Member>
inline constexpr Option kLockCsvSafeRow{
    .name = "csv-safe",
    .help = "with -x: prefix cells that a spreadsheet would run as formulas with an apostrophe",
    .store = set<Member...>,
    .since = Since::Ours};
template <auto... Member>
inline constexpr Option kLockOutputRow{.name = "output",
                                       .value = Value::Required,
                                       .metavar = "file",
                                       .help = "write the table to this file",
                                       .store = set<Member...>};

// Errors (Usage): names of functions are full of the separator, or --csv-safe has none.
Result<> check_separator(const LockTableOptions& options);

// Programs that read values (-x) expect locks of the kernel: those of user space are among them on request only, with
// "user:" in front of their type. Errors (Usage): they were requested, and the values have no type.
Result<> settle_user_locks(const LockTableOptions& options, LockBy by, std::optional<bool>& user_locks);

// Writes what `print` prints to the output that the options name. The exit code.
Result<int> write_lock_text(const LockTableOptions& options, Invocation& call, const std::function<void(Sink&)>& print);

// Writes the kernel's locks, and those of user space as a second table. The exit code.
Result<int> write_lock_tables(const std::vector<LockRow>& kernel, const std::optional<std::vector<LockRow>>& user,
                              const LockTable& table, const LockTableOptions& options, Invocation& call);

}  // namespace peregrine::cmd
