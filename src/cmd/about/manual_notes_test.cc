#include "cmd/about/manual_notes.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/text/words.h"
#include "cmd/command_table.h"

namespace peregrine::cmd {
namespace {

TEST(ManualNotes, EveryCommandHasRelatedCommandsThatExist) {
  for (const Command* command : commands()) {
    if (command->shown != Shown::Everywhere) continue;
    const auto related = split_words(manual_notes(command->name).see_also);
    EXPECT_FALSE(related.empty()) << command->name;
    for (const std::string& name : related) {
      EXPECT_NE(find_command(name), nullptr) << command->name << ": " << name;
      EXPECT_NE(name, command->name);
    }
  }
}

TEST(ManualNotes, ColumnsHaveAMeaning) {
  for (const Command* command : commands())
    for (const std::string_view column : manual_notes(command->name).columns) {
      const auto bar = column.find('|');
      EXPECT_TRUE(bar != column.npos && bar > 0 && bar + 1 < column.size()) << command->name << ": " << column;
    }
  EXPECT_TRUE(manual_notes("no such command").columns.empty());
}

}  // namespace
}  // namespace peregrine::cmd
