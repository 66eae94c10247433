#include "session/daemon/session_control.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <expected>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>

#include "base/concurrency/own_process.h"
#include "base/judged_file.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"
#include "capture/daemon/session.h"
#include "pipeline/recording/place/recording_entry.h"
#include "session/daemon/daemon_row.h"
#include "session/daemon/recorder_failure.h"
#include "session/daemon/session_recordings.h"

namespace peregrine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kPause(20);
constexpr std::chrono::seconds kPatience(30);

// The state of a session in the daemon's list; nothing if it has no such session.
std::optional<std::string> state_in(std::span<const std::string> rows, std::string_view name) {
  constexpr std::size_t kWidth = DaemonServer::kRowWidth;
  for (std::size_t at = kWidth; at + kWidth <= rows.size(); at += kWidth)
    if (const DaemonRow row = row_at(rows, at); row.name == name) return std::string(row.state);
  return std::nullopt;
}

// Errors: as ask_daemon().
Result<std::optional<std::string>> state_of(const std::string& base, const std::string& name) {
  const auto rows = ask_daemon(base, "list");
  if (!rows) return std::unexpected(rows.error());
  return state_in(*rows, name);
}

// A busy daemon still keeps the session; one that is gone does not.
bool has_ended(const std::string& base, const std::string& name) {
  const auto state = state_of(base, name);
  return state ? !*state : state.error().kind == ErrorKind::NotFound;
}

Error failure_of(const std::string& base, const std::string& name, std::string_view state) {
  constexpr std::size_t kLimit = std::size_t{2} << 20;
  const std::string output = session_folder(base, name) + "/output";
  const auto text = read_regular_file(output, kLimit);
  const std::string program = std::filesystem::path(own_program()).filename();
  const RecorderFailure failure = text ? failure_in(*text, program) : RecorderFailure{};
  return Error{ErrorKind::System,
               fmt::format("session '{}' does not run: {}", name, failure.reason.empty() ? state : failure.reason)}
      .with_hint(fmt::format("{}{}see '{}'", failure.hint, failure.hint.empty() ? "" : "; ", output));
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

SessionState session_state(const Result<std::vector<std::string>>& rows, const BookedSession& session) {
  if (!session.is_started) return SessionState::Stopped;
  if (!rows) return rows.error().kind == ErrorKind::NotFound ? SessionState::Ended : SessionState::Started;
  const auto state = state_in(*rows, session.name);
  if (!state) return SessionState::Ended;
  if (*state == "running") return SessionState::Started;
  return state->contains("restarts in") ? SessionState::Failed : SessionState::Ended;
}

std::vector<std::string> session_files(const std::string& base, const std::string& name, bool is_recording) {
  std::vector<std::string> files;
  for (SessionRecording& recording : recordings_in(session_folder(base, name)))
    files.push_back(std::move(recording.path));
  if (is_recording && !files.empty() && files.back().ends_with("/perf.data")) files.pop_back();
  return files;
}

Result<> await_start(const std::string& base, const std::string& name) {
  Result<std::optional<std::string>> state = std::nullopt;
  bool answers = false;
  wait_for([&] {
    // `record` answers once it has opened the events.
    const auto reply = ask_daemon(base, fmt::format("ping {}", name));
    answers = reply && reply->size() == 2 && reply->back() == "OK";
    if (answers) return true;
    state = state_of(base, name);
    return state && *state && **state != "running";
  });
  if (answers) return {};
  if (!state && state.error().kind != ErrorKind::NotFound) return std::unexpected(std::move(state.error()));
  return std::unexpected(failure_of(base, name, state && *state ? **state : "no answer"));
}

Result<> await_end(const std::string& base, const std::string& name) {
  if (wait_for([&] { return has_ended(base, name); })) return {};
  return fail(ErrorKind::System, "session '{}' did not end within {} s", name, kPatience.count());
}

Result<> remove_unrequested(const std::string& base, const std::string& name, const std::vector<std::string>& known) {
  for (const std::string& file : session_files(base, name, true))
    if (std::ranges::find(known, file) == known.end()) PEREGRINE_TRY(remove_recording(file));
  return {};
}

Result<std::string> finish_file(const std::string& base, const std::string& name) {
  const std::vector<std::string> before = session_files(base, name, true);
  const auto answer = ask_daemon(base, fmt::format("signal {}", name));
  if (!answer) return std::unexpected(answer.error());
  std::vector<std::string> after;
  const auto is_new = [&](const std::string& file) { return std::ranges::find(before, file) == before.end(); };
  const bool done = !answer->empty() && wait_for([&] {
    after = session_files(base, name, true);
    return std::ranges::any_of(after, is_new);
  });
  if (done) return *std::ranges::find_if(after, is_new);
  return std::unexpected(Error{ErrorKind::System, fmt::format("session '{}' wrote no file", name)}.with_hint(
      fmt::format("see {}/output", session_folder(base, name))));
}

}  // namespace peregrine
