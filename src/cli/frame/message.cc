#include "cli/frame/message.h"

#include <fmt/format.h>

#include <cerrno>
#include <csignal>

#include "base/fd.h"
#include "cli/frame/program_name.h"
#include "output/terminal/terminal.h"
#include "output/text/format/printable.h"

namespace peregrine {

void Messages::say(std::string_view prefix, std::string_view text, std::string_view hint) {
  std::string lines = fmt::format("{}: {}{}\n", program_, prefix, text);
  if (!hint.empty()) lines += fmt::format("hint: {}\n", with_program_name(program_, hint));
  verbatim(lines);
}

void Messages::error(const Error& error) { say("", error.message, error.hint); }

void Messages::warning(std::string_view text, std::string_view hint) {
  if (!quiet_) say("warning: ", text, hint);
}

void Messages::note(std::string_view text, std::string_view hint) {
  if (!quiet_) say("", text, hint);
}

void Messages::verbatim(std::string_view bytes) {
  const std::string safe = has_controls(bytes) ? without_controls(bytes) : std::string(bytes);
  // If stderr fails, there is no way to report it.
  static_cast<void>(write_all(fd_, safe.data(), safe.size()));
}

void Messages::progress(std::string_view text) {
  if (quiet_ || !is_terminal(fd_)) return;
  constexpr std::string_view kEraseLine = "\r\x1b[K";
  const std::string line = fmt::format("{}{}", kEraseLine, text);
  static_cast<void>(write_all(fd_, line.data(), line.size()));
}

int exit_code(const Error& error) {
  if (error.kind == ErrorKind::Usage || error.kind == ErrorKind::Unsupported) return 129;
  return error.system_errno == EINTR ? 128 + SIGINT : 255;
}

}  // namespace peregrine
