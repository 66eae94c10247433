// daemon: keeps the recordings of a config file running in the background, and controls them.
#include <fmt/format.h>

#include <algorithm>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/concurrency/own_process.h"
#include "base/file/absolute_path.h"
#include "base/result.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "session/daemon/background_daemon.h"
#include "session/daemon/daemon_answer.h"
#include "session/daemon/daemon_plan.h"
#include "session/daemon/session_recordings.h"

namespace peregrine::cmd {
namespace {

struct DaemonOptions {
  int verbose = 0;
  std::optional<std::string> separator;
  std::string base, config, session;
  bool foreground = false, csv_safe = false;
};

constexpr Option kDaemonOptions[] = {
    {.name = "verbose",
     .letter = 'v',
     .help = "also show files, and the state of each session: recording or paused, bytes, samples, losses",
     .store = count<&DaemonOptions::verbose>},
    {.name = "field-separator",
     .letter = 'x',
     .value = Value::Sticky,
     .metavar = "separator",
     .help = "print machine-readable lines with this field separator (default: ,)",
     .store = set<&DaemonOptions::separator>,
     .implied = ","},
    {.name = "csv-safe",
     .help = "with -x: put an apostrophe before text that spreadsheets would run as a formula",
     .store = set<&DaemonOptions::csv_safe>,
     .since = Since::Ours},
    {.name = "base",
     .value = Value::Required,
     .metavar = "directory",
     .help = "use this base folder instead of the one in the config file",
     .store = set<&DaemonOptions::base>},
    {.name = "config",
     .value = Value::Required,
     .metavar = "config file",
     .help = "read base and sessions from this file (default: /etc/perfconfig and ~/.perfconfig)",
     .store = set<&DaemonOptions::config>},
    {.name = "foreground",
     .letter = 'f',
     .help = "with start: stay in the foreground",
     .store = set<&DaemonOptions::foreground>},
    {.name = "session",
     .value = Value::Required,
     .metavar = "session",
     .help = "with ping and signal: address only this session",
     .store = set<&DaemonOptions::session>},
};

constexpr std::string_view kDaemonUsage[] = {"[<options>]", "start [<options>]", "stop [<options>]",
                                             "signal [<options>]", "ping [<options>]"};

constexpr std::string_view kDaemonExamples[] = {
    "perf daemon start --config sessions.conf|start the sessions in the background",
    "perf daemon --config sessions.conf|list running sessions and their processes",
    "perf daemon signal --config sessions.conf --session trace|make this flight recorder write a file",
    "perf daemon stop --config sessions.conf|stop all sessions",
};

Result<std::vector<Setting>> read_settings(const DaemonOptions& options, const Config& config) {
  std::vector<std::string> problems;
  std::vector<Setting> settings;
  if (options.config.empty()) {
    const Config fresh = Config::load(config.environment(), problems);
    settings.assign(fresh.settings().begin(), fresh.settings().end());
  } else {
    settings = read_config_file(options.config, true, problems);
  }
  if (!problems.empty()) return fail(ErrorKind::Malformed, "{}", problems[0]);
  return settings;
}

// `folder`: that of a relative base; empty: the current one.
Result<DaemonPlan> read_plan(const DaemonOptions& options, const Config& config, const std::string& folder = {}) {
  const auto settings = read_settings(options, config);
  if (!settings) return std::unexpected(settings.error());
  std::vector<DaemonSetting> named;
  for (const Setting& setting : *settings) named.push_back({setting.key, setting.value});
  return plan_daemon(named, options.base, folder);
}

Result<int> start(DaemonOptions& options, Invocation& call) {
  if (!options.config.empty()) options.config = absolute_path(options.config);
  auto plan = read_plan(options, call.config);
  if (!plan) return std::unexpected(std::move(plan.error()));
  if (plan->sessions.empty())
    call.messages.warning("no sessions in the config file", "add a section [session-NAME] with run = RECORD-OPTIONS");
  const std::string folder = absolute_path(".");  // in the background, the base becomes the current folder
  DaemonSetup setup{.plan = std::move(*plan),
                    .program = own_program(),
                    .watched = {options.config},
                    .read_plan = [&options, &call, folder] { return read_plan(options, call.config, folder); },
                    .keep_remnant = keep_remnant_of,
                    .log =
                        [&call](std::string_view line) {
                          call.out.append(daemon_log_line(line));
                          static_cast<void>(call.out.flush());
                        }};
  if (options.config.empty()) setup.watched = {std::string(kSystemConfig), absolute_path(call.config.user_file())};
  const std::string base = setup.plan.base;
  auto server = DaemonServer::open(std::move(setup));
  if (!server && server.error().kind == ErrorKind::Unsupported) {
    call.messages.verbatim(fmt::format("failed: {}\n", server.error().message));
    return 255;
  }
  if (!server) return std::unexpected(std::move(server.error()));
  PEREGRINE_TRY(options.foreground ? server->run() : run_in_background(*server, base));
  return 0;
}

Result<int> ask(std::string_view verb, const DaemonOptions& options, Invocation& call) {
  std::string base = options.base;
  if (base.empty()) {
    const auto plan = read_plan(options, call.config);
    if (!plan) return std::unexpected(plan.error());
    base = plan->base;
  }
  base = absolute_path(base);
  const bool names = verb == "ping" || verb == "signal";
  std::string question(verb);
  if (names) question += " " + options.session;
  if (verb == "list" && options.verbose > 0) question += " status";
  auto answer = ask_daemon(base, question);
  if (!answer && answer.error().kind == ErrorKind::NotFound && answer.error().hint.empty())
    answer.error().hint = "start it with `daemon start`";
  if (!answer) return std::unexpected(std::move(answer.error()));
  if (verb == "list") {
    if (options.csv_safe && !options.separator) return fail(ErrorKind::Usage, "--csv-safe requires -x");
    const DaemonListStyle style{
        .separator = options.separator, .files = options.verbose > 0, .csv_safe = options.csv_safe};
    print_daemon_list(*answer, style, call.messages.program(), call.out);
    return 0;
  }
  if (names)
    print_daemon_replies(verb == "ping" ? DaemonRequest::Ping : DaemonRequest::Signal, *answer, options.session,
                         call.out);
  return names && answer->empty() && !options.session.empty() ? 255 : 0;
}

constexpr std::string_view kVerbUsage[] = {"[<options>]"};
constexpr Command kVerbs[] = {
    {.name = "daemon start", .summary = "Start the daemon", .usage = kVerbUsage, .options = kDaemonOptions},
    {.name = "daemon stop", .summary = "Stop the daemon", .usage = kVerbUsage, .options = kDaemonOptions},
    {.name = "daemon signal", .summary = "Send SIGUSR2 to sessions", .usage = kVerbUsage, .options = kDaemonOptions},
    {.name = "daemon ping",
     .summary = "Check that sessions are running",
     .usage = kVerbUsage,
     .options = kDaemonOptions},
};

Result<int> run_verb(DaemonOptions& options, Invocation& call) {
  if (call.words.size() > 1) return fail(ErrorKind::Usage, "unexpected argument '{}'", call.words[1]);
  const std::string verb = call.words.empty() ? "list" : call.words[0];
  if (options.foreground && verb != "start") return fail(ErrorKind::Usage, "-f can only be used with start");
  if (!options.session.empty() && verb != "ping" && verb != "signal")
    return fail(ErrorKind::Usage, "--session can only be used with ping or signal");
  if (verb == "start") return start(options, call);
  if (verb == "stop" || verb == "signal" || verb == "ping" || call.words.empty()) return ask(verb, options, call);
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown subcommand '{}'", verb)}.with_hint(
      "must be start, stop, signal or ping; without a subcommand, daemon lists running sessions"));
}

// Answers -h after a subcommand, under the subcommand's name.
Result<int> daemon(Invocation& call) {
  DaemonOptions options;
  auto parsed = parse_options(kDaemonOptions, Words::Anywhere, call.arguments, &options, kOwner<DaemonOptions>);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  call.words = std::move(parsed->words);
  if (parsed->asked == Asked::Run) return run_verb(options, call);
  const std::string verb = call.words.empty() ? "" : "daemon " + call.words.front();
  const auto* const named = std::ranges::find(kVerbs, verb, &Command::name);
  const bool is_verb = named != std::end(kVerbs);
  parsed->words.assign(call.words.begin() + (is_verb ? 1 : 0), call.words.end());  // filters of -h
  Invocation asked{.command = is_verb ? *named : call.command,
                   .config = call.config,
                   .messages = call.messages,
                   .out = call.out,
                   .argv = call.argv,
                   .arguments = {},
                   .out_is_terminal = call.out_is_terminal};
  return answer(asked, *parsed);
}

}  // namespace

constinit const Command kDaemon{
    .name = "daemon",
    .summary = "Keep recordings running in the background",
    .usage = kDaemonUsage,
    .options = kDaemonOptions,
    .first_words = [] { return std::vector<std::string_view>{"start", "stop", "signal", "ping"}; },
    .description =
        "Runs recordings in the background and restarts those that fail. Use it for flight recorders, which write a "
        "file only when triggered (--overwrite --switch-output), or for recordings that start a new file periodically "
        "(--switch-output=1h --switch-max-files=24). Without a subcommand, it lists the running sessions.\n\n"
        "The config file has a section [daemon] with base=FOLDER, and for each session a section [session-NAME] with "
        "run = followed by record's options and command. Quotes group arguments; nothing is expanded. When the file "
        "changes, the daemon starts new sessions, restarts changed ones and stops removed ones. The base and the "
        "config file must be owned by you or root, and nobody else may be able to write to the base.\n\n"
        "A session that fails or is killed is restarted after 1 second, then after 2, 4, and so on, up to 5 minutes; "
        "record renames the existing perf.data to perf.data.old. With --switch-output, the unfinished file of a "
        "killed record is kept as perf.data.TIME, like the finished files. A session that succeeds, is ended by "
        "SIGINT, SIGTERM or SIGHUP, or has invalid options is not restarted until the config file changes.\n\n"
        "The base contains output (what the daemon prints), lock (its process ID), control (its socket) and a folder "
        "session-NAME per session, with output, control and ack (see `perf record --control`) and the perf.data "
        "files. An output file that reaches 1 MiB is renamed output.old.",
    .examples = kDaemonExamples,
    .run = daemon,
};

}  // namespace peregrine::cmd
