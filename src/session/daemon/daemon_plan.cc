#include "session/daemon/daemon_plan.h"

#include <algorithm>
#include <expected>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "capture/daemon/command_words.h"
#include "capture/daemon/session.h"

namespace peregrine {
namespace {

// "session-NAME.run" → NAME.
std::optional<std::string> session_of_key(std::string_view key) {
  constexpr std::string_view kPrefix = "session-", kSuffix = ".run";
  if (!key.starts_with(kPrefix) || !key.ends_with(kSuffix)) return std::nullopt;
  if (key.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  return std::string(key.substr(kPrefix.size(), key.size() - kPrefix.size() - kSuffix.size()));
}

Result<> add_daemon_session(const std::string& name, const std::string& run, DaemonPlan& plan) {
  if (name.find('/') != name.npos) return fail(ErrorKind::Usage, "session '{}': the name must not contain '/'", name);
  auto words = command_words(run);
  if (!words) return fail(ErrorKind::Usage, "session '{}': {}", name, words.error().message);
  SessionPlan session{.name = name, .run = run, .words = std::move(*words)};
  const auto known = std::ranges::find(plan.sessions, name, &SessionPlan::name);
  if (known == plan.sessions.end())
    plan.sessions.push_back(std::move(session));
  else
    *known = std::move(session);
  return {};
}

}  // namespace

Result<DaemonPlan> plan_daemon(std::span<const DaemonSetting> settings, const std::string& base,
                               const std::string& folder) {
  DaemonPlan plan;
  for (const DaemonSetting& setting : settings) {
    if (setting.key == "daemon.base") plan.base = setting.value;
    if (const auto name = session_of_key(setting.key)) PEREGRINE_TRY(add_daemon_session(*name, setting.value, plan));
  }
  if (!base.empty()) plan.base = base;
  if (plan.base.empty()) {
    return std::unexpected(Error{ErrorKind::Usage, "missing base folder"}.with_hint(
        "use --base FOLDER, or set base=FOLDER in [daemon] of --config FILE or ~/.perfconfig"));
  }
  std::error_code gone;
  const std::filesystem::path whole = std::filesystem::absolute(std::filesystem::path(folder) / plan.base, gone);
  if (gone)
    return fail(ErrorKind::System, "cannot find the base folder '{}': the current folder: {}", plan.base,
                gone.message());
  plan.base = whole.lexically_normal().string();
  return plan;
}

}  // namespace peregrine
