#include "sys/kernel/tracefs.h"

#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <utility>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "base/text/trim.h"
#include "base/types.h"

namespace peregrine {

namespace {

// Returns the mount point of the first file system of `type`, with the octal escapes of /proc/mounts undone.
std::optional<std::string> mount_of(std::string_view mounts, std::string_view type) {
  while (!mounts.empty()) {
    const auto line = mounts.substr(0, mounts.find('\n'));
    mounts.remove_prefix(std::min(line.size() + 1, mounts.size()));
    const auto first = line.find(' ');
    if (first == std::string_view::npos) continue;
    const auto second = line.find(' ', first + 1);
    if (second == std::string_view::npos) continue;
    const auto third = std::min(line.find(' ', second + 1), line.size());
    if (line.substr(second + 1, third - second - 1) != type) continue;
    const auto raw = line.substr(first + 1, second - first - 1);
    std::string path;
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] == '\\' && raw.size() - i > 3) {
        path += static_cast<char>((raw[i + 1] - '0') * 64 + (raw[i + 2] - '0') * 8 + (raw[i + 3] - '0'));
        i += 3;
      } else {
        path += raw[i];
      }
    }
    return path;
  }
  return std::nullopt;
}

bool plain_name(std::string_view name) {
  return !name.empty() && name.find('/') == std::string_view::npos && !name.starts_with('.');
}

// Mounts tracefs on the folder that the kernel provides, as linux-perf does. Does not touch existing mounts.
bool mount_tracefs(const Root& root) {
  constexpr const char* kPlace = "/sys/kernel/tracing";
  return root.live() && ::geteuid() == 0 && root.is_directory(kPlace) &&
         ::mount("tracefs", kPlace, "tracefs", MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RELATIME, nullptr) == 0;
}

}  // namespace

Result<Tracefs> Tracefs::find(const Root& root) {
  auto found = find_mounted(root);
  if (found || found.error().kind != ErrorKind::NotFound || !mount_tracefs(root)) return found;
  return find_mounted(root);
}

Result<Tracefs> Tracefs::find_mounted(const Root& root) {
  std::vector<std::string> places;
  if (const auto mounts = root.read("/proc/mounts")) {
    if (auto path = mount_of(*mounts, "tracefs")) places.push_back(*path);
    if (auto path = mount_of(*mounts, "debugfs")) places.push_back(*path + "/tracing");
  }
  const std::size_t mounted = places.size();
  for (const char* usual : {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"}) places.emplace_back(usual);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::string& place = places[i];
    if (root.readable(place + "/events/header_page")) return Tracefs(root, place);
    // Only root may look into tracefs, so a mounted one may seem empty.
    if (i >= mounted && !root.exists(place + "/events")) continue;
    Error error{ErrorKind::Denied, fmt::format("No permissions to read {}/events", place)};
    error.hint = fmt::format(
        "run as root, or try 'sudo mount -o remount,mode=750,gid=$(id -g) {}'; 'perf check' shows what else is needed",
        place);
    return std::unexpected(std::move(error));
  }
  Error error{ErrorKind::NotFound, "Unable to find tracefs"};
  error.hint = "Try 'sudo mount -t tracefs nodev /sys/kernel/tracing'";
  return std::unexpected(std::move(error));
}

std::vector<std::string> Tracefs::systems() const {
  auto names = root_.names(events_path());
  std::erase_if(names, [&](const std::string& name) { return !root_.is_directory(events_path() + '/' + name); });
  return names;
}

std::vector<std::string> Tracefs::events(std::string_view system) const {
  if (!plain_name(system)) return {};
  const auto folder = fmt::format("{}/{}", events_path(), system);
  auto names = root_.names(folder);
  std::erase_if(names, [&](const std::string& name) { return !root_.exists(fmt::format("{}/{}/id", folder, name)); });
  return names;
}

bool Tracefs::can_enable(std::string_view system, std::string_view event) const {
  return plain_name(system) && plain_name(event) &&
         root_.exists(fmt::format("{}/{}/{}/enable", events_path(), system, event));
}

Result<u64> Tracefs::id(std::string_view system, std::string_view event) const {
  if (!plain_name(system) || !plain_name(event))
    return fail(ErrorKind::NotFound, "unknown tracepoint {}:{}", system, event);
  const auto path = fmt::format("{}/{}/{}/id", events_path(), system, event);
  const auto text = root_.read(path);
  if (!text) return std::unexpected(text.error());
  const auto value = to_number(trim(*text));
  if (!value) return fail(ErrorKind::Malformed, "{}: not a number", path);
  return *value;
}

Result<std::string> Tracefs::format(std::string_view system, std::string_view event) const {
  if (!plain_name(system) || !plain_name(event))
    return fail(ErrorKind::NotFound, "unknown tracepoint {}:{}", system, event);
  return root_.read(fmt::format("{}/{}/{}/format", events_path(), system, event));
}

Result<std::string> Tracefs::events_file(std::string_view name) const {
  return root_.read(fmt::format("{}/{}", events_path(), name));
}

Result<std::string> Tracefs::file(std::string_view name) const {
  return root_.read(fmt::format("{}/{}", mount_, name));
}

}  // namespace peregrine
