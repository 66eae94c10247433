#include "capture/tracer/error_log.h"

#include <algorithm>

#include "base/text/trim.h"
#include "base/text/words.h"

namespace peregrine {

std::string last_complaint(std::string_view log) {
  constexpr std::string_view kError = ": error: ", kCommand = "\n  Command: ";
  const std::size_t entry = log.rfind("\n[");
  if (entry != std::string_view::npos) log.remove_prefix(entry + 1);
  const std::size_t reason = log.find(kError), command = log.find(kCommand);
  if (reason == std::string_view::npos || command == std::string_view::npos || command < reason) return {};
  const std::size_t begin = reason + kError.size();
  std::string text(log.substr(begin, command - begin));
  log.remove_prefix(command + kCommand.size());
  const std::size_t end = std::min(log.find('\n'), log.size());
  text.append("\n  ").append(log.substr(0, end));
  log.remove_prefix(std::min(end + 1, log.size()));
  const std::string_view caret = log.substr(0, log.find('\n'));
  constexpr std::size_t kIndent = kCommand.size() - 1;  // without the line's end
  if (caret.size() > kIndent) text.append("\n  ").append(caret.substr(kIndent));
  return text;
}

std::optional<MissingTrigger> missing_trigger(std::string_view trigger, std::string_view listed) {
  constexpr std::string_view kTitle = "# Available triggers:\n#";
  const std::size_t title = listed.find(kTitle);
  if (title == std::string_view::npos) return std::nullopt;
  const std::string_view rest = listed.substr(title + kTitle.size());
  MissingTrigger missing{.name = std::string(trim(trigger.substr(0, trigger.find_first_of(": ")))),
                         .available = split_words(trim(rest.substr(0, rest.find('\n'))), ' ')};
  if (std::ranges::find(missing.available, missing.name) != missing.available.end()) return std::nullopt;
  return missing;
}

}  // namespace peregrine
