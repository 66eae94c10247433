#include "pipeline/recording/place/output_switch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <expected>
#include <utility>

#include "base/number/quantity.h"
#include "base/result.h"
#include "pipeline/recording/place/recording_entry.h"

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
        Error{ErrorKind::Usage, fmt::format("invalid --switch-output '{}': must be signal, a size or a time", text)}
            .with_hint("such as signal, 100M (B, K, M, G) or 30s (s, m, h, d)"));
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

namespace {

constexpr int kMostNames = 1000;

// Returns 0 or an errno. Never replaces an existing file; where the file system lacks RENAME_NOREPLACE, it checks
// first.
int rename_aside(const OutputPlace& from, const std::string& to) {
  const int folder = from.folder();
  if (::renameat2(folder, from.name().c_str(), folder, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::faccessat(folder, to.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return ::renameat(folder, from.name().c_str(), folder, to.c_str()) == 0 ? 0 : errno;
}

// Only a recording may be renamed, never a device or whatever else is there now.
Result<> check_recording(const OutputPlace& place) {
  const auto entry = judge_entry(place);
  if (!entry) return std::unexpected(entry.error());
  using Kind = RecordingEntry::Kind;
  if (entry->kind == Kind::Nothing) return fail_errno(place.path(), ENOENT);
  if (entry->kind == Kind::File || entry->kind == Kind::Folder || entry->kind == Kind::Link) return {};
  return fail(ErrorKind::Denied, "'{}' is no longer the recording: not renamed", place.path());
}

}  // namespace

// The stamp counts hundredths of a second. If a name is taken, the next hundredth is used.
Result<std::string> OutputSwitch::put_away(const OutputPlace& recording) {
  PEREGRINE_TRY(check_recording(recording));
  auto when = std::chrono::system_clock::now();
  std::string name = stamped_path(recording.name(), when);
  int error = rename_aside(recording, name);
  for (int tries = 1; error == EEXIST && tries < kMostNames; ++tries) {
    when += std::chrono::milliseconds(10);
    name = stamped_path(recording.name(), when);
    error = rename_aside(recording, name);
  }
  std::string path = recording.beside(name);
  if (error != 0) return fail_errno(path, error);
  kept_.push_back(std::move(name));
  if (max_files_ != 0 && kept_.size() > max_files_) {
    // If something else is there now, remove_recording() keeps it.
    if (const auto oldest = recording.sibling(kept_.front())) static_cast<void>(remove_recording(*oldest));
    kept_.pop_front();
  }
  return path;
}

}  // namespace peregrine
