// The daemon's end of its socket, driven step by step: what clients send, and in which pieces.
#include "capture/daemon/daemon_socket.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>

#include "support/temporary_folder.h"

namespace peregrine {
namespace {

// A connected pair: the daemon's side, and a client's side that the test writes to.
class DaemonClientTest : public ::testing::Test {
 protected:
  DaemonClientTest() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends), 0);
    served_.emplace(Fd(ends[0]));
    peer_ = Fd(ends[1]);
  }
  void say(std::string_view text) {
    EXPECT_EQ(::write(peer_.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  std::string heard() {
    std::string text(1 << 16, '\0');
    const ssize_t size = ::read(peer_.get(), text.data(), text.size());
    text.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    return text;
  }

  std::optional<DaemonClient> served_;
  Fd peer_;
};

TEST_F(DaemonClientTest, HasNoQuestionBeforeTheLineEnds) {
  EXPECT_TRUE(served_->go_on()) << "nothing was sent yet";
  say("pi");
  EXPECT_TRUE(served_->go_on());
  EXPECT_FALSE(served_->take_question());
  say("ng x\n");
  EXPECT_TRUE(served_->go_on());
  EXPECT_EQ(served_->take_question(), "ping x");
  EXPECT_FALSE(served_->take_question()) << "it is returned once";
}

TEST_F(DaemonClientTest, AnswersStringsWithTheirEnds) {
  say("list\n");
  ASSERT_TRUE(served_->go_on());
  ASSERT_TRUE(served_->take_question());
  served_->answer({"one", "", "two\n"});
  EXPECT_TRUE(served_->is_writing());
  EXPECT_FALSE(served_->go_on()) << "all is written: the connection ends";
  EXPECT_EQ(heard(), std::string("one\0\0two\n\0", 10));
}

TEST_F(DaemonClientTest, AnEmptyAnswerEndsTheConnection) {
  say("stop\n");
  ASSERT_TRUE(served_->go_on());
  served_->answer({});
  EXPECT_FALSE(served_->is_writing());
  EXPECT_FALSE(served_->go_on());
}

TEST_F(DaemonClientTest, KeepsWhatTheSocketDoesNotTake) {
  say("list\n");
  ASSERT_TRUE(served_->go_on());
  const std::string large(4 << 20, 'x');
  served_->answer({large});
  ASSERT_TRUE(served_->go_on()) << "the client does not read";
  EXPECT_TRUE(served_->is_writing());
  std::size_t received = 0;
  for (bool more = true; more;) {
    for (std::string piece = heard(); !piece.empty(); piece = heard()) received += piece.size();
    more = served_->go_on();
  }
  received += heard().size();
  for (std::string piece = heard(); !piece.empty(); piece = heard()) received += piece.size();
  EXPECT_EQ(received, large.size() + 1);
}

TEST_F(DaemonClientTest, EndsWhenTheClientIsGone) {
  peer_.reset();
  EXPECT_FALSE(served_->go_on());
}

TEST_F(DaemonClientTest, AClientThatLeavesDuringTheAnswerDoesNoHarm) {
  say("list\n");
  ASSERT_TRUE(served_->go_on());
  served_->answer({"text"});
  peer_.reset();
  EXPECT_FALSE(served_->go_on()) << "and no SIGPIPE";
}

TEST_F(DaemonClientTest, RefusesAQuestionThatNeverEnds) {
  say(std::string(4096, 'x'));
  EXPECT_TRUE(served_->go_on()) << "as long as allowed";
  say("y");
  EXPECT_FALSE(served_->go_on());
}

class DaemonSocketTest : public ::testing::Test {
 protected:
  Result<Fd> listen() { return listen_as_daemon(fd_.get(), folder_.path("control"), name_); }

  TemporaryFolder folder_;
  Fd fd_ = folder_.open();
  OwnedName name_;
};

TEST_F(DaemonSocketTest, IsForItsOwnerAlone) {
  const mode_t before = ::umask(0);
  const auto listener = listen();
  ::umask(before);
  ASSERT_TRUE(listener) << listener.error().message;
  EXPECT_EQ(folder_.mode("control"), 0600u);
  name_.remove();
  EXPECT_FALSE(folder_.has("control"));
}

TEST_F(DaemonSocketTest, ReplacesTheSocketOfADeadDaemon) {
  {
    ASSERT_TRUE(listen());
    name_.release();
  }
  ASSERT_TRUE(folder_.has("control"));
  EXPECT_TRUE(listen());
}

TEST_F(DaemonSocketTest, ReplacesNothingElse) {
  folder_.write("control", "precious");
  const auto listener = listen();
  ASSERT_FALSE(listener);
  EXPECT_EQ(listener.error().kind, ErrorKind::Denied);
  EXPECT_EQ(folder_.text("control"), "precious");
}

TEST_F(DaemonSocketTest, AcceptsNobodyWhereNobodyWaits) {
  const auto listener = listen();
  ASSERT_TRUE(listener);
  const auto client = DaemonClient::accept(listener->get());
  ASSERT_TRUE(client);
  EXPECT_FALSE(*client);
}

TEST_F(DaemonSocketTest, NobodyAnswersInAnEmptyFolder) {
  const auto answer = ask_daemon(folder_.path(), "list");
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind, ErrorKind::NotFound);
  EXPECT_EQ(answer.error().message, "no daemon is running in " + folder_.path());
}

}  // namespace
}  // namespace peregrine
