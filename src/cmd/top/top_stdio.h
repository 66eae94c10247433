// TopStdio: top as plain text: a terminal is cleared before each refresh, and keys work. If stdout is not a terminal,
// tables are printed one after the other; if stdin is not a terminal, there are no keys.
#pragma once
#include <string>
#include <vector>

#include "cmd/report/code_finder.h"
#include "cmd/top/top_view.h"
#include "output/terminal/key_mode.h"
#include "output/text/report/top_page.h"

namespace peregrine::cmd {

// The heading of what a view sees.
TopHeading heading_of(const TopView& view, const TopOptions& options);

class TopStdio {
 public:
  TopStdio(TopView& view, TopOptions& options, Invocation& call);
  // Until q, a signal, or the end of what is observed.
  Result<> run();

 private:
  enum class Woken { Timer, Key, Ended };
  Result<Woken> wait() const;
  void show();
  void print_rows(std::size_t rows);
  // --sym-annotate: the function's code, what it costs before each line.
  void print_code();
  void append_rows(std::string_view text, std::size_t lines);
  // False: q.
  Result<bool> obey(char key);
  Result<char> ask_key();
  // What is typed in answer; empty: nothing.
  Result<std::string> ask(std::string_view question);
  Result<std::string> read_line();
  std::vector<TopKey> keys() const;

  TopView& view_;
  TopOptions& options_;
  Invocation& call_;
  CodeFinder code_;
  KeyMode mode_;
  bool clears_;
};

}  // namespace peregrine::cmd
