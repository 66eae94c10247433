#include "session/daemon/session_control.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <thread>

#include "base/file/folder_entries.h"
#include "base/judged_file.h"
#include "base/text/trim.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"
#include "session/daemon/daemon_row.h"

namespace peregrine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause(20);
constexpr std::chrono::seconds kPatience(30);

// The state of a session in the daemon's list; nothing if it has no such session, or does not run.
std::optional<std::string> state_of(const std::string& base, const std::string& name) {
  const auto rows = ask_daemon(base, "list");
  constexpr std::size_t kWidth = DaemonServer::kRowWidth;
  for (std::size_t at = kWidth; rows && at + kWidth <= rows->size(); at += kWidth)
    if (const DaemonRow row = row_at(*rows, at); row.name == name) return std::string(row.state);
  return std::nullopt;
}

std::string last_line_of(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{2} << 20;
  const auto text = read_regular_file(path, kLimit);
  if (!text) return {};
  const std::string_view lines = trim(*text);
  return std::string(lines.substr(lines.rfind('\n') + 1));
}

template <class Condition>
bool wait_for(Condition condition) {
  const auto end = Clock::now() + kPatience;
  while (!condition()) {
    if (Clock::now() > end) return false;
    std::this_thread::sleep_for(kPause);
  }
  return true;
}

}  // namespace

std::string session_folder(const std::string& base, const std::string& name) {
  return fmt::format("{}/session-{}", base, name);
}

std::vector<std::string> session_files(const std::string& base, const std::string& name) {
  constexpr std::string_view kFinished = "perf.data.";  // with the time; perf.data is being written
  const std::string folder = session_folder(base, name);
  std::vector<std::string> files;
  for (const std::string& entry : names_in_folder(folder)) {
    const std::string path = fmt::format("{}/{}", folder, entry);
    struct stat status{};
    if (entry.starts_with(kFinished) && !entry.ends_with(".old") && ::stat(path.c_str(), &status) == 0 &&
        S_ISREG(status.st_mode))
      files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

Result<> await_start(const std::string& base, const std::string& name) {
  std::string state = "no answer";
  bool answers = false;
  wait_for([&] {
    // `record` answers once it has opened the events.
    const auto reply = ask_daemon(base, fmt::format("ping {}", name));
    answers = reply && reply->size() == 2 && reply->back() == "OK";
    if (!answers) state = state_of(base, name).value_or("no answer");
    return answers || (state != "running" && state != "no answer");
  });
  if (answers) return {};
  const std::string output = session_folder(base, name) + "/output", said = last_line_of(output);
  return std::unexpected(Error{ErrorKind::System, fmt::format("session '{}' does not run: {}", name, state)}.with_hint(
      said.empty() ? "see " + output : said));
}

Result<> await_end(const std::string& base, const std::string& name) {
  if (wait_for([&] { return !state_of(base, name); })) return {};
  return fail(ErrorKind::System, "session '{}' did not end within {} s", name, kPatience.count());
}

Result<std::string> finish_file(const std::string& base, const std::string& name) {
  const std::vector<std::string> before = session_files(base, name);
  const auto answer = ask_daemon(base, fmt::format("signal {}", name));
  if (!answer) return std::unexpected(answer.error());
  std::vector<std::string> after;
  const auto is_new = [&](const std::string& file) { return std::ranges::find(before, file) == before.end(); };
  const bool done = !answer->empty() && wait_for([&] {
    after = session_files(base, name);
    return std::ranges::any_of(after, is_new);
  });
  if (done) return *std::ranges::find_if(after, is_new);
  return std::unexpected(Error{ErrorKind::System, fmt::format("session '{}' wrote no file", name)}.with_hint(
      fmt::format("see {}/output", session_folder(base, name))));
}

}  // namespace peregrine
