// OutputSwitch: when a recording goes on in a new file (--switch-output), and what the finished ones are called.
//
// A finished file is renamed to PATH.YYYYMMDDhhmmsscc (local time, hundredths of seconds), never over
// another; of more than `max_files` the oldest go. One thread.
#pragma once
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/types.h"

namespace peregrine {

struct SwitchCondition {
  bool by_signal = false;  // SIGUSR2
  u64 bytes = 0;           // 0: whatever the size
  std::optional<std::chrono::seconds> period;
};
// "signal", "10M" or "30s". Errors (Usage).
Result<SwitchCondition> parse_switch_condition(std::string_view text);

// PATH with the moment behind it.
std::string stamped_path(const std::string& path, std::chrono::system_clock::time_point when);

class OutputSwitch {
 public:
  OutputSwitch(std::string path, std::size_t max_files) : path_(std::move(path)), max_files_(max_files) {}
  // Renames the finished file (or directory) and gives its new name.
  Result<std::string> put_away();

 private:
  std::string path_;
  std::size_t max_files_;  // 0: keep all
  std::deque<std::string> kept_;
};

}  // namespace peregrine
