#include "cmd/sandbox/page_opener.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "sys/process/program_path.h"

namespace peregrine::cmd {

namespace {

// The first of $BROWSER, which may be a list separated by colons; else xdg-open; "" without either.
std::string browser_of(const Config& config) {
  const std::string_view chosen = config.variable("BROWSER").value_or("");
  if (const std::string_view first = chosen.substr(0, chosen.find(':')); !first.empty()) return std::string(first);
  constexpr std::string_view kUsual = "xdg-open";
  return find_program(kUsual, config.search_path()).empty() ? std::string() : std::string(kUsual);
}

}  // namespace

Result<> check_open(std::string_view file, std::string_view options) {
  if (!file.empty() && file != "-") return {};
  return fail(ErrorKind::Usage, "--open requires {}", options);
}

PageOpener::PageOpener(const std::string& file, Invocation& call) {
  const std::string browser = browser_of(call.config);
  if (browser.empty()) {
    call.messages.warning(fmt::format("cannot open '{}': no browser found", file),
                          "set BROWSER to a program that opens pages, or install xdg-utils");
    return;
  }
  std::error_code unknown;
  std::vector<std::string> environment(call.config.environment().begin(), call.config.environment().end());
  environment.push_back("PEREGRINE_PAGE=" + std::filesystem::absolute(file, unknown).string());
  // A pager reads its text, this shell a line; it does not wait for the browser.
  const std::string command =
      fmt::format("read -r line && {{ {} \"$PEREGRINE_PAGE\" </dev/null >/dev/null & }}", browser);
  auto started = Pager::start(command, environment);
  if (!started)
    call.messages.warning(fmt::format("cannot open '{}': {}", file, started.error().message));
  else
    waiting_.emplace(std::move(*started));
}

void PageOpener::open() {
  if (!waiting_) return;
  static_cast<void>(!::write(waiting_->fd(), "\n", 1));
  waiting_.reset();
}

}  // namespace peregrine::cmd
