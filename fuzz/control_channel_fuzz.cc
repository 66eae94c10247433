// Input from another program to `record --control`: commands, in one piece or split anywhere.
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "capture/target/control_channel.h"
#include "input.h"

void peregrine::fuzz_control_channel(Bytes bytes) {
  const Bytes sent = bytes.first(std::min<std::size_t>(bytes.size(), 32768));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  const Fd reading(ends[0]);
  Fd writing(ends[1]);
  auto channel = ControlChannel::open("fd:" + std::to_string(ends[0]) + "," + std::to_string(ends[1]));
  if (!channel) std::abort();
  if (::write(ends[1], sent.data(), sent.size()) != static_cast<ssize_t>(sent.size())) return;
  std::size_t size = 0;
  const std::vector<ControlCommand> commands = channel->read();
  for (const ControlCommand& command : commands) size += command.argument.size() + 1;
  if (size > sent.size() + 1 || channel->fd() < 0) std::abort();
  for (const ControlCommand& command : commands)
    if (command.verb == ControlCommand::Verb::Ping) channel->acknowledge();
  const auto one = parse_control_command(as_text(bytes));
  if (one && one->argument.size() > bytes.size()) std::abort();
}
