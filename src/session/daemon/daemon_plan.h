// Turns the settings of a config file into the plan of a daemon: its base folder, and the recordings that it keeps
// running.
//
//   [daemon]         base = /var/lib/perf
//   [session-cpu]    run = -e cycles --overwrite --switch-output -a
#pragma once
#include <span>
#include <string>

#include "base/result.h"
#include "capture/daemon/daemon_server.h"

namespace peregrine {

struct DaemonSetting {
  std::string key, value;  // "session-cpu.run"
};

// Ignores settings of other sections; if a key is set twice, the later value wins. `base`: the folder to use instead of
// the config file's; empty: not given. A relative base is below `folder`, or below the current folder if that is empty.
// Errors: Usage, no base is named, a session's name is not a valid folder name, or its arguments have an unterminated
// quote.
Result<DaemonPlan> plan_daemon(std::span<const DaemonSetting> settings, const std::string& base,
                               const std::string& folder = {});

}  // namespace peregrine
