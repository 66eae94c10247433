// The one list of commands. A new command: one file with its constant, one declaration and one row in all_commands.cc.
#pragma once
#include <span>
#include <string_view>

#include "cli/frame/command.h"
#include "cli/frame/nearest_file.h"

namespace peregrine::cmd {

// Each is defined in the file that implements it.
extern const Command kAnnotate, kArchive, kBench, kBlk, kBuildidCache, kBuildidList, kCheck, kCompletion, kConfig,
    kDaemon, kC2c, kData, kDiff, kEvlist, kFtrace, kHelp, kInject, kIo, kIostat, kKallsyms, kKmem, kKvm, kKwork, kList,
    kLock, kMem, kProbe, kRecord, kReport, kSched, kScript, kSession, kStat, kTest, kTimechart, kTop, kTour, kTrace,
    kVersionCommand, kView;

// In the order shown by `help`.
std::span<const Command* const> commands();

const Command* find_command(std::string_view name);

// Where a command to run may be found, for hints.
ProgramPlaces program_places(const Invocation& call);

}  // namespace peregrine::cmd
