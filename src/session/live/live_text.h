// LiveText: a live profile as plain text. A terminal is cleared before each refresh, and keys work. If the output is
// not a terminal, tables are printed one after another; if the input is not a terminal, there are no keys.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "output/sink.h"
#include "output/terminal/key_mode.h"
#include "session/live/live_settings.h"
#include "session/live/live_view.h"
#include "session/live/live_wait.h"
#include "session/report/code_finder.h"

namespace peregrine {

class LiveText {
 public:
  struct Terminal {
    int keys = -1;        // source of keys
    int screen = -1;      // its size limits rows and columns
    bool clears = false;  // the output is that terminal
  };
  // `view` and `out` must outlive this.
  LiveText(LiveView& view, LiveSettings settings, Terminal terminal, Sink& out);
  // Runs until q, a signal, or the end of the target.
  Result<> run();

 private:
  Result<LiveWake> wait() const;
  void show();
  void print_rows(std::size_t rows);
  // Prints the annotated function: its code with the cost of each line.
  void print_code();
  void append_rows(std::string_view text, std::size_t lines);
  // False: quit.
  Result<bool> obey(char key);
  Result<char> ask_key();
  // The answer; empty if nothing was typed.
  Result<std::string> ask(std::string_view question);
  Result<std::string> read_line();

  LiveView& view_;
  LiveSettings settings_;
  Terminal terminal_;
  Sink& out_;
  CodeFinder code_;
  KeyMode mode_;
};

}  // namespace peregrine
