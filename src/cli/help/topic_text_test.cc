#include "cli/help/topic_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace peregrine {
namespace {

TEST(TopicText, RendersHeadingsParagraphsListsAndCode) {
  EXPECT_EQ(topic_text("# Title\n\nSee [the page](page.md) for `code` and\n**bold** text.\n\n- one\n- two that is\n  "
                       "longer\n\n```\n$ perf stat  `x`\n```\n",
                       40),
            "Title\n\n  See the page for code and bold text.\n\n  - one\n  - two that is longer\n\n    $ perf stat  "
            "`x`\n");
}

TEST(TopicText, TablesOfTwoColumnsStandSideBySide) {
  EXPECT_EQ(
      topic_text("| term | meaning |\n|---|---|\n| a | the first letter of the alphabet |\n| `b\\|c` | two |\n", 30),
      "  term  meaning\n  a     the first letter of\n        the alphabet\n  b|c   two\n");
}

TEST(TopicText, RowsOfWiderTablesAreBlocks) {
  EXPECT_EQ(topic_text("| name | reads | writes |\n|---|---|---|\n| csv | yes | |\n", 80), "  csv\n      reads: yes\n");
}

TEST(TopicText, EveryTopicFitsATerminal) {
  for (const HelpTopic& topic : help_topics()) {
    const std::string text = topic_text(topic.page(), 80);
    EXPECT_GT(text.size(), 1000u) << topic.name;
    EXPECT_FALSE(text.contains("](")) << topic.name;
  }
}

}  // namespace
}  // namespace peregrine
