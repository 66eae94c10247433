// KeptMessages: a SessionListener that records what it receives, one line per text: "warning: …", "note: …", "hint: …",
// and exact lines unchanged.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "session/session_listener.h"

namespace peregrine::testing {

class KeptMessages final : public SessionListener {
 public:
  void warning(std::string_view text, std::string_view hint) override { keep("warning: ", text, hint); }
  void note(std::string_view text, std::string_view hint) override { keep("note: ", text, hint); }
  void verbatim(std::string_view bytes) override { text_ += bytes; }

  // Everything received since the last call.
  std::string take() { return std::exchange(text_, {}); }

 private:
  void keep(std::string_view kind, std::string_view text, std::string_view hint) {
    text_.append(kind).append(text).append("\n");
    if (!hint.empty()) text_.append("hint: ").append(hint).append("\n");
  }

  std::string text_;
};

}  // namespace peregrine::testing
