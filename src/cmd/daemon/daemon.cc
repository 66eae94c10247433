// daemon: keeps the recordings of a config file running in the background, and talks to them.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "capture/daemon/bounded_output.h"
#include "capture/daemon/command_words.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"
#include "cmd/command_table.h"
#include "cmd/daemon/daemon_list.h"
#include "output/text/format/printable.h"

namespace peregrine::cmd {
namespace {

struct DaemonOptions {
  int verbose = 0;
  std::optional<std::string> separator;
  std::string base, config, session;
  bool foreground = false, csv_safe = false;
};

constexpr Option kDaemonOptions[] = {
    {.name = "verbose", .letter = 'v', .help = "also show files", .store = count<&DaemonOptions::verbose>},
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
     .help = "use this base folder instead of the config file's",
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
     .help = "with ping and signal: only this session",
     .store = set<&DaemonOptions::session>},
};

constexpr std::string_view kDaemonUsage[] = {"[<options>]", "start [<options>]", "stop [<options>]",
                                             "signal [<options>]", "ping [<options>]"};

constexpr std::string_view kDaemonExamples[] = {
    "perf daemon start --config sessions.conf|start the sessions in the background",
    "perf daemon --config sessions.conf|list running sessions and their processes",
    "perf daemon signal --config sessions.conf --session trace|trigger this flight recorder to write a file",
    "perf daemon stop --config sessions.conf|stop all sessions",
};

std::string absolute(const std::string& path) { return std::filesystem::absolute(path).lexically_normal().string(); }

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

// "session-NAME.run" → NAME.
std::optional<std::string> session_of(const Setting& setting) {
  constexpr std::string_view kPrefix = "session-", kSuffix = ".run";
  if (!setting.key.starts_with(kPrefix) || !setting.key.ends_with(kSuffix)) return std::nullopt;
  if (setting.key.size() <= kPrefix.size() + kSuffix.size()) return std::nullopt;
  return setting.key.substr(kPrefix.size(), setting.key.size() - kPrefix.size() - kSuffix.size());
}

Result<> add_session(const std::string& name, const std::string& run, DaemonPlan& plan) {
  if (name.find('/') != name.npos) return fail(ErrorKind::Usage, "session '{}': no name of a folder", name);
  auto words = peregrine::command_words(run);
  if (!words) return fail(ErrorKind::Usage, "session '{}': {}", name, words.error().message);
  SessionPlan session{.name = name, .run = run, .words = std::move(*words)};
  const auto known = std::ranges::find(plan.sessions, name, &SessionPlan::name);
  if (known == plan.sessions.end())
    plan.sessions.push_back(std::move(session));
  else
    *known = std::move(session);  // the last one counts, as of all settings
  return {};
}

Result<DaemonPlan> read_plan(const DaemonOptions& options, const Config& config) {
  const auto settings = read_settings(options, config);
  if (!settings) return std::unexpected(settings.error());
  DaemonPlan plan;
  for (const Setting& setting : *settings) {
    if (setting.key == "daemon.base") plan.base = setting.value;
    if (const auto name = session_of(setting)) PEREGRINE_TRY(add_session(*name, setting.value, plan));
  }
  if (!options.base.empty()) plan.base = options.base;
  if (plan.base.empty()) {
    return std::unexpected(Error{ErrorKind::Usage, "no base folder is named"}.with_hint(
        "--base FOLDER, or [daemon] with base=FOLDER in --config FILE or ~/.perfconfig"));
  }
  plan.base = absolute(plan.base);
  return plan;
}

std::string stamped(std::string_view line) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::localtime_r(&now.tv_sec, &parts);
  char stamp[32];
  ::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  return fmt::format("[{}.{:06}] {}\n", stamp, now.tv_nsec / 1000, printable(line));
}

// What is printed from now on goes into the base's `output`.
Result<> redirect(int output) {
  if (::dup2(output, 1) < 0 || ::dup2(output, 2) < 0) return fail_errno("dup2");
  return {};
}

// Behind fork(2).
Result<int> run_in_background(DaemonServer& server, BoundedOutput& output) {
  ::setsid();
  if (::fchdir(server.folder()) != 0) return fail_errno("fchdir");
  const auto nothing = open_file("/dev/null", O_RDONLY);
  if (!nothing) return std::unexpected(nothing.error());
  if (::dup2(nothing->get(), 0) < 0) return fail_errno("dup2");
  PEREGRINE_TRY(redirect(output.fd()));
  server.set_log([&output](std::string_view line) {
    if (output.append(stamped(line))) static_cast<void>(redirect(output.fd()));
  });
  PEREGRINE_TRY(server.run());
  return 0;
}

Result<int> start(DaemonOptions& options, Invocation& call) {
  if (!options.config.empty()) options.config = absolute(options.config);
  auto plan = read_plan(options, call.config);
  if (!plan) return std::unexpected(std::move(plan.error()));
  if (plan->sessions.empty())
    call.messages.warning("the config names no session", "[session-NAME] with run = OPTIONS OF record");
  std::error_code unknown;
  DaemonSetup setup{.plan = std::move(*plan),
                    .program = std::filesystem::read_symlink("/proc/self/exe", unknown).string(),
                    .watched = {options.config},
                    .read_plan = [&options, &call] { return read_plan(options, call.config); },
                    .log =
                        [&call](std::string_view line) {
                          call.out.append(stamped(line));
                          static_cast<void>(call.out.flush());
                        }};
  if (options.config.empty()) setup.watched = {std::string(kSystemConfig), absolute(call.config.user_file())};
  const std::string base = setup.plan.base;
  auto server = DaemonServer::open(std::move(setup));
  if (!server && server.error().kind == ErrorKind::Unsupported) {
    call.messages.verbatim(fmt::format("failed: {}\n", server.error().message));
    return 255;
  }
  if (!server) return std::unexpected(std::move(server.error()));
  if (!options.foreground) {
    auto output = BoundedOutput::open(server->folder(), base);
    if (!output) return std::unexpected(std::move(output.error()));
    const pid_t child = ::fork();
    if (child < 0) return fail_errno("fork");
    if (child > 0) {
      server->leave_to_other();
      return 0;
    }
    return run_in_background(*server, *output);
  }
  PEREGRINE_TRY(server->run());
  return 0;
}

Result<int> ask(std::string_view verb, const DaemonOptions& options, Invocation& call) {
  std::string base = options.base;
  if (base.empty()) {
    const auto plan = read_plan(options, call.config);
    if (!plan) return std::unexpected(plan.error());
    base = plan->base;
  }
  base = absolute(base);
  const bool names = verb == "ping" || verb == "signal";
  auto answer = ask_daemon(base, names ? fmt::format("{} {}", verb, options.session) : std::string(verb));
  if (!answer && answer.error().kind == ErrorKind::NotFound && answer.error().hint.empty())
    answer.error().hint = "`daemon start` starts one";
  if (!answer) return std::unexpected(std::move(answer.error()));
  if (verb == "list") {
    if (options.csv_safe && !options.separator) return fail(ErrorKind::Usage, "--csv-safe needs -x");
    const DaemonListStyle style{
        .separator = options.separator, .files = options.verbose > 0, .csv_safe = options.csv_safe};
    print_daemon_list(*answer, style, call.messages.program(), call.out);
    return 0;
  }
  for (std::size_t i = 0; names && i + 2 <= answer->size(); i += 2) {
    if (verb == "ping")
      call.out.format("{:<4} {}\n", (*answer)[i + 1], printable((*answer)[i]));
    else
      call.out.format("signal {} sent to session '{} [{}]'\n", SIGUSR2, printable((*answer)[i]), (*answer)[i + 1]);
  }
  if (names && answer->empty() && !options.session.empty())
    call.out.format("FAIL {} (not found)\n", printable(options.session));
  return 0;
}

constexpr std::string_view kVerbUsage[] = {"[<options>]"};
constexpr Command kVerbs[] = {
    {.name = "daemon start", .summary = "Start the daemon", .usage = kVerbUsage, .options = kDaemonOptions},
    {.name = "daemon stop", .summary = "Stop the daemon", .usage = kVerbUsage, .options = kDaemonOptions},
    {.name = "daemon signal", .summary = "Send SIGUSR2 to sessions", .usage = kVerbUsage, .options = kDaemonOptions},
    {.name = "daemon ping", .summary = "Ask sessions whether they run", .usage = kVerbUsage, .options = kDaemonOptions},
};

Result<int> run_verb(DaemonOptions& options, Invocation& call) {
  if (call.words.size() > 1) return fail(ErrorKind::Usage, "one command at a time, not '{}' too", call.words[1]);
  const std::string verb = call.words.empty() ? "list" : call.words[0];
  if (options.foreground && verb != "start") return fail(ErrorKind::Usage, "-f belongs to start");
  if (!options.session.empty() && verb != "ping" && verb != "signal")
    return fail(ErrorKind::Usage, "--session belongs to ping and signal");
  if (verb == "start") return start(options, call);
  if (verb == "stop" || verb == "signal" || verb == "ping" || call.words.empty()) return ask(verb, options, call);
  return std::unexpected(Error{ErrorKind::Usage, fmt::format("unknown command '{}'", verb)}.with_hint(
      "start, stop, signal, ping; none: what runs"));
}

// -h behind a verb is answered under the name of the verb.
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
    .description =
        "Runs recordings in the background and restarts those that fail. Use it for flight recorders, which write a "
        "file only when triggered (--overwrite --switch-output), or for recordings that start a new file from time to "
        "time (--switch-output=1h --switch-max-files=24). Without a subcommand it lists the running sessions.\n\n"
        "The config file has a section [daemon] with base=FOLDER, and a section [session-NAME] per session with run = "
        "followed by options and command of record. Quotes group arguments; nothing is expanded. When the file "
        "changes, the daemon starts new sessions, restarts changed ones and stops removed ones. The base and the "
        "config file must belong to you or to root, and nobody else may have write permission for the base.\n\n"
        "A session that fails or is killed is restarted after 1 second, then after 2, 4, and so on, up to 5 minutes; "
        "record renames the existing perf.data to perf.data.old. A session that succeeds, that SIGINT, SIGTERM or "
        "SIGHUP ends, or that has invalid options is not restarted until the config file changes.\n\n"
        "The base contains output (what the daemon prints), lock (its process ID), control (its socket) and a folder "
        "session-NAME per session, with output, control and ack (see `perf record --control`) and the perf.data "
        "files. An output file that reaches 1 MiB is renamed output.old.",
    .examples = kDaemonExamples,
    .run = daemon,
};

}  // namespace peregrine::cmd
