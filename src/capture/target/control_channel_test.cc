#include "capture/target/control_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace peregrine {
namespace {

using Verb = ControlCommand::Verb;

TEST(ControlCommand, IsAVerbAndWhatFollows) {
  EXPECT_EQ(parse_control_command("ping")->verb, Verb::Ping);
  EXPECT_EQ(parse_control_command("status")->verb, Verb::Status);
  EXPECT_EQ(parse_control_command("disable")->argument, "");
  const auto enable = parse_control_command("enable  sched:sched_switch");
  EXPECT_EQ(enable->verb, Verb::Enable);
  EXPECT_EQ(enable->argument, "sched:sched_switch");
  for (const char* wrong : {"", "enabled", " ping", "PING", "x"}) EXPECT_FALSE(parse_control_command(wrong)) << wrong;
}

TEST(ControlChannel, TakesLinesAndAnswers) {
  int commands[2], answers[2];
  ASSERT_EQ(::pipe(commands), 0);
  ASSERT_EQ(::pipe(answers), 0);
  auto channel = ControlChannel::open(fmt::format("fd:{},{}", commands[0], answers[1]));
  ASSERT_TRUE(channel) << channel.error().message;
  EXPECT_TRUE(channel->read().empty());
  ASSERT_EQ(::write(commands[1], "ping\nnonsense\nevlist -v\0stop", 28), 28);
  const auto got = channel->read();
  ASSERT_EQ(got.size(), 3u);
  EXPECT_EQ(got[1].argument, "-v");
  EXPECT_EQ(got[2].verb, Verb::Stop);  // without a newline
  channel->acknowledge();
  char text[16] = {};
  EXPECT_EQ(::read(answers[0], text, sizeof text), 5);
  EXPECT_STREQ(text, "ack\n");
  channel->acknowledge("paused\n");
  EXPECT_EQ(::read(answers[0], text, sizeof text), 12);
  EXPECT_STREQ(text, "paused\nack\n");
  ::close(commands[1]);
  EXPECT_TRUE(channel->read().empty());
  EXPECT_EQ(channel->fd(), -1);
  for (const int fd : {commands[0], answers[0], answers[1]}) ::close(fd);
}

TEST(ControlChannel, NamesWhatIsNotThere) {
  for (const char* wrong : {"", "1", "fd:", "fd:x", "fd:9999", "fifo:", "fifo:/nonexistent", "fd:0,x"}) {
    EXPECT_FALSE(ControlChannel::open(wrong)) << wrong;
  }
  EXPECT_EQ(ControlChannel::open("fifo:/dev/zero").error().message, "--control: '/dev/zero' is not a FIFO");
}

TEST(ControlChannel, TakesAnEndlessStreamPieceByPiece) {
  const int zeroes = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
  auto channel = ControlChannel::open(fmt::format("fd:{}", zeroes));
  ASSERT_TRUE(channel);
  EXPECT_TRUE(channel->read().empty()) << "and returns";
  ::close(zeroes);
}

}  // namespace
}  // namespace peregrine
