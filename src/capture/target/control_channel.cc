#include "capture/target/control_channel.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <utility>

#include "base/number/parse_number.h"
#include "base/result.h"

namespace peregrine {
namespace {

Result<Fd> open_descriptor(std::string_view text) {
  const int number = parse_number<int>(text).value_or(-1);
  if (number < 0) return fail(ErrorKind::Usage, "invalid --control descriptor '{}'", text);
  Fd fd(::fcntl(number, F_DUPFD_CLOEXEC, 0));
  if (!fd) return fail_errno(fmt::format("--control: descriptor {}", number));
  return fd;
}

// Opened for reading and writing, so that there is no end of file when a writer closes it.
Result<Fd> open_fifo(std::string_view path) {
  auto fd = open_file(std::string(path), O_RDWR | O_NONBLOCK);
  if (!fd)
    return fail(fd.error().kind, "--control: Failed to open '{}': {}", path, ::strerror(fd.error().system_errno));
  struct stat status{};
  if (::fstat(fd->get(), &status) != 0) return fail_errno(fmt::format("--control: {}", path));
  if (!S_ISFIFO(status.st_mode)) return fail(ErrorKind::Usage, "--control: '{}' is not a FIFO", path);
  return fd;
}

}  // namespace

std::optional<ControlCommand> parse_control_command(std::string_view line) {
  using Verb = ControlCommand::Verb;
  constexpr std::pair<std::string_view, Verb> kVerbs[] = {
      {"enable", Verb::Enable}, {"disable", Verb::Disable}, {"evlist", Verb::Evlist}, {"snapshot", Verb::Snapshot},
      {"stop", Verb::Stop},     {"ping", Verb::Ping},       {"status", Verb::Status},
  };
  const auto space = std::min(line.find(' '), line.size());
  for (const auto& [word, verb] : kVerbs) {
    if (line.substr(0, space) != word) continue;
    const auto start = std::min(line.find_first_not_of(' ', space), line.size());
    return ControlCommand{verb, std::string(line.substr(start))};
  }
  return std::nullopt;
}

Result<ControlChannel> ControlChannel::open(std::string_view spec) {
  const bool fifo = spec.starts_with("fifo:");
  if (!fifo && !spec.starts_with("fd:")) {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("invalid --control '{}': must start with fd: or fifo:", spec)}.with_hint(
            "use fd:CONTROL[,ACK] with descriptors, or fifo:CONTROL[,ACK] with paths"));
  }
  const std::string_view rest = spec.substr(spec.find(':') + 1);
  const auto comma = std::min(rest.find(','), rest.size());
  ControlChannel channel;
  auto commands = fifo ? open_fifo(rest.substr(0, comma)) : open_descriptor(rest.substr(0, comma));
  if (!commands) return std::unexpected(std::move(commands.error()));
  channel.commands_ = std::move(*commands);
  const int flags = ::fcntl(channel.fd(), F_GETFL);
  if (flags < 0 || ::fcntl(channel.fd(), F_SETFL, flags | O_NONBLOCK) != 0) return fail_errno("--control");
  if (comma == rest.size()) return channel;
  auto answers = fifo ? open_fifo(rest.substr(comma + 1)) : open_descriptor(rest.substr(comma + 1));
  if (!answers) return std::unexpected(std::move(answers.error()));
  channel.answers_ = std::move(*answers);
  return channel;
}

std::vector<ControlCommand> ControlChannel::read() {
  std::vector<ControlCommand> commands;
  // Anything beyond that waits for the next call, so that an endless writer cannot stop the recorder.
  constexpr std::size_t kMostAtOnce = std::size_t{64} << 10;
  std::string text;
  char piece[4096];
  while (text.size() < kMostAtOnce) {
    const ssize_t size = ::read(fd(), piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size == 0 || (size < 0 && errno != EAGAIN)) commands_.reset();
    if (size <= 0) break;
    text.append(piece, static_cast<std::size_t>(size));
  }
  for (std::string_view rest = text; !rest.empty();) {
    constexpr std::string_view kEnds("\n\0", 2);
    const auto end = std::min(rest.find_first_of(kEnds), rest.size());
    if (auto command = parse_control_command(rest.substr(0, end))) commands.push_back(std::move(*command));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return commands;
}

void ControlChannel::acknowledge(std::string_view answer) {
  const std::string text = std::string(answer) + "ack\n";
  if (answers_ && ::write(answers_.get(), text.c_str(), text.size() + 1) < 0) answers_.reset();
}

}  // namespace peregrine
