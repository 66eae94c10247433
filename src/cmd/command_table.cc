#include "cmd/command_table.h"

#include <algorithm>

namespace peregrine::cmd {

const Command* find_command(std::string_view name) {
  const auto found = std::ranges::find(commands(), name, &Command::name);
  return found == commands().end() ? nullptr : *found;
}

ProgramPlaces program_places(const Invocation& call) {
  return {.search_path = call.config.search_path(), .own_name = call.messages.program(), .commands = commands()};
}

}  // namespace peregrine::cmd
