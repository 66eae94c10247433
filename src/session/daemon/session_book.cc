#include "session/daemon/session_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <expected>

#include "base/text/printable_text.h"
#include "base/text/words.h"

namespace peregrine {
namespace {

constexpr std::string_view kSection = "session-";

bool is_session_name(std::string_view name) {
  // The names of sections are in lower case.
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789_-";
  constexpr std::size_t kLongest = 64;
  return !name.empty() && name.size() <= kLongest && name.find_first_not_of(kAllowed) == std::string_view::npos;
}

}  // namespace

std::string quoted_word(std::string_view word) {
  if (!word.empty() && word.find_first_of(" \t\"'\\") == std::string_view::npos) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string BookedSession::run() const {
  std::string run = record;
  if (!events.empty()) run += " -e " + quoted_word(fmt::format("{}", fmt::join(events, ",")));
  return run;
}

SessionBook SessionBook::parse(std::span<const DaemonSetting> settings) {
  SessionBook book;
  for (const DaemonSetting& setting : settings) {
    const std::size_t dot = setting.key.rfind('.');
    if (!setting.key.starts_with(kSection) || dot == std::string::npos) continue;
    const std::string name = setting.key.substr(kSection.size(), dot - kSection.size());
    const std::string_view key = std::string_view(setting.key).substr(dot + 1);
    auto found = std::ranges::find(book.sessions_, name, &BookedSession::name);
    if (found == book.sessions_.end()) found = book.sessions_.insert(found, BookedSession{.name = name});
    if (key == "record") found->record = setting.value;
    if (key == "events") found->events = split_words(setting.value);
    if (key == "run") found->is_started = true;
  }
  return book;
}

std::vector<DaemonSetting> SessionBook::settings() const {
  std::vector<DaemonSetting> settings;
  for (const BookedSession& session : sessions_) {
    const std::string section = fmt::format("{}{}.", kSection, session.name);
    settings.push_back({section + "record", session.record});
    if (!session.events.empty())
      settings.push_back({section + "events", fmt::format("{}", fmt::join(session.events, ","))});
    if (session.is_started) settings.push_back({section + "run", session.run()});
  }
  return settings;
}

bool SessionBook::has_started() const { return std::ranges::any_of(sessions_, &BookedSession::is_started); }

Result<BookedSession*> SessionBook::find(std::string_view name) {
  if (sessions_.empty())
    return std::unexpected(
        Error{ErrorKind::NotFound, "there are no sessions"}.with_hint("`session create NAME` creates one"));
  if (name.empty()) return &sessions_.back();
  const auto found = std::ranges::find(sessions_, name, &BookedSession::name);
  if (found != sessions_.end()) return &*found;
  return std::unexpected(
      Error{ErrorKind::NotFound, fmt::format("session '{}' not found", name)}.with_hint("`session list` lists them"));
}

Result<BookedSession*> SessionBook::create(std::string_view name, std::string record) {
  if (!is_session_name(name))
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid session name '{}'", name)}.with_hint(
        "use lower-case letters, digits, '_' and '-'"));
  if (std::ranges::find(sessions_, name, &BookedSession::name) != sessions_.end())
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("session '{}' exists already", name)}.with_hint(
        fmt::format("`session destroy {}` removes it and keeps its files", name)));
  sessions_.push_back({.name = std::string(name), .record = std::move(record), .events = {}});
  return &sessions_.back();
}

void SessionBook::remove(const std::string& name) {
  std::erase_if(sessions_, [&](const BookedSession& session) { return session.name == name; });
}

Result<> check_session_event(std::string_view event) {
  if (!event.empty() && event.find_first_of("'\"\\ ") == std::string_view::npos && is_printable(event)) return {};
  return fail(ErrorKind::Usage, "invalid event '{}'", event);
}

}  // namespace peregrine
