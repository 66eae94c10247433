#include "cmd/recording/reading_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace peregrine::cmd {
namespace {

class Nothing : public ReplaySink {
 public:
  void sample(const ReplaySample&, Resolver&, unsigned) override {}
};

struct ReadingWatchTest : ::testing::Test {
  ReadingWatchTest() { EXPECT_EQ(::pipe(ends), 0); }
  ~ReadingWatchTest() override {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  std::string said() {
    char text[256];
    EXPECT_EQ(::write(ends[1], ".", 1), 1);
    const ssize_t size = ::read(ends[0], text, sizeof text);
    return std::string(text, static_cast<std::size_t>(size));
  }
  int ends[2];
  Nothing nothing;
  data::Header header{.data_offset = 100, .data_size = 1000};
};

TEST_F(ReadingWatchTest, GoesOnUntilInterrupted) {
  Messages messages("perf", ends[1]);
  ReadingWatch watch(nothing, header, messages);
  EXPECT_TRUE(watch.end_batch());
  ::raise(SIGINT);
  EXPECT_FALSE(watch.end_batch());
  EXPECT_TRUE(watch.end());
  EXPECT_EQ(said(), "perf: warning: interrupted at 0 %: this is what was read until then\n.");
}

TEST_F(ReadingWatchTest, FailsWhereAFileWouldBeWritten) {
  Messages messages("perf", ends[1]);
  ReadingWatch watch(nothing, header, messages);
  ::raise(SIGINT);
  EXPECT_FALSE(watch.end_batch());
  const auto ended = watch.end("page.html");
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "interrupted at 0 %: did not write 'page.html'");
  EXPECT_EQ(exit_code(ended.error()), 128 + SIGINT);
  EXPECT_EQ(said(), ".");
}

TEST_F(ReadingWatchTest, SaysNothingOtherwise) {
  Messages messages("perf", ends[1]);
  ReadingWatch watch(nothing, header, messages);
  EXPECT_TRUE(watch.end_batch());
  EXPECT_TRUE(watch.end("page.html"));
  EXPECT_EQ(said(), ".");
}

}  // namespace
}  // namespace peregrine::cmd
