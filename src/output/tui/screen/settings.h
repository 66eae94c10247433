// ReportSettings: what a screen's owner gives its views: how they begin, and the deeds that are not theirs: files,
// programs, the live keys of top. What is not given is not offered.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/row/graph_options.h"

namespace peregrine::tui {

// A text that is still being written. Gone, it need not be written on.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // Can be read when there is more, or when it has ended.
  virtual int fd() const = 0;
  // Appends what there is, without waiting. False: it has ended.
  virtual bool read(std::string& text) = 0;
};

// A program over samples, as words behind `script`.
struct ScriptChoice {
  std::string title;
  std::vector<std::string> words;
  bool asks = false;  // the user says more words
};
// Whose samples; empty and absent: all.
struct ScriptSamples {
  std::string comm, symbol;
};

struct ReportSettings {
  bool tree = false;                                              // a level for each sort key
  bool blocks = false;                                            // rows are blocks of code
  bool live = false;                                              // top: keys of its own, and rows that change
  std::function<std::string()> title;                             // instead of the number of samples; may be none
  std::function<bool(char32_t key, std::string& said)> live_key;  // top's: whether it is one, and what it did
  std::function<std::vector<std::string>()> files;                // recordings to switch to
  std::function<Result<std::string>()> print;                     // P: writes a file, gives its name
  std::function<Result<std::string>(const BrowseLook& look)> export_rows;
  std::function<Result<std::string>(const AnnotatedCode& code)> print_code;
  std::function<std::vector<ScriptChoice>()> scripts;
  std::function<Result<std::unique_ptr<TextSource>>(const std::vector<std::string>& words, const ScriptSamples& of)>
      run_script;
  GraphValue value = GraphValue::Percent;
  bool types = false;  // of data, behind the instructions that touch it
  double percent_limit = 0;
  std::string filter;
};

}  // namespace peregrine::tui
