// SessionListener: receives a session's warnings, notes, and exact lines that other
// programs match. Commands pass their Messages; tests pass one that keeps the texts.
//
// Called on the thread that calls the session. It must outlive the session.
#pragma once
#include <string_view>

namespace peregrine {

class SessionListener {
 public:
  virtual ~SessionListener() = default;
  // `hint`: what to do about it; may be empty.
  virtual void warning(std::string_view text, std::string_view hint = {}) = 0;
  virtual void note(std::string_view text, std::string_view hint = {}) = 0;
  // Prints the text as given, including line ends.
  virtual void verbatim(std::string_view bytes) = 0;
  // Progress; replaces the previous text, and empty text removes it. Only useful on a terminal, so a listener may
  // ignore it.
  virtual void progress([[maybe_unused]] std::string_view text) {}
};

}  // namespace peregrine
