#include "session/daemon/session_recordings.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <expected>
#include <string_view>

#include "base/file/folder_entries.h"
#include "base/file/output_place.h"
#include "pipeline/recording/place/output_switch.h"

namespace peregrine {
namespace {

constexpr std::string_view kCurrentRecording = "perf.data";

// In the order of the list; nothing for other files.
std::optional<int> recording_rank(std::string_view name) {
  if (!name.starts_with(kCurrentRecording)) return std::nullopt;
  const std::string_view rest = name.substr(kCurrentRecording.size());
  if (rest.empty()) return 2;
  if (rest == ".old") return 1;
  const bool is_time =
      rest.size() > 1 && rest.front() == '.' && rest.find_first_not_of("0123456789", 1) == std::string_view::npos;
  return is_time ? std::optional(0) : std::nullopt;
}

bool has_timestamped_files(const SessionPlan& plan) {
  for (const std::string& word : plan.words) {
    if (word == "--") return false;
    if (word.starts_with("--switch-output")) return true;
  }
  return false;
}

}  // namespace

std::vector<SessionRecording> recordings_in(const std::string& folder) {
  struct Ranked {
    int rank;
    SessionRecording recording;
  };
  std::vector<Ranked> found;
  for (const std::string& name : names_in_folder(folder)) {
    const auto rank = recording_rank(name);
    std::string path = fmt::format("{}/{}", folder, name);
    struct stat status{};
    if (rank && ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      found.push_back({*rank, {std::move(path), static_cast<u64>(status.st_size)}});
  }
  std::ranges::stable_sort(found, {}, &Ranked::rank);
  std::vector<SessionRecording> recordings;
  for (Ranked& one : found) recordings.push_back(std::move(one.recording));
  return recordings;
}

Result<std::optional<std::string>> keep_remnant(const std::string& folder) {
  const std::string path = fmt::format("{}/{}", folder, kCurrentRecording);
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size == 0) return std::nullopt;
  const auto place = OutputPlace::at(path);
  if (!place) return std::unexpected(place.error());
  auto kept = OutputSwitch(0).put_away(*place);
  if (!kept) return std::unexpected(std::move(kept.error()));
  return std::move(*kept);
}

std::string keep_remnant_of(const SessionPlan& plan, const std::string& folder) {
  if (!has_timestamped_files(plan)) return {};
  const auto kept = keep_remnant(folder);
  if (!kept)
    return fmt::format("session '{}': cannot keep the unfinished file of its last record: {}", plan.name,
                       kept.error().message);
  if (!*kept) return {};
  return fmt::format("session '{}': the unfinished file of its last record is now {}", plan.name, **kept);
}

}  // namespace peregrine
