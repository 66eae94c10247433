// OpenLog: shows each perf_event_open(2), whether or not it succeeds.
//
// It serves people, with -vv, on stderr; and linux-perf's attr tests, which name a folder in PERF_TEST_ATTR and expect
// one file per call there. Main thread only; must outlive the objects that it listens to.
#pragma once
#include <string>

#include "capture/perf_event/event_matrix.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"

namespace peregrine::cmd {

class OpenLog {
 public:
  OpenLog(const Config& config, Messages& messages, bool show);
  OpenLog(const OpenLog&) = delete;

  // Empty when nobody wants to know.
  OnOpen listener();

 private:
  void show(const OpenAttempt& attempt);
  void write_file(const OpenAttempt& attempt);

  Messages& messages_;
  bool show_;
  std::string folder_;
  unsigned refused_ = 0;  // so far: a refused attempt has no descriptor to name its file by
};

// One attempt on stderr; `again` attempts have the last line only.
std::string attempt_text(const OpenAttempt& attempt);
// The file of one attempt: an INI section of that name, with every field of the attr as a number.
std::string attempt_section(const OpenAttempt& attempt, std::string_view name);

}  // namespace peregrine::cmd
