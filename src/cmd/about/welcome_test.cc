#include "cmd/about/welcome.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <sstream>
#include <string>

#include "cmd/command_table.h"

namespace peregrine::cmd {
namespace {

TEST(Welcome, ShowsFiveCommandsThatExist) {
  std::istringstream wide(welcome_text("peregrine"));
  for (std::string line; std::getline(wide, line);) EXPECT_LE(line.size(), 80u) << line;
  std::istringstream text(welcome_text("perf"));
  std::size_t commands = 0;
  for (std::string line; std::getline(text, line);) {
    if (!line.starts_with("   perf ")) continue;
    ++commands;
    const std::string name = line.substr(8, line.find(' ', 8) - 8);
    EXPECT_NE(find_command(name), nullptr) << name;
  }
  EXPECT_EQ(commands, 5u);
}

TEST(Welcome, NamesTheProgramAsItWasStarted) {
  EXPECT_NE(welcome_text("falcon").find("falcon report"), std::string::npos);
  EXPECT_EQ(welcome_text("falcon").find("perf"), std::string::npos);
}

}  // namespace
}  // namespace peregrine::cmd
