#include "cmd/report/browse.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "base/result.h"
#include "cli/frame/config.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/report/report_steps.h"
#include "cmd/sandbox/denied_files.h"
#include "cmd/script/script_places.h"
#include "output/terminal/terminal.h"
#include "output/tui/report/browser.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "session/recording/losses.h"
#include "session/recording/opened_recording.h"
#include "session/recording/trace_choice.h"
#include "session/report/browse_choice.h"
#include "session/report/browsed_recording.h"
#include "session/report/report_plan.h"
#include "session/report/report_session.h"
#include "session/report/screen_files.h"
#include "session/report/screen_scripts.h"

namespace peregrine::cmd {

namespace {

// What one view of the screen shows: a recording, or a part of its time.
struct BrowsedPart {
  std::string input;
  std::string times;
};

struct ViewEnd {
  int code = 0;
  std::optional<BrowsedPart> next;  // nothing: the user left the screen, or the recording cannot be opened
};

ReportOptions options_for(const BrowsedPart& part, ReportOptions options) {
  options.input = part.input;
  options.request.selection.times = part.times;
  return options;
}

BrowsedPart next_part(const BrowseStep& step, BrowsedRecording& recording, const ReportOptions& options) {
  return {.input = step.opened.empty() ? options.input : step.opened,
          .times = step.whole_time ? std::string() : recording.time_range(step.from, step.to)};
}

tui::ReportSettings settings_for(const ReportOptions& options, const Plan& plan, Queries& queries, const Config& config,
                                 const std::string& program) {
  tui::ReportSettings settings;
  settings.tree = options.request.grouping.hierarchy;
  settings.blocks = plan.blocks;
  settings.value = options.request.chains.graph.value;
  settings.types = options.code_with_type;
  settings.percent_limit = options.request.look.percent_limit;
  settings.filter = options.request.look.symbol_filter;
  const std::string name = recording_name(options.input);
  settings.recording = name;
  settings.files = [name] { return recordings_in(".", name); };
  settings.print = [&queries] { return write_rows(queries.page({}), "perf.hist"); };
  settings.print_code = [&plan](const AnnotatedCode& code) { return write_code(code, plan.names[code.events[0]]); };
  settings.scripts = [&] { return script_choices(ScriptPlaces::find(config).scripts, plan.names); };
  settings.run_script = [name, program](const std::vector<std::string>& words, const tui::ScriptSamples& of) {
    return start_script(script_line(program, name, words, of));
  };
  settings.export_rows = [&queries](const BrowseLook& look) { return write_rows(queries.page(look), "perf.shown"); };
  return settings;
}

// Reads up to the first record. Errors: as report shows them.
Result<> prepare(ReportSession& session, ReportCollection& collection, const ReportOptions& options,
                 OpenedRecording& reader, Invocation& call) {
  PEREGRINE_TRY(session.make_plan());
  const auto event_switch = make_event_switch(options.switching, session.plan().names, call);
  if (!event_switch) return fail(ErrorKind::NotFound, "--switch-on, --switch-off: no such event");
  collection.event_switch = *event_switch;
  collection.zooms = true;
  collection.kept_samples = static_cast<std::size_t>(std::max(options.browsed_samples, 0));
  PEREGRINE_TRY(session.choose(collection));
  const auto opened = session.open(symbol_places(options.symbols, call, reader), call.messages);
  if (!opened) return std::unexpected(opened.error());
  if (!*opened) return fail(ErrorKind::Usage, "failed to set cpu bitmap");
  return {};
}

// After reading has ended: reports losses, and why reading ended early.
void tell_problems(BrowsedRecording& recording, const ReportSession& session, OpenedRecording& reader,
                   Invocation& call) {
  const Result<>* const outcome = recording.outcome();
  if (outcome == nullptr) return;
  warn_about_denied_files(call, session.profile().machine().dsos());
  warn_about_losses(call.messages, recording.account(), reader.account());
  tell_decoding(reader, call.messages);
  if (!*outcome) call.messages.warning(outcome->error().message);
}

// Runs until the user leaves the screen; returns the request of the view that was left, empty to end.
Result<std::string> show_screen(const ReportOptions& options, const std::string& symbol, const Plan& plan,
                                BrowsedRecording& recording, Invocation& call) {
  auto screen = tui::open_screen(ScriptPlaces::find(call.config).plugins, {.colors = wants_colors(call)});
  if (!screen) return std::unexpected(std::move(screen.error()));
  tui::ReportSettings settings = settings_for(options, plan, recording.queries(), call.config, call.messages.program());
  settings.times = recording.time_text();
  tui::Browser browser(**screen, recording.queries(), settings, recording.hooks());
  browser.show_first(symbol);
  return browser.run();
}

Result<ViewEnd> show_part(const ReportOptions& options, const std::string& symbol, Invocation& call) {
  auto reader = open_recording(options.input, options.symbols.force, call.messages);
  if (!reader) {
    const Result<int> code = say_open_error(call, options.input, reader.error(), recorder_for(call.command));
    if (!code) return std::unexpected(code.error());
    return ViewEnd{.code = *code, .next = {}};
  }
  PEREGRINE_TRY(decode_recording(*reader, options.traces, usual_itrace(), options.symbols, call));
  ReportSession session(*reader, options.request, sample_source(options, *reader));
  ReportCollection collection;
  PEREGRINE_TRY(prepare(session, collection, options, *reader, call));
  auto recording = BrowsedRecording::start(
      *reader, session,
      {options.symbols.sysroot().folder, options.source_prefix, options.source_prefix_strip.value_or(0)});
  if (!recording) return std::unexpected(std::move(recording.error()));
  (*recording)->wait_for_rows();
  const auto word = show_screen(options, symbol, session.plan(), **recording, call);
  if (!word) return std::unexpected(word.error());
  tell_problems(**recording, session, *reader, call);
  if (word->empty()) return ViewEnd{};
  return ViewEnd{.next = next_part(parse_browse_step(*word), **recording, options)};
}

}  // namespace

bool wants_screen(const ReportOptions& options) {
  if (options.stdio) return false;
  const bool other = options.header || options.header_only || options.dump || options.stats || options.tasks ||
                     options.mmaps || options.request.thread_counts || options.symbols_report ||
                     options.pictures.any() || !options.format.name.empty() ||
                     !options.request.look.separator.empty() || options.input == "-";
  return options.tui || !other;
}

bool has_screen(const Invocation& call) {
  return call.out_is_terminal && is_terminal(STDIN_FILENO) && !is_dumb_terminal(call.config.variable("TERM"));
}

bool wants_colors(const Invocation& call) { return call.config.variable("NO_COLOR").value_or("").empty(); }

Result<int> browse(const ReportOptions& options, const std::string& symbol, Invocation& call) {
  const tui::ResizeHold hold;
  BrowsedPart part{.input = options.input, .times = options.request.selection.times};
  for (;;) {
    auto end = show_part(options_for(part, options), symbol, call);
    if (!end) return std::unexpected(std::move(end.error()));
    if (!end->next) return end->code;
    part = std::move(*end->next);
  }
}

std::optional<Result<int>> browse_if_wanted(const ReportOptions& options, const std::string& symbol, Invocation& call) {
  if (!wants_screen(options) || !has_screen(call)) return std::nullopt;
  Result<int> shown = browse(options, symbol, call);
  if (shown || options.tui || shown.error().kind != ErrorKind::Unsupported) return shown;
  call.messages.note(shown.error().message, shown.error().hint);
  return std::nullopt;
}

}  // namespace peregrine::cmd
