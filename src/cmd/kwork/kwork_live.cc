#include "cmd/kwork/kwork_live.h"

#include <fmt/format.h>

#include <expected>

#include "base/result.h"
#include "cli/frame/command.h"

namespace peregrine::cmd {

Result<> check_use_bpf(bool use_bpf, const TracedInput& input, std::string_view times, std::chrono::milliseconds limit,
                       const Invocation& call) {
  if (!use_bpf) {
    if (limit.count() != 0) return fail(ErrorKind::Usage, "--timeout requires -b: it does not apply to recordings");
    if (call.words.empty()) return {};
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("unexpected argument '{}'", call.words.front())}.with_hint(
            "to measure while a command runs, use -b"));
  }
  const auto refuse = [](std::string_view option) {
    return fail(ErrorKind::Usage, "-b cannot be combined with {}: it does not read a recording", option);
  };
  if (!input.path.empty()) return refuse("-i");
  if (input.dump) return refuse("-D");
  if (!times.empty()) return refuse("--time");
  return {};
}

}  // namespace peregrine::cmd
