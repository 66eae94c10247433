// record -e sdt_PROVIDER:MARKER: markers of the program that is about to run, or of the observed process, become probes
// for this recording, like those of --probe. A glob means all markers of the program; markers that are already defined
// are used as they are.
//
// -e is parsed before the command is known, so the arguments are scanned once beforehand.

#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/number/parse_number.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/parser.h"
#include "cmd/probe/probe_options.h"
#include "cmd/record/record_options.h"
#include "session/probe/probe_plan.h"
#include "session/probe/temporary_probes.h"
#include "sys/root.h"

namespace peregrine::cmd {
namespace {

// The program with the markers: the command, or the one process of -p; empty: none.
std::string observed_program(const ParsedOptions& parsed, const std::vector<std::string>& uses) {
  if (!parsed.words.empty()) return parsed.words.front();
  for (const std::string& use : uses) {
    constexpr std::string_view kPid = "--pid=";
    if (!use.starts_with(kPid)) continue;
    const auto pid = to_number(std::string_view(use).substr(kPid.size()));
    if (pid) return Root().link(fmt::format("/proc/{}/exe", *pid)).value_or("");
  }
  return {};
}

// The hints of `probe`, rephrased for -e. If there is no hint, the event parser suggests a remedy: the running program
// may not be the one with the marker (-a, -p, sh -c).
Error as_event_error(Error error) {
  constexpr std::string_view kNear = "did you mean %";
  if (error.hint.starts_with(kNear))
    error.hint.erase(kNear.size() - 1, 1);
  else if (error.kind == ErrorKind::NotFound)
    error.hint.clear();
  return error;
}

}  // namespace

Result<> RecordCommandOptions::prepare(Invocation& call) {
  std::vector<std::string> uses;
  const auto parsed = name_uses(call.command.options, call.command.words_at, call.arguments, uses);
  if (!parsed || parsed->asked != Asked::Run) return {};  // parsing will report the problem
  if (std::ranges::find(uses, "--dry-run") != uses.end()) return {};
  events.sources().define_markers = [this, &call, program = observed_program(*parsed, uses)](
                                        const std::string& system, const std::string& event,
                                        bool some_exist) -> Result<bool> {
    if (some_exist && program.empty()) return false;
    const std::string wanted = fmt::format("%{}:{}", system, event);
    auto added = TemporaryProbes::add({wanted}, program, probe_home(call), ExistingProbes::Use, call.messages);
    if (added) {
      markers.push_back(std::move(*added));
      return true;
    }
    const bool unknown = added.error().kind == ErrorKind::NotFound;
    if (!some_exist && !(unknown && program.empty())) return std::unexpected(as_event_error(std::move(added.error())));
    if (!unknown)
      call.messages.warning(fmt::format("recording only existing markers: {}", added.error().message),
                            added.error().hint);
    return false;
  };
  return {};
}

}  // namespace peregrine::cmd
