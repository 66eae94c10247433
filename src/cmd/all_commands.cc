#include <array>

#include "cmd/command_table.h"

namespace peregrine::cmd {

namespace {

constexpr std::array kCommands{
    &kAnnotate, &kArchive,  &kBench,          &kBlk,    &kBuildidCache, &kBuildidList,
    &kC2c,      &kCheck,    &kCompletion,     &kConfig, &kDaemon,       &kData,
    &kDiff,     &kEvlist,   &kFtrace,         &kHelp,   &kInject,       &kIo,
    &kIostat,   &kKallsyms, &kKmem,           &kKvm,    &kKwork,        &kList,
    &kLock,     &kMem,      &kProbe,          &kRecord, &kReport,       &kSched,
    &kScript,   &kSession,  &kStat,           &kTest,   &kTimechart,    &kTop,
    &kTour,     &kTrace,    &kVersionCommand, &kView,
};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

}  // namespace peregrine::cmd
