#include "session/events/open_log.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstddef>

#include "base/file/output_place.h"
#include "event/attr_text.h"
#include "output/text_file.h"

namespace peregrine {
namespace {

// A refused event has no descriptor: a number below -1 replaces it, so that members of its group can refer to it.
int descriptor_of(std::size_t event, int fd) { return fd >= 0 ? fd : -2 - static_cast<int>(event); }

}  // namespace

OnOpen OpenLog::listener() {
  if (!show_ && folder_.empty()) return {};
  return [this](const OpenAttempt& attempt) {
    if (show_ && attempt.asked) show(attempt);
    if (!folder_.empty()) write_file(attempt);
  };
}

void OpenLog::show(const OpenAttempt& attempt) { listener_.verbatim(attempt_text(attempt)); }

void OpenLog::write_file(const OpenAttempt& attempt) {
  const std::string end =
      attempt.result >= 0 ? fmt::format("{}", attempt.result) : fmt::format("refused{}", ++refused_);
  const std::string name = fmt::format("event-{}-{}-{}", attempt.attr.type, attempt.attr.config, end);
  const std::string text = attempt_section(attempt, name);
  const auto file = create_text_file(folder_ + "/" + name, {.mode = kSharedMode});
  if (!file || ::write(file->get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    listener_.warning(fmt::format("cannot write an event attr to {}/{}", folder_, name),
                      "PERF_TEST_ATTR must name a writable folder");
    folder_.clear();
  }
}

std::string attempt_text(const OpenAttempt& attempt) {
  constexpr std::string_view kLine = "------------------------------------------------------------\n";
  std::string text;
  if (!attempt.again) {
    text.append(kLine).append("perf_event_attr:\n");
    for (const auto& [name, value] : attr_fields(attempt.attr)) text += fmt::format("  {:<32} {}\n", name, value);
    text.append(kLine);
  }
  text += fmt::format("sys_perf_event_open: pid {}  cpu {}  group_fd {}  flags {:#x}", attempt.pid, attempt.cpu,
                      attempt.group_fd, attempt.flags);
  if (attempt.result >= 0) return text + fmt::format(" = {}\n", attempt.result);
  return text + fmt::format("\nsys_perf_event_open failed, error {}\n", attempt.result);
}

std::string attempt_section(const OpenAttempt& attempt, std::string_view name) {
  const int fd = descriptor_of(attempt.event, attempt.result);
  const int group = attempt.leader == attempt.event ? -1 : descriptor_of(attempt.leader, attempt.group_fd);
  std::string text = fmt::format("[{}]\nfd={}\ngroup_fd={}\ncpu={}\npid={}\nflags={}\n", name, fd, group, attempt.cpu,
                                 attempt.pid, attempt.flags);
  for (const auto& [field, value] : attr_numbers(attempt.attr)) text += fmt::format("{}={}\n", field, value);
  return text;
}

}  // namespace peregrine
