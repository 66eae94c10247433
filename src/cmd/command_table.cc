#include "cmd/command_table.h"

#include <algorithm>
#include <array>

namespace peregrine::cmd {

namespace {

constexpr std::array kCommands{
    &kAnnotate, &kArchive,        &kBench, &kBlk,    &kBuildidCache, &kBuildidList, &kC2c,  &kCheck,     &kCompletion,
    &kConfig,   &kDaemon,         &kData,  &kDiff,   &kEvlist,       &kFtrace,      &kHelp, &kInject,    &kIo,
    &kIostat,   &kKallsyms,       &kKmem,  &kKvm,    &kKwork,        &kList,        &kLock, &kMem,       &kProbe,
    &kRecord,   &kReport,         &kSched, &kScript, &kSession,      &kStat,        &kTest, &kTimechart, &kTop,
    &kTrace,    &kVersionCommand, &kView,
};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : *found;
}

ProgramPlaces program_places(const Invocation& call) {
  return {.search_path = call.config.search_path(), .own_name = call.messages.program(), .commands = commands()};
}

}  // namespace peregrine::cmd
