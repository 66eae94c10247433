// daemon: keeps the recordings of a config file running in the background, and talks to them.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "capture/daemon/command_words.h"
#include "capture/daemon/daemon_server.h"
#include "capture/daemon/daemon_socket.h"
#include "cmd/command_table.h"
#include "output/text/printable.h"

namespace peregrine::cmd {
namespace {

struct DaemonOptions {
  int verbose = 0;
  std::optional<std::string> separator;
  std::string base, config, session;
  bool foreground = false;
};

constexpr Option kOptions[] = {
    {.name = "verbose", .letter = 'v', .help = "show the files too", .store = count<&DaemonOptions::verbose>},
    {.name = "field-separator",
     .letter = 'x',
     .value = Value::Sticky,
     .metavar = "separator",
     .help = "print lines for programs, with this between the fields (default: ,)",
     .store = set<&DaemonOptions::separator>,
     .implied = ","},
    {.name = "base",
     .value = Value::Required,
     .metavar = "directory",
     .help = "the daemon's folder, instead of the config file's",
     .store = set<&DaemonOptions::base>},
    {.name = "config",
     .value = Value::Required,
     .metavar = "config file",
     .help = "read the base and the sessions from it (default: /etc/perfconfig and ~/.perfconfig)",
     .store = set<&DaemonOptions::config>},
    {.name = "foreground",
     .letter = 'f',
     .help = "with start: stay on the terminal",
     .store = set<&DaemonOptions::foreground>},
    {.name = "session",
     .value = Value::Required,
     .metavar = "session",
     .help = "with ping and signal: only this session",
     .store = set<&DaemonOptions::session>},
};

constexpr std::string_view kUsage[] = {"[<options>]", "start [<options>]", "stop [<options>]", "signal [<options>]",
                                       "ping [<options>]"};

constexpr std::string_view kExamples[] = {
    "perf daemon start --config sessions.conf|start its sessions in the background",
    "perf daemon --config sessions.conf|what runs, with which process",
    "perf daemon signal --config sessions.conf --session trace|let this flight recorder write a file",
    "perf daemon stop --config sessions.conf|end all of them",
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
  auto words = command_words(run);
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

Result<> check_base(const std::string& base) {
  struct stat status{};
  if (::stat(base.c_str(), &status) != 0) {
    if (errno != ENOENT) return fail_errno(fmt::format("base '{}'", base));
    return std::unexpected(Error{ErrorKind::NotFound, fmt::format("base '{}' does not exist", base)}.with_hint(
        fmt::format("mkdir -p {}", base)));
  }
  if (!S_ISDIR(status.st_mode)) return fail(ErrorKind::NotFound, "base '{}' is not a folder", base);
  return {};
}

// Leaves the terminal; what is printed from now on goes into the base's `output`.
Result<> leave_terminal(const std::string& base) {
  ::setsid();
  if (::chdir(base.c_str()) != 0) return fail_errno(base);
  const auto nothing = open_file("/dev/null", O_RDONLY);
  if (!nothing) return std::unexpected(nothing.error());
  const auto output = open_file(base + "/output", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0644);
  if (!output) return std::unexpected(output.error());
  if (::dup2(nothing->get(), 0) < 0 || ::dup2(output->get(), 1) < 0 || ::dup2(output->get(), 2) < 0)
    return fail_errno("dup2");
  return {};
}

void log_line(std::string_view line, Sink& out) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  tm parts{};
  ::localtime_r(&now.tv_sec, &parts);
  char stamp[32];
  ::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &parts);
  out.format("[{}.{:06}] {}\n", stamp, now.tv_nsec / 1000, printable(line));
  static_cast<void>(out.flush());  // a full disk ends no recording
}

Result<int> start(DaemonOptions& options, Invocation& call) {
  if (!options.config.empty()) options.config = absolute(options.config);
  auto plan = read_plan(options, call.config);
  if (!plan) return std::unexpected(std::move(plan.error()));
  PEREGRINE_TRY(check_base(plan->base));
  if (plan->sessions.empty())
    call.messages.warning("the config names no session", "[session-NAME] with run = OPTIONS OF record");
  std::error_code unknown;
  DaemonSetup setup{.plan = std::move(*plan),
                    .program = std::filesystem::read_symlink("/proc/self/exe", unknown).string(),
                    .watched = {options.config},
                    .read_plan = [&options, &call] { return read_plan(options, call.config); },
                    .log = [&call](std::string_view line) { log_line(line, call.out); }};
  if (options.config.empty()) setup.watched = {std::string(kSystemConfig), absolute(call.config.user_file())};
  const std::string base = setup.plan.base;
  auto server = DaemonServer::open(std::move(setup));
  if (!server && server.error().kind == ErrorKind::Unsupported) {
    call.messages.verbatim(fmt::format("failed: {}\n", server.error().message));
    return 255;
  }
  if (!server) return std::unexpected(std::move(server.error()));
  if (!options.foreground) {
    const pid_t child = ::fork();
    if (child < 0) return fail_errno("fork");
    if (child > 0) return 0;
    PEREGRINE_TRY(leave_terminal(base));
  }
  PEREGRINE_TRY(server->run());
  return 0;
}

// "1.2 MB in 3 files": what a session has recorded so far.
std::string recorded_text(const std::string& folder) {
  std::error_code error;
  u64 bytes = 0, files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (!entry.path().filename().string().starts_with("perf.data") || !entry.is_regular_file(error)) continue;
    bytes += entry.file_size(error);
    ++files;
  }
  return fmt::format("{:.1f} MB in {} file{}", static_cast<double>(bytes) / 1e6, files, files == 1 ? "" : "s");
}

void print_for_programs(const std::vector<std::string>& rows, std::string_view separator, Sink& out) {
  for (std::size_t i = 0; i + 5 <= rows.size(); i += 5) {
    const std::string& folder = rows[i + 3];
    std::vector<std::string> fields{rows[i], rows[i + 1]};
    if (i == 0)
      fields.insert(fields.end(), {folder, folder + "/output", folder + "/lock"});
    else
      fields.insert(fields.end(), {rows[i + 2], folder, folder + "/output", folder + "/control", folder + "/ack"});
    for (const std::string& field : fields) out.append(printable(field)).append(separator);
    out.append(rows[i + 4]).append('\n');
  }
}

void print_for_people(const std::vector<std::string>& rows, std::string_view program, bool files, Sink& out) {
  for (std::size_t i = 0; i + 5 <= rows.size(); i += 5) {
    const std::string folder = printable(rows[i + 3]);
    if (i == 0)
      out.format("[{}:daemon] base: {}\n", rows[i], folder);
    else
      out.format("[{}:{}] {} record {}\n", rows[i], printable(rows[i + 1]), program, printable(rows[i + 2]));
    if (!files) continue;
    if (i != 0) out.format("  base:    {}\n", folder);
    out.format("  output:  {}/output\n", folder);
    if (i == 0)
      out.format("  lock:    {}/lock\n", folder);
    else
      out.format("  control: {0}/control\n  ack:     {0}/ack\n  data:    {1}\n", folder, recorded_text(rows[i + 3]));
    out.format("  up:      {} minutes\n", rows[i + 4]);
  }
}

Result<int> list(const DaemonOptions& options, const std::vector<std::string>& rows, Invocation& call) {
  if (options.separator)
    print_for_programs(rows, *options.separator, call.out);
  else
    print_for_people(rows, call.messages.program(), options.verbose > 0, call.out);
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
  PEREGRINE_TRY(check_base(base));
  const bool names = verb == "ping" || verb == "signal";
  auto answer = ask_daemon(base, names ? fmt::format("{} {}", verb, options.session) : std::string(verb));
  if (!answer && answer.error().kind == ErrorKind::NotFound) answer.error().hint = "`daemon start` starts one";
  if (!answer) return std::unexpected(std::move(answer.error()));
  if (verb == "list") return list(options, *answer, call);
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

Result<int> daemon(DaemonOptions& options, Invocation& call) {
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

}  // namespace

constinit const Command kDaemon{
    .name = "daemon",
    .summary = "Keep recordings running in the background",
    .usage = kUsage,
    .options = kOptions,
    .description =
        "Starts the recordings that a config file names, each in a folder of its own below the base, and keeps an eye "
        "on "
        "them. What suits are recordings that write when they are told to, or from time to time: flight recorders "
        "(--overwrite --switch-output), or --switch-output=1h --switch-max-files=24.\n\n"
        "The config file: a section [daemon] with base=FOLDER, and for each session a section [session-NAME] with "
        "run = OPTIONS AND COMMAND OF record. Quotes keep words together, nothing is expanded. When the file changes, "
        "sessions that are new start, those that changed start again, and those that are gone end.\n\n"
        "Below the base: output (what the daemon says), lock (its process), control (its socket), and for each session "
        "session-NAME with output, control and ack (see --control of record), and its perf.data files.",
    .examples = kExamples,
    .run = entry<DaemonOptions, daemon>,
};

}  // namespace peregrine::cmd
