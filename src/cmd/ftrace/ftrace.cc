// ftrace: the kernel's own tracers: events and calls of functions as lines, trees, or only how long calls take.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file/content_kind.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/tracer/trace_folder.h"
#include "capture/tracer/tracer_status.h"
#include "cli/frame/command.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/ftrace/ftrace_options.h"
#include "output/sink.h"
#include "output/text/trace/tracer_text.h"
#include "session/export/output_target.h"
#include "session/ftrace/ftrace_request.h"
#include "session/ftrace/ftrace_session.h"
#include "session/ftrace/kept_trace.h"
#include "session/ftrace/tracer_settings.h"
#include "sys/kernel/tracefs.h"
#include "sys/root.h"

namespace peregrine::cmd {
namespace {

enum class Action : u8 { Trace, Latency, Profile, Status, Start, Stop, Mark, Show, Remove };

constexpr std::pair<std::string_view, Action> kActions[] = {
    {"trace", Action::Trace},   {"events", Action::Trace}, {"latency", Action::Latency}, {"profile", Action::Profile},
    {"status", Action::Status}, {"start", Action::Start},  {"stop", Action::Stop},       {"mark", Action::Mark},
    {"show", Action::Show},     {"remove", Action::Remove}};

std::optional<Action> action_of(std::string_view word) {
  const auto* const found = std::ranges::find(kActions, word, &std::pair<std::string_view, Action>::first);
  return found == std::end(kActions) ? std::nullopt : std::optional(found->second);
}

FtraceMode mode_of(Action action) {
  if (action == Action::Latency) return FtraceMode::Latency;
  return action == Action::Profile ? FtraceMode::Profile : FtraceMode::Trace;
}

Result<> no_arguments(const Invocation& call, std::string_view action) {
  if (call.words.empty()) return {};
  return fail(ErrorKind::Usage, "ftrace {}: unexpected argument '{}'", action, call.words.front());
}

// start, stop, mark, show and remove.
Result<> use_kept_trace(Action action, const FtraceOptions& options, const Tracefs& tracefs, Invocation& call) {
  const auto trace = KeptTrace::named(tracefs, options.name, call.messages);
  if (!trace) return std::unexpected(trace.error());
  if (action == Action::Start) return trace->start(options.request, tracefs);
  if (action == Action::Mark) {
    if (call.words.empty()) return fail(ErrorKind::Usage, "ftrace mark: a text is missing");
    return trace->mark(fmt::format("{}", fmt::join(call.words, " ")));
  }
  PEREGRINE_TRY(no_arguments(call, action == Action::Stop ? "stop" : action == Action::Show ? "show" : "remove"));
  if (action == Action::Stop) return trace->stop();
  return action == Action::Show ? trace->show(call.out) : trace->remove();
}

Result<> list_functions(const FtraceOptions& options, const Tracefs& tracefs, Invocation& call) {
  const auto functions = traceable_functions(tracefs, *options.list);
  if (!functions) return std::unexpected(functions.error());
  for (const std::string& function : *functions) call.out.append(function).append('\n');
  return {};
}

Result<> act(Action action, FtraceOptions& options, const Tracefs& tracefs, Invocation& call) {
  const TraceFolder top(Root(), tracefs.mount());
  if (options.list) return list_functions(options, tracefs, call);
  if (options.list_tracers) {
    print_tracers(read_tracers(top), call.out);
    return {};
  }
  if (action == Action::Status) {
    PEREGRINE_TRY(no_arguments(call, "status"));
    print_tracer_status(read_tracer_status(top), call.out);
    return {};
  }
  if (action > Action::Status) return use_kept_trace(action, options, tracefs, call);
  return trace_functions(std::move(options.request), tracefs, call.messages, call.out);
}

}  // namespace

Result<int> run_ftrace(FtraceOptions& options, Invocation& call) {
  FtraceRequest& request = options.request;
  const auto chosen = call.words.empty() ? std::nullopt : action_of(call.words.front());
  const Action action = chosen.value_or(Action::Trace);
  if (chosen) {
    if (call.words.front() == "events" && request.tracer.empty()) request.tracer = "nop";
    request.mode = mode_of(action);
    const std::span<const std::string> behind = std::span(call.words).subspan(1);
    auto parsed = parse_options(call.command.options, Words::StopAtFirst, behind, &options, kOwner<FtraceOptions>);
    if (!parsed) return std::unexpected(std::move(parsed.error()));
    if (parsed->asked != Asked::Run) return answer(call, *parsed);
    call.words = std::move(parsed->words);
  }
  request.command = action == Action::Mark ? std::vector<std::string>() : call.words;
  auto tracefs = Tracefs::find(Root());
  if (!tracefs) return std::unexpected(std::move(tracefs.error()));
  const auto run = [&](Invocation& into) -> Result<int> {
    PEREGRINE_TRY(act(action, options, *tracefs, into));
    return 0;
  };
  if (options.output.empty() || options.output == "-") return run(call);
  return write_output(options.output, Writing::AsItGoes, ContentKind::Other, [&](Sink& out) {
    Invocation redirected = call.with_output(out);
    return run(redirected);
  });
}

}  // namespace peregrine::cmd
