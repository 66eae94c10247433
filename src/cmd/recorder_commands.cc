// The commands of the recorder (PEREGRINE_RECORDER), a small program for targets: compiled instead of all_commands.cc.
#include <array>

#include "cmd/command_table.h"

namespace peregrine::cmd {

namespace {

constexpr std::array kCommands{&kCheck, &kHelp, &kRecord, &kScript, &kStat, &kTop, &kTrace, &kVersionCommand};

}  // namespace

std::span<const Command* const> commands() { return kCommands; }

}  // namespace peregrine::cmd
