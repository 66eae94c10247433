// ftrace: the kernel's function tracers: every call as a line or a tree, or only how long calls take.
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/ftrace/ftrace_options.h"
#include "session/ftrace/ftrace_request.h"
#include "session/ftrace/ftrace_session.h"
#include "session/ftrace/tracer_settings.h"
#include "sys/kernel/tracefs.h"
#include "sys/root.h"

namespace peregrine::cmd {
namespace {

std::optional<FtraceMode> mode_of(std::string_view word) {
  if (word == "trace") return FtraceMode::Trace;
  if (word == "latency") return FtraceMode::Latency;
  if (word == "profile") return FtraceMode::Profile;
  return std::nullopt;
}

}  // namespace

Result<int> run_ftrace(FtraceOptions& options, Invocation& call) {
  FtraceRequest& request = options.request;
  if (const auto mode = call.words.empty() ? std::nullopt : mode_of(call.words.front())) {
    request.mode = *mode;
    const std::span<const std::string> behind = std::span(call.words).subspan(1);
    auto parsed = parse_options(call.command.options, Words::StopAtFirst, behind, &options, kOwner<FtraceOptions>);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    if (parsed->asked != Asked::Run) return answer(call, *parsed);
    call.words = std::move(parsed->words);
  }
  request.command = call.words;
  auto tracefs = Tracefs::find(Root());
  if (!tracefs) return std::unexpected(std::move(tracefs.error()));
  if (options.list) {
    const auto functions = traceable_functions(*tracefs, *options.list);
    if (!functions) return std::unexpected(functions.error());
    for (const std::string& function : *functions) call.out.append(function).append('\n');
    return 0;
  }
  PEREGRINE_TRY(trace_functions(std::move(request), *tracefs, call.messages, call.out));
  return 0;
}

}  // namespace peregrine::cmd
