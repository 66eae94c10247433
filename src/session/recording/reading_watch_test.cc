#include "session/recording/reading_watch.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>

#include "support/kept_messages.h"

namespace peregrine {
namespace {

class NothingRead : public ReplaySink {
 public:
  void sample(const ReplaySample&, Resolver&, unsigned) override {}
};

class PickySink : public NothingRead {
 public:
  void before_batch() override { ++batches; }
  bool needs_samples_of(u32 event) const override { return event == 1; }
  int batches = 0;
};

struct ReadingWatchTest : ::testing::Test {
  NothingRead nothing;
  data::Header header{.data_offset = 100, .data_size = 1000};
  testing::KeptMessages messages;
};

TEST_F(ReadingWatchTest, ReadsUntilInterrupted) {
  ReadingWatch watch(nothing, header, messages);
  EXPECT_TRUE(watch.end_batch());
  ::raise(SIGINT);
  EXPECT_FALSE(watch.end_batch());
  EXPECT_TRUE(watch.end());
  EXPECT_EQ(messages.take(), "warning: interrupted at 0 %: showing what was read so far\n");
}

TEST_F(ReadingWatchTest, FailsIfAFileIsToBeWritten) {
  ReadingWatch watch(nothing, header, messages);
  ::raise(SIGINT);
  EXPECT_FALSE(watch.end_batch());
  const auto ended = watch.end("page.html");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "interrupted at 0 %: did not write 'page.html'");
  EXPECT_EQ(ended.error().system_errno, EINTR);  // exit code 130
  EXPECT_EQ(messages.take(), "");
}

TEST_F(ReadingWatchTest, AsksTheInnerSinkForEverything) {
  PickySink picky;
  ReadingWatch watch(picky, header, messages);
  watch.begin(1);
  watch.before_batch();
  EXPECT_EQ(picky.batches, 1);
  EXPECT_FALSE(watch.needs_samples_of(0));
  EXPECT_TRUE(watch.needs_samples_of(1));
}

TEST_F(ReadingWatchTest, IsSilentWithoutInterruption) {
  ReadingWatch watch(nothing, header, messages);
  EXPECT_TRUE(watch.end_batch());
  EXPECT_TRUE(watch.end("page.html"));
  EXPECT_EQ(messages.take(), "");
}

}  // namespace
}  // namespace peregrine
