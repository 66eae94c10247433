// OpenLog: shows each perf_event_open(2), whether or not it succeeds.
//
// Used by people, with -vv, through the listener; and by linux-perf's attr tests, which name a folder and expect one
// file per call there. One thread; must outlive the objects that it observes.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "capture/perf_event/event_matrix.h"
#include "session/session_listener.h"

namespace peregrine {

class OpenLog {
 public:
  // `show`: report each attempt to `listener`, which must outlive this. `folder`: for files; empty: no files.
  OpenLog(SessionListener& listener, bool show, std::string folder)
      : listener_(listener), show_(show), folder_(std::move(folder)) {}
  OpenLog(const OpenLog&) = delete;

  // Empty if there is nothing to log to.
  OnOpen listener();

 private:
  void show(const OpenAttempt& attempt);
  void write_file(const OpenAttempt& attempt);

  SessionListener& listener_;
  bool show_;
  std::string folder_;
  unsigned refused_ = 0;  // failed attempts so far: they have no descriptor to name their files by
};

// Shows one attempt to people; for repeated (`again`) attempts, only the last line.
std::string attempt_text(const OpenAttempt& attempt);
// Writes the file of one attempt: an INI section `name`, with every field of the attr as a number.
std::string attempt_section(const OpenAttempt& attempt, std::string_view name);

}  // namespace peregrine
