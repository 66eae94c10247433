#include "cli/frame/message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace peregrine {
namespace {

class MessagesTest : public ::testing::Test {
 protected:
  // Everything written since the last call.
  std::string written() {
    ::lseek(memory_.get(), 0, SEEK_SET);
    std::string text = read_all(memory_.get(), "messages").value_or("");
    EXPECT_EQ(::ftruncate(memory_.get(), 0), 0);
    ::lseek(memory_.get(), 0, SEEK_SET);
    return text;
  }

  Fd memory_{::memfd_create("messages", MFD_CLOEXEC)};
  Messages messages_{"falcon", memory_.get()};
};

TEST_F(MessagesTest, BeginWithTheNameOfTheProgram) {
  messages_.error({ErrorKind::NotFound, "cannot open 'x.data'"});
  EXPECT_EQ(written(), "falcon: cannot open 'x.data'\n");
  messages_.warning("3 samples were lost");
  EXPECT_EQ(written(), "falcon: warning: 3 samples were lost\n");
  messages_.note("recording all CPUs");
  EXPECT_EQ(written(), "falcon: recording all CPUs\n");
}

TEST_F(MessagesTest, HintsHaveALineAndTheNameOfTheProgram) {
  messages_.error({ErrorKind::NotFound, "'perf record' made no perf.data", "try perf record -a, or see perf.data"});
  EXPECT_EQ(written(),
            "falcon: 'perf record' made no perf.data\n"
            "hint: try falcon record -a, or see perf.data\n")
      << "the text of an error may have names of files, and stays as it is";
  messages_.warning("w", "h");
  messages_.note("n", "h");
  EXPECT_EQ(written(), "falcon: warning: w\nhint: h\nfalcon: n\nhint: h\n");
}

TEST_F(MessagesTest, QuietProgramsStillReportErrors) {
  messages_.set_quiet(true);
  EXPECT_TRUE(messages_.quiet());
  messages_.warning("w");
  messages_.note("n");
  messages_.progress("p");
  EXPECT_EQ(written(), "");
  messages_.error({ErrorKind::System, "e"});
  messages_.verbatim("v\n");
  EXPECT_EQ(written(), "falcon: e\nv\n");
}

TEST_F(MessagesTest, CannotControlTheTerminal) {
  messages_.error({ErrorKind::Malformed, "bad name \x1b[31mred\x07"});
  EXPECT_EQ(written(), "falcon: bad name \\x1b[31mred\\x07\n");
  messages_.verbatim("lines\n\tand tabs → stay, \r and \x9b do not\n");
  EXPECT_EQ(written().find_first_of("\r"), std::string::npos);
}

TEST_F(MessagesTest, ProgressIsForTerminalsOnly) {
  messages_.progress("12 %");
  EXPECT_EQ(written(), "");
}

TEST_F(MessagesTest, ContinueAfterAFailedWrite) {
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full);
  Messages messages("falcon", full.get());
  messages.error({ErrorKind::System, "nobody reads this"});
  messages.progress("nor this");
  ASSERT_EQ(::dup2(memory_.get(), full.get()), full.get());
  messages.error({ErrorKind::System, "this is read"});
  EXPECT_EQ(written(), "falcon: this is read\n");
}

TEST(ExitCode, FollowsTheKindOfTheError) {
  const auto code = [](ErrorKind kind, int number = 0) {
    Error error{kind, "x"};
    error.system_errno = number;
    return exit_code(error);
  };
  EXPECT_EQ(code(ErrorKind::Usage), 129);
  EXPECT_EQ(code(ErrorKind::Unsupported), 129);
  for (const ErrorKind kind : {ErrorKind::NotFound, ErrorKind::Denied, ErrorKind::Malformed, ErrorKind::System})
    EXPECT_EQ(code(kind), 255);
  EXPECT_EQ(code(ErrorKind::System, EINTR), 130) << "as a shell says it of Ctrl-C";
  EXPECT_EQ(code(ErrorKind::System, ENOSPC), 255);
}

}  // namespace
}  // namespace peregrine
