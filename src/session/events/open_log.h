// OpenLog: shows each perf_event_open(2), whether or not it succeeds.
//
// It serves people, with -vv, through the listener; and linux-perf's attr tests, which name a folder and expect one
// file per call there. One thread; must outlive the objects that it listens to.
#pragma once
#include <string>
#include <string_view>
#include <utility>

#include "capture/perf_event/event_matrix.h"
#include "session/session_listener.h"

namespace peregrine {

class OpenLog {
 public:
  // `show`: each attempt goes to `listener`, which outlives this. `folder`: for files; empty for none.
  OpenLog(SessionListener& listener, bool show, std::string folder)
      : listener_(listener), show_(show), folder_(std::move(folder)) {}
  OpenLog(const OpenLog&) = delete;

  // Empty if there is neither.
  OnOpen listener();

 private:
  void show(const OpenAttempt& attempt);
  void write_file(const OpenAttempt& attempt);

  SessionListener& listener_;
  bool show_;
  std::string folder_;
  unsigned refused_ = 0;  // attempts so far: they have no descriptor that could name their files
};

// One attempt for people; `again` attempts have the last line only.
std::string attempt_text(const OpenAttempt& attempt);
// The file of one attempt: an INI section `name`, with every field of the attr as a number.
std::string attempt_section(const OpenAttempt& attempt, std::string_view name);

}  // namespace peregrine
