#include "cmd/daemon/sessions.h"

#include <sys/file.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <expected>

#include "base/concurrency/own_process.h"
#include "base/file/absolute_path.h"
#include "base/file/make_folders.h"
#include "base/file/output_file.h"
#include "base/text/trim.h"
#include "capture/daemon/base_folder.h"
#include "capture/daemon/daemon_socket.h"
#include "cli/frame/config_edit.h"

namespace peregrine::cmd {

Result<Sessions> Sessions::open(const std::string& base, Purpose purpose, const Config& config) {
  std::string folder = base;
  if (folder.empty()) {
    if (config.home().empty()) return fail(ErrorKind::Usage, "HOME is not set: use --base FOLDER");
    folder = config.home() + "/perf-sessions";
  }
  Sessions sessions(absolute_path(folder));
  PEREGRINE_TRY(make_folders(sessions.base_, 0700));
  if (purpose == Purpose::Change) PEREGRINE_TRY(sessions.lock());
  std::vector<std::string> problems;
  std::vector<DaemonSetting> settings;
  for (Setting& setting : read_config_file(sessions.config(), false, problems))
    settings.push_back({std::move(setting.key), std::move(setting.value)});
  if (!problems.empty()) return fail(ErrorKind::Malformed, "{}", problems[0]);
  sessions.book_ = SessionBook::parse(settings);
  return sessions;
}

Result<> Sessions::lock() {
  auto folder = open_base_folder(base_);
  if (!folder) return std::unexpected(std::move(folder.error()));
  PEREGRINE_TRY(judge_folder(folder->get(), base_));
  while (::flock(folder->get(), LOCK_EX) != 0)
    if (errno != EINTR) return fail_errno(base_);
  lock_ = std::move(*folder);
  return {};
}

Result<> Sessions::save() const {
  std::string text = "# sessions of the command session, which rewrites this file\n";
  for (const DaemonSetting& setting : book_.settings()) {
    const std::size_t dot = setting.key.rfind('.');
    auto changed = with_setting(text, setting.key.substr(0, dot), setting.key.substr(dot + 1), setting.value);
    if (!changed) return std::unexpected(std::move(changed.error()));
    text = std::move(*changed);
  }
  auto file = OutputFile::create(config());
  if (!file) return std::unexpected(std::move(file.error()));
  PEREGRINE_TRY(write_all(file->fd(), text.data(), text.size()));
  return file->finish();
}

Result<std::vector<std::string>> Sessions::daemon_rows() const { return ask_daemon(base_, "list"); }

bool Sessions::has_daemon() const {
  const auto rows = daemon_rows();
  return rows || rows.error().kind != ErrorKind::NotFound;
}

Result<> Sessions::run_daemon(const std::string& verb) const {
  constexpr std::chrono::seconds kPatience(60);
  const std::vector<std::string> arguments{"daemon", verb, "--config", config(), "--base", base_};
  const auto run = run_own(arguments, base_, kPatience);
  if (!run) return std::unexpected(run.error());
  if (run->exit == 0) return {};
  return fail(ErrorKind::System, "cannot {} the daemon: {}", verb, trim(run->err));
}

Result<> Sessions::stop_idle_daemon() const {
  if (book_.has_started() || !has_daemon()) return {};
  return run_daemon("stop");
}

}  // namespace peregrine::cmd
