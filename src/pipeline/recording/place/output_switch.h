// OutputSwitch: when a recording continues in a new file (--switch-output), and the names of finished ones.
//
// A finished file is renamed to PATH.YYYYMMDDhhmmsscc (local time, hundredths of seconds), never overwriting another;
// above `max_files` the oldest are removed. Works in the recording's original folder, which its place holds open: paths
// are not looked up again. One thread.
#pragma once
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/file/output_place.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct SwitchCondition {
  bool by_signal = false;  // SIGUSR2
  u64 bytes = 0;           // 0: no size limit
  std::optional<std::chrono::seconds> period;
};
// "signal", "10M" or "30s". Errors (Usage).
Result<SwitchCondition> parse_switch_condition(std::string_view text);

// PATH with the time appended.
std::string stamped_path(const std::string& path, std::chrono::system_clock::time_point when);

class OutputSwitch {
 public:
  explicit OutputSwitch(std::size_t max_files) : max_files_(max_files) {}
  // Renames the finished file (or directory) and returns its new path.
  Result<std::string> put_away(const OutputPlace& recording);

 private:
  std::size_t max_files_;         // 0: keep all
  std::deque<std::string> kept_;  // names in the folder
};

}  // namespace peregrine
