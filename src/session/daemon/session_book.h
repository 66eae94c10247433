// SessionBook: the named recordings of the command `session`, as sections of a daemon's config file.
//
//   [session-boot]
//     record = -a --switch-output     options of `record`
//     events = sched:*,irq:*
//     run = -a --switch-output -e sched:*,irq:*       only while it is started: the daemon runs it
//
// Pure: the caller reads and writes the file.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "session/daemon/daemon_plan.h"

namespace peregrine {

struct BookedSession {
  std::string name;
  std::string record;               // options of `record`, as in a daemon's run
  std::vector<std::string> events;  // arguments of -e
  bool is_started = false;

  // With --overwrite: only `session snapshot` writes a file.
  bool is_snapshot() const { return record.find("--overwrite") != std::string::npos; }
  std::string run() const;
};

class SessionBook {
 public:
  static SessionBook parse(std::span<const DaemonSetting> settings);
  // The settings of all sessions: "session-boot.run".
  std::vector<DaemonSetting> settings() const;

  const std::vector<BookedSession>& sessions() const { return sessions_; }
  bool has_started() const;
  // The named session, or the last created one if the name is empty. Errors: NotFound.
  Result<BookedSession*> find(std::string_view name);
  // Errors: Usage, an invalid name, or one that exists.
  Result<BookedSession*> create(std::string_view name, std::string record);
  void remove(const std::string& name);

 private:
  std::vector<BookedSession> sessions_;  // in the order of creation
};

// Errors: Usage, text that no event has.
Result<> check_session_event(std::string_view event);
// The word in quotes if command_words() would split or change it.
std::string quoted_word(std::string_view word);

}  // namespace peregrine
