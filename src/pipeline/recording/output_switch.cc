#include "pipeline/recording/output_switch.h"

#include <ctime>
#include <filesystem>

#include "base/quantity.h"

namespace peregrine {

Result<SwitchCondition> parse_switch_condition(std::string_view text) {
  SwitchCondition condition;
  if (text == "signal") {
    condition.by_signal = true;
  } else if (const auto bytes = parse_bytes(text)) {
    condition.bytes = *bytes;
  } else if (const auto period = parse_seconds(text)) {
    condition.period = *period;
  } else {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("--switch-output: neither signal, nor a size, nor a time: '{}'", text)}
            .with_hint("signal, 100M (B, K, M, G) or 30s (s, m, h, d)"));
  }
  return condition;
}

std::string stamped_path(const std::string& path, std::chrono::system_clock::time_point when) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
  const std::time_t seconds = static_cast<std::time_t>(since / 1000);
  std::tm local{};
  ::localtime_r(&seconds, &local);
  char text[32] = {};
  (void)std::strftime(text, sizeof text, "%Y%m%d%H%M%S", &local);
  return fmt::format("{}.{}{:02}", path, text, since % 1000 / 10);
}

Result<std::string> OutputSwitch::put_away() {
  std::string name = stamped_path(path_, std::chrono::system_clock::now());
  std::error_code error;
  std::filesystem::rename(path_, name, error);
  if (error) return fail_errno(name, error.value());
  kept_.push_back(name);
  if (max_files_ != 0 && kept_.size() > max_files_) {
    std::filesystem::remove_all(kept_.front(), error);
    kept_.pop_front();
  }
  return name;
}

}  // namespace peregrine
