// ReportSettings: what a screen's owner passes to views: initial settings, and callbacks delegated to the owner: files,
// programs, top's live keys. Features without a callback are not offered.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/row/graph_options.h"
#include "base/result.h"

namespace peregrine::tui {

// A text that is still being written; destroying it stops the writer.
class TextSource {
 public:
  virtual ~TextSource() = default;
  // Readable when there is more text, or at the end.
  virtual int fd() const = 0;
  // Appends what is available, without waiting. False at the end.
  virtual bool read(std::string& text) = 0;
};

// A script to run on samples: arguments of `script`.
struct ScriptChoice {
  std::string title;
  std::vector<std::string> words;
  bool asks = false;  // the user adds arguments
};
// Selects samples; empty: all.
struct ScriptSamples {
  std::string comm, symbol;
};

struct ReportSettings {
  bool tree = false;                                              // one level per sort key
  bool blocks = false;                                            // rows are code blocks
  bool live = false;                                              // top: live keys, and changing rows
  std::string recording;                                          // its name; may be empty
  std::function<std::string(unsigned width)> title;               // replaces the number of samples; may be empty
  std::function<bool(char32_t key, std::string& said)> live_key;  // top's keys: whether it is one, and its result
  std::function<std::vector<std::string>()> files;                // recordings to switch to
  std::function<Result<std::string>()> print;                     // P: writes a file, returns its name
  std::function<Result<std::string>(const BrowseLook& look)> export_rows;
  std::function<Result<std::string>(const AnnotatedCode& code)> print_code;
  std::function<std::vector<ScriptChoice>()> scripts;
  std::function<Result<std::unique_ptr<TextSource>>(const std::vector<std::string>& words, const ScriptSamples& of)>
      run_script;
  GraphValue value = GraphValue::Percent;
  bool types = false;  // show data types after instructions
  double percent_limit = 0;
  std::string filter;
  std::string times;  // "0.280-0.300 s": shown if only a part of the recording is; else empty
};

}  // namespace peregrine::tui
