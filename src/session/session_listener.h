// SessionListener: receives what a session has to say while it works: warnings, notes, and exact lines that other
// programs match. A command passes its Messages; a test passes one that keeps the texts.
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
  // As given, line ends included.
  virtual void verbatim(std::string_view bytes) = 0;
  // How far something is; replaces the text before, and empty text removes it. Only people who watch a terminal need
  // it, so a listener may ignore it.
  virtual void progress([[maybe_unused]] std::string_view text) {}
};

}  // namespace peregrine
