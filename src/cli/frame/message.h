// Messages: the only code that writes to stderr. Prints `NAME: text`, then `hint: what to do`; NAME is the name by
// which the program was started.
//
// One write(2) per message, so that lines of several processes do not mix. Exact lines that other programs match go
// through verbatim(). Main thread only.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "session/session_listener.h"

namespace peregrine {

class Messages final : public SessionListener {
 public:
  // Writes to `fd` (2, or a test's pipe). `program`: the base name of argv[0].
  Messages(std::string program, int fd) : program_(std::move(program)), fd_(fd) {}

  const std::string& program() const { return program_; }
  // -q silences warnings and notes, but never errors.
  void set_quiet(bool quiet) { quiet_ = quiet; }
  bool quiet() const { return quiet_; }

  void error(const Error& error);                                            // NAME: message / hint: …
  void warning(std::string_view text, std::string_view hint = {}) override;  // NAME: warning: text
  void note(std::string_view text, std::string_view hint = {}) override;     // NAME: text
  void verbatim(std::string_view bytes) override;                            // unchanged, except for control characters
  void progress(std::string_view text) override;                             // on a terminal only

 private:
  void say(std::string_view prefix, std::string_view text, std::string_view hint);

  std::string program_;
  int fd_;
  bool quiet_ = false;
};

// Returns the exit code for an error that ended the program: 129 for usage, 130 for EINTR (Ctrl-C), else linux-perf's
// -errno or -1 as a byte.
int exit_code(const Error& error);

}  // namespace peregrine
