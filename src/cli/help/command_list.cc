#include "cli/help/command_list.h"

#include <fmt/format.h>

#include <vector>

#include "base/nearest.h"
#include "cli/help/topic_text.h"
#include "cli/option/option.h"

namespace peregrine {

std::string command_list(std::string_view program, std::span<const Command* const> commands) {
  std::string text = fmt::format("\n usage: {} [--version] [--help] [OPTIONS] COMMAND [ARGS]\n\n", program);
  text += " Commands:\n";
  for (const Command* command : commands) {
    if (command->shown == Shown::Hidden) continue;
    text += fmt::format("   {:<15} {}\n", command->name, command->summary);
  }
  text += fmt::format("\n See '{} help COMMAND' for more information on a specific command,\n", program);
  std::string topics;
  for (const HelpTopic& topic : help_topics()) topics += fmt::format("{}{}", topics.empty() ? "" : "|", topic.name);
  return text + fmt::format(" and '{} help {}' for a topic.\n\n", program, topics);
}

Error unknown_command(std::string_view program, std::string_view word, std::span<const Command* const> commands) {
  Error error{ErrorKind::NotFound, fmt::format("'{0}' is not a {1}-command. See '{1} --help'.", word, program)};
  std::vector<std::string_view> names;
  for (const Command* command : commands)
    if (command->shown == Shown::Everywhere) names.push_back(command->name);
  if (auto meant = nearest(word, names)) error.hint = fmt::format("did you mean '{}'?", *meant);
  return error;
}

}  // namespace peregrine
