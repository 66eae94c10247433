#include "cmd/about/welcome.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace peregrine::cmd {

namespace {

struct FirstCommand {
  std::string_view arguments, shows;
};

constexpr FirstCommand kFirstCommands[] = {
    {"stat ./program", "is it computing or waiting?"},
    {"record -g ./program", "time per function; then: {} report"},
    {"top", "the hottest functions of the machine, live"},
    {"trace -s ./program", "the time spent in each system call"},
    {"check", "what works here, and how to enable the rest"},
};

}  // namespace

std::string welcome_text(std::string_view program) {
  std::string text = "\n Where programs spend their time, and why they wait. The first commands:\n\n";
  std::size_t widest = 0;
  for (const FirstCommand& first : kFirstCommands) widest = std::max(widest, first.arguments.size());
  for (const FirstCommand& first : kFirstCommands)
    text += fmt::format("   {} {:<{}}   {}\n", program, first.arguments, widest,
                        fmt::format(fmt::runtime(first.shows), program));
  return text + fmt::format("\n '{0} tour' shows them at work; '{0} help' lists all commands.\n\n", program);
}

}  // namespace peregrine::cmd
