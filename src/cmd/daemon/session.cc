// session: named recordings in the background, as with lttng: a thin surface over `daemon` and `record`.
//
//   BASE/sessions.conf   the daemon's config file, which only this command writes (session_book.h)
//   BASE/session-NAME/   the recordings; they stay when the session is destroyed
#include <fmt/format.h>
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <expected>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concurrency/own_process.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "capture/daemon/command_words.h"
#include "capture/daemon/session.h"
#include "capture/target/workload.h"
#include "cli/frame/command.h"
#include "cli/help/answer.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/daemon/sessions.h"
#include "output/text/format/printable.h"
#include "output/text/format/text_table.h"
#include "session/daemon/session_book.h"
#include "session/daemon/session_control.h"
#include "session/daemon/session_recordings.h"

namespace peregrine::cmd {
namespace {

struct SessionOptions {
  std::string base, session;
  std::vector<std::string> events;
  bool snapshot = false, all = false;
};

constexpr Option kSessionOptions[] = {
    {.name = "base",
     .value = Value::Required,
     .metavar = "directory",
     .help = "keep the sessions and their recordings in this folder (default: ~/perf-sessions)",
     .store = set<&SessionOptions::base>},
    {.name = "session",
     .letter = 's',
     .value = Value::Required,
     .metavar = "name",
     .help = "enable-event: the session to change (default: the last created one)",
     .store = set<&SessionOptions::session>},
    {.name = "event",
     .letter = 'e',
     .value = Value::Required,
     .metavar = "event",
     .help = "create, enable-event: record this event, as record -e",
     .store = set<&SessionOptions::events>},
    {.name = "all", .help = "enable-event: record all tracepoints", .store = set<&SessionOptions::all>},
    {.name = "snapshot",
     .help = "create: keep the newest events in memory; only `session snapshot` writes a file",
     .store = set<&SessionOptions::snapshot>},
};

constexpr std::string_view kSessionUsage[] = {
    "create [<options>] [<name>] [-- <record options>]", "enable-event [-s <name>] {--all | <event>...}",
    "{start|stop|snapshot|rotate|destroy} [<name>]", "view [<name>] [-- <script options>]", "list"};
constexpr std::string_view kSessionExamples[] = {
    "perf session create boot|a session that records all CPUs, once it is started",
    "perf session enable-event 'sched:*' 'irq:*'|choose its events",
    "perf session start|record in the background",
    "perf session rotate|finish a file and go on in a new one",
    "perf session stop|finish the last file",
    "perf session view|print the events of all files",
    "perf session create --snapshot -e 'sched:*' flight|a flight recorder: `perf session snapshot` writes its file",
};

std::string automatic_name() {
  const time_t now = ::time(nullptr);
  tm parts{};
  ::localtime_r(&now, &parts);
  char stamp[32];
  ::strftime(stamp, sizeof stamp, "auto-%Y%m%d-%H%M%S", &parts);
  return stamp;
}

Result<> add_events(const std::vector<std::string>& events, BookedSession& session) {
  for (const std::string& event : events) {
    PEREGRINE_TRY(check_session_event(event));
    if (std::ranges::find(session.events, event) == session.events.end()) session.events.push_back(event);
  }
  return {};
}

// Options of `record`, checked before the session runs.
Result<> check_record_options(std::span<const std::string> words) {
  std::vector<std::string> uses;
  const auto parsed = name_uses(kRecord.options, kRecord.words_at, words, uses);
  if (!parsed) return std::unexpected(parsed.error());
  if (std::ranges::none_of(uses, [](const std::string& use) { return use.starts_with("--output="); })) return {};
  return std::unexpected(Error{ErrorKind::Usage, "-o cannot be used: a session names its files itself"}.with_hint(
      "--base FOLDER chooses the folder"));
}

// Arguments after the name are options of `record`.
Result<> create(Sessions& sessions, const SessionOptions& options, Invocation& call) {
  const bool named = !call.words.empty() && !call.words.front().starts_with('-');
  const std::string name = named ? call.words.front() : automatic_name();
  PEREGRINE_TRY(check_record_options(std::span<const std::string>(call.words).subspan(named ? 1 : 0)));
  std::string record = options.snapshot ? "--overwrite --switch-output" : "--switch-output";
  if (call.words.size() == (named ? 1u : 0u)) record += " -a";
  for (std::size_t i = named ? 1 : 0; i < call.words.size(); ++i) record += " " + quoted_word(call.words[i]);
  const auto session = sessions.book().create(name, std::move(record));
  if (!session) return std::unexpected(session.error());
  PEREGRINE_TRY(add_events(options.events, **session));
  PEREGRINE_TRY(sessions.save());
  call.out.format("Session {} created.\nRecordings will be written in {}\n", name,
                  printable(session_folder(sessions.base(), name)));
  return {};
}

// Restarts a running session with its new events. If they cannot be recorded, it goes on with the `earlier` ones; if
// that fails as well, it is stopped.
Result<> restart(Sessions& sessions, BookedSession& session, const std::vector<std::string>& earlier) {
  const std::vector<std::string> files = session_files(sessions.base(), session.name, true);
  PEREGRINE_TRY(sessions.save());
  auto started = await_start(sessions.base(), session.name);
  if (!started) {
    session.events = earlier;
    PEREGRINE_TRY(sessions.save());
    if (!await_start(sessions.base(), session.name)) {
      session.is_started = false;
      PEREGRINE_TRY(sessions.save());
      static_cast<void>(sessions.stop_idle_daemon());  // the first error counts
    }
  }
  if (session.is_snapshot()) PEREGRINE_TRY(remove_unrequested(sessions.base(), session.name, files));
  return started;
}

Result<> enable_event(Sessions& sessions, const SessionOptions& options, Invocation& call) {
  const auto session = sessions.book().find(options.session);
  if (!session) return std::unexpected(session.error());
  std::vector<std::string> events = options.events;
  events.insert(events.end(), call.words.begin(), call.words.end());
  if (options.all) events.emplace_back("*:*");
  if (events.empty()) return fail(ErrorKind::Usage, "name an event, or use --all");
  const std::vector<std::string> earlier = (*session)->events;
  PEREGRINE_TRY(add_events(events, **session));
  if ((*session)->is_started) {
    call.messages.note("the running session restarts with these events");
    PEREGRINE_TRY(restart(sessions, **session, earlier));
  } else {
    PEREGRINE_TRY(sessions.save());
  }
  call.out.format("Events of session {}: {}\n", (*session)->name,
                  printable(fmt::format("{}", fmt::join((*session)->events, ", "))));
  return {};
}

Result<> run_session_now(const Sessions& sessions, const std::string& name) {
  if (!sessions.has_daemon()) PEREGRINE_TRY(sessions.run_daemon("start"));
  return await_start(sessions.base(), name);
}

Result<> start(Sessions& sessions, BookedSession& session, Invocation& call) {
  if (session.is_started && sessions.has_daemon())
    return fail(ErrorKind::Usage, "session '{}' is already started", session.name);
  session.is_started = true;
  PEREGRINE_TRY(sessions.save());
  auto started = run_session_now(sessions, session.name);
  if (!started) {
    session.is_started = false;
    PEREGRINE_TRY(sessions.save());
    static_cast<void>(sessions.stop_idle_daemon());  // the first error counts
    return started;
  }
  call.out.format("Recording started for session {}\n", session.name);
  return {};
}

Result<> stop(Sessions& sessions, BookedSession& session, Invocation& call) {
  if (!session.is_started) return fail(ErrorKind::Usage, "session '{}' is not started", session.name);
  const std::vector<std::string> files = session_files(sessions.base(), session.name, true);
  session.is_started = false;
  PEREGRINE_TRY(sessions.save());
  PEREGRINE_TRY(await_end(sessions.base(), session.name));
  PEREGRINE_TRY(sessions.stop_idle_daemon());
  if (session.is_snapshot()) PEREGRINE_TRY(remove_unrequested(sessions.base(), session.name, files));
  const auto kept = keep_remnant(session_folder(sessions.base(), session.name));
  if (!kept) return std::unexpected(kept.error());
  call.out.format("Recording stopped for session {}: {}\n", session.name,
                  counted(session_files(sessions.base(), session.name, false).size(), "file"));
  return {};
}

Result<> finish(bool snapshot, Sessions& sessions, const BookedSession& session, Invocation& call) {
  if (session.is_snapshot() != snapshot)
    return std::unexpected(
        Error{ErrorKind::Usage,
              fmt::format("session '{}' {} a flight recorder", session.name, snapshot ? "is not" : "is")}
            .with_hint(snapshot ? "use `session rotate`, or create it with --snapshot" : "use `session snapshot`"));
  if (!session.is_started) return fail(ErrorKind::Usage, "session '{}' is not started", session.name);
  const auto file = finish_file(sessions.base(), session.name);
  if (!file) return std::unexpected(file.error());
  call.out.append(printable(*file)).append('\n');
  return {};
}

Result<> destroy(Sessions& sessions, BookedSession& session, Invocation& call) {
  if (session.is_started) PEREGRINE_TRY(stop(sessions, session, call));
  const std::string name = session.name;
  sessions.book().remove(name);
  PEREGRINE_TRY(sessions.save());
  PEREGRINE_TRY(sessions.stop_idle_daemon());
  call.out.format("Session {} destroyed. Its recordings stay in {}\n", name,
                  printable(session_folder(sessions.base(), name)));
  return {};
}

// In another process with our output: a process enters the sandbox of readers only once.
Result<WorkloadExit> run_here(const std::vector<std::string>& command) {
  sigset_t mask;
  ::sigprocmask(SIG_BLOCK, nullptr, &mask);
  auto started = Workload::start(command, mask);
  if (!started) return std::unexpected(std::move(started.error()));
  PEREGRINE_TRY(started->release());
  return started->wait();
}

// An unreadable file does not hide the others; a signal and wrong options end the view.
Result<int> view(const Sessions& sessions, const BookedSession& session, std::span<const std::string> options,
                 Invocation& call) {
  const bool is_recording = session_state(sessions.daemon_rows(), session) == SessionState::Started;
  const std::vector<std::string> files = session_files(sessions.base(), session.name, is_recording);
  if (files.empty())
    return std::unexpected(
        Error{ErrorKind::NotFound, fmt::format("session '{}' has no finished recording", session.name)}.with_hint(
            session.is_started ? "`session stop`, `rotate` or `snapshot` finishes one" : "`session start` records"));
  PEREGRINE_TRY(call.out.flush());
  int outcome = 0;
  for (const std::string& file : files) {
    std::vector<std::string> command{own_program(), "script", "-i", file};
    command.insert(command.end(), options.begin(), options.end());
    const auto exit = run_here(command);
    if (!exit) return std::unexpected(exit.error());
    if (!exit->exited() || exit->code() == kUsageExit) return exit->code();
    if (exit->code() == 0) continue;
    call.messages.warning(fmt::format("'{}' is not shown, or only in part", file));
    outcome = exit->code();
  }
  return outcome;
}

// The events of a session, with those among its options of `record`.
std::string events_text(const BookedSession& session) {
  constexpr std::string_view kEvent = "--event=";
  std::vector<std::string> events = session.events, uses;
  if (const auto words = command_words(session.record))
    static_cast<void>(name_uses(kRecord.options, kRecord.words_at, *words, uses));
  for (const std::string& use : uses)
    if (use.starts_with(kEvent)) events.push_back(use.substr(kEvent.size()));
  return events.empty() ? "default" : printable(fmt::format("{}", fmt::join(events, ", ")));
}

std::string_view state_name(SessionState state) {
  switch (state) {
    case SessionState::Started:
      return "started";
    case SessionState::Failed:
      return "failed";
    case SessionState::Ended:
      return "ended";
    case SessionState::Stopped:
      break;
  }
  return "stopped";
}

void list(Sessions& sessions, Invocation& call) {
  TextTable table({{.title = "Session", .width = 20, .align = Align::Left, .before = ""},
                   {.title = "State", .width = 8, .align = Align::Left},
                   {.title = "Files", .width = 6},
                   {.title = "Events", .align = Align::Left, .ragged = true}});
  table.titles(call.out);
  const auto rows = sessions.daemon_rows();
  for (const BookedSession& session : sessions.book().sessions()) {
    const SessionState state = session_state(rows, session);
    const auto files = session_files(sessions.base(), session.name, state == SessionState::Started);
    table.row(call.out, {session.name, state_name(state), std::to_string(files.size()), events_text(session)});
  }
}

constexpr std::string_view kSessionVerbs[] = {"create", "enable-event", "start", "stop",   "snapshot",
                                              "rotate", "view",         "list",  "destroy"};

Result<int> run_session(SessionOptions& options, Invocation& call) {
  const std::string verb = call.words.empty() ? "list" : call.words.front();
  if (std::ranges::find(kSessionVerbs, verb) == std::end(kSessionVerbs))
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown subcommand '{}'", verb)}.with_hint(
        fmt::format("must be one of {}", fmt::join(kSessionVerbs, ", "))));
  if (!call.words.empty()) call.words.erase(call.words.begin());
  const bool reads = verb == "list" || verb == "view";
  auto sessions =
      Sessions::open(options.base, reads ? Sessions::Purpose::Read : Sessions::Purpose::Change, call.config);
  if (!sessions) return std::unexpected(std::move(sessions.error()));
  if (verb == "list") {
    list(*sessions, call);
    return 0;
  }
  if (verb == "create" || verb == "enable-event") {
    PEREGRINE_TRY(verb == "create" ? create(*sessions, options, call) : enable_event(*sessions, options, call));
    return 0;
  }
  const bool named = !call.words.empty() && !call.words.front().starts_with('-');
  const auto session = sessions->book().find(named ? call.words.front() : options.session);
  if (!session) return std::unexpected(session.error());
  const std::span<const std::string> rest = std::span(call.words).subspan(named ? 1 : 0);
  if (verb == "view") return view(*sessions, **session, rest, call);
  if (!rest.empty()) return fail(ErrorKind::Usage, "unexpected argument '{}'", rest.front());
  if (verb == "start") PEREGRINE_TRY(start(*sessions, **session, call));
  if (verb == "stop") PEREGRINE_TRY(stop(*sessions, **session, call));
  if (verb == "snapshot" || verb == "rotate") PEREGRINE_TRY(finish(verb == "snapshot", *sessions, **session, call));
  if (verb == "destroy") PEREGRINE_TRY(destroy(*sessions, **session, call));
  return 0;
}

}  // namespace

constinit const Command kSession{
    .name = "session",
    .summary = "Record in the background: named sessions, as with lttng",
    .usage = kSessionUsage,
    .options = kSessionOptions,
    .first_words = [] { return std::vector<std::string_view>(std::begin(kSessionVerbs), std::end(kSessionVerbs)); },
    .description =
        "Records in the background, in named sessions: create one, choose its events, start and stop it as often as "
        "needed, and view its recordings. Without a name, the commands refer to the last created session. Commands "
        "that change sessions wait for each other.\n\n"
        "`create` adds a session, which records all CPUs; options of record after `--` replace this (-p PID). "
        "`enable-event` adds events to it; a running session restarts with them. `rotate` finishes a file and "
        "continues in a new one. With `create --snapshot` the newest events stay in memory, and `snapshot` writes them "
        "to a file. `view` prints the events of all files with `script`, and passes it the options after `--`; if it "
        "cannot read one of them, it continues with the next and ends with an error. "
        "`destroy` stops the session and forgets it, but keeps its files. Without a subcommand, session lists all "
        "sessions.\n\n"
        "Sessions run under `perf daemon`, which restarts a failed one; `list` shows it as failed until then, and its "
        "unfinished file is kept as one more file. The daemon starts with the first session and ends with the last "
        "one. Its base is ~/perf-sessions; each session has a folder there.",
    .examples = kSessionExamples,
    .since = Since::Ours,
    .run = entry<SessionOptions, run_session>,
};

}  // namespace peregrine::cmd
