// The subcommands of `io`, and the options of its table.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "session/io/io_session.h"

namespace peregrine::cmd {

extern const Command kIoRecord, kIoReport;

struct IoTable {
  std::string keys, order, separator, processes;
  unsigned rows = 20;
};

// Rows for options of type O, which has a member `table`.
template <class O>
inline constexpr std::array kIoTableRows{
    Option{.name = "by",
           .value = Value::Required,
           .metavar = "key[,key...]",
           .help = "group by process, file, operation, in this order (default: process,file,operation)",
           .store = set<&O::table, &IoTable::keys>},
    Option{.name = "field-separator",
           .letter = 'x',
           .value = Value::Required,
           .metavar = "separator",
           .help = "print all rows as CSV with this separator, in bytes, pages and ns",
           .store = set<&O::table, &IoTable::separator>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "only these processes, and those that they start",
           .store = set<&O::table, &IoTable::processes>},
    Option{.name = "rows",
           .letter = 'n',
           .value = Value::Required,
           .metavar = "n",
           .help = "show at most N rows of each group (default: 20; 0: all)",
           .store = set<&O::table, &IoTable::rows>},
    Option{.name = "sort",
           .letter = 's',
           .value = Value::Required,
           .metavar = "key",
           .help = "sort by time, calls, errors, requested, returned, hits, misses, added, dirtied, requests, "
                   "disk-bytes or disk-time (default: time)",
           .store = set<&O::table, &IoTable::order>},
};

Result<IoReportRequest> io_report_request(const IoTable& table);

}  // namespace peregrine::cmd
