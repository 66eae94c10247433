// Sessions as settings of a daemon's config file.
#include "session/daemon/session_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace peregrine {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "key = value" of each setting.
std::vector<std::string> lines_of(const SessionBook& book) {
  std::vector<std::string> lines;
  for (const DaemonSetting& setting : book.settings()) lines.push_back(setting.key + " = " + setting.value);
  return lines;
}

TEST(SessionBook, RunsOnlyStartedSessions) {
  SessionBook book;
  BookedSession* session = *book.create("boot", "-a --switch-output");
  session->events = {"sched:*", "irq:*"};
  EXPECT_FALSE(book.has_started());
  EXPECT_THAT(lines_of(book),
              ElementsAre("session-boot.record = -a --switch-output", "session-boot.events = sched:*,irq:*"));
  session->is_started = true;
  EXPECT_TRUE(book.has_started());
  EXPECT_EQ(lines_of(book).back(), "session-boot.run = -a --switch-output -e sched:*,irq:*");
}

TEST(SessionBook, SurvivesAsSettings) {
  SessionBook book;
  (*book.create("a", "-a"))->events = {"sched:*"};
  (*book.create("b", "-a --overwrite"))->is_started = true;
  SessionBook again = SessionBook::parse(book.settings());
  EXPECT_EQ(lines_of(again), lines_of(book));
  EXPECT_FALSE((*again.find("a"))->is_snapshot());
  EXPECT_TRUE((*again.find("b"))->is_snapshot());
  EXPECT_EQ((*again.find(""))->name, "b") << "the last created one";
}

TEST(SessionBook, IgnoresOtherSettings) {
  const DaemonSetting settings[] = {{"daemon.base", "/var/lib"}, {"session-a.record", "-a"}, {"ui.x", "y"}};
  EXPECT_THAT(lines_of(SessionBook::parse(settings)), ElementsAre("session-a.record = -a"));
}

TEST(SessionBook, RejectsInvalidNamesAndEvents) {
  SessionBook book;
  for (const char* name : {"", "../x", "Upper", "a b", "a.b"})
    EXPECT_EQ(book.create(name, "").error().message, std::string("invalid session name '") + name + "'");
  EXPECT_TRUE(book.create("a", ""));
  EXPECT_EQ(book.create("a", "").error().message, "session 'a' exists already");
  EXPECT_EQ(book.find("b").error().message, "session 'b' not found");
  book.remove("a");
  EXPECT_EQ(book.find("a").error().message, "there are no sessions");
  for (const char* event : {"sched:x' --rm", "", "x:y\tz", "\x1b[31m:x", "x:\n", "x:\x7f", "x:\u202e", "x:\xff"})
    EXPECT_FALSE(check_session_event(event)) << event;
  EXPECT_TRUE(check_session_event("sched:*"));
}

TEST(SessionBook, QuotesWordsThatWouldBeSplit) {
  EXPECT_EQ(quoted_word("-a"), "-a");
  EXPECT_EQ(quoted_word("a b\"c"), "\"a b\\\"c\"");
  EXPECT_EQ(quoted_word(""), "\"\"");
}

}  // namespace
}  // namespace peregrine
