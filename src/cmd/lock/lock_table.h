// The options of `lock contention` for rows, output and format; --output belongs to all subcommands of
// `lock`.
#pragma once
#include <optional>

#include "analysis/lock/lock_usage.h"
#include "base/result.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "session/lock/lock_tables.h"

namespace peregrine::cmd {

template <auto... Member>
inline constexpr Option kCallstackFilterRow{.name = "callstack-filter",
                                            .letter = 'S',
                                            .value = Value::Required,
                                            .metavar = "text[,text...]",
                                            .help = "show only waits with one of these strings in a caller's name",
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

// Errors (Usage): function names contain the separator, or --csv-safe has no separator.
Result<> check_separator(const LockOutput& options);

// Programs that read values (-x) expect kernel locks. User-space locks are added only on request, with "user:" before
// their type. Errors (Usage): they were requested, but the values have no type.
Result<> settle_user_locks(const LockOutput& options, LockBy by, std::optional<bool>& user_locks);

}  // namespace peregrine::cmd
