// The subcommands of `sched`, each defined in the file of the same name.
#pragma once
#include "cli/frame/command.h"

namespace peregrine::cmd {

extern const Command kSchedRecord, kSchedLatency, kSchedMap, kSchedTimehist, kSchedReplay, kSchedScript, kSchedStats;

}  // namespace peregrine::cmd
