#include "cmd/program.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "cli/frame/parts.h"
#include "cli/frame/program_name.h"
#include "cli/help/answer.h"
#include "cli/help/command_list.h"
#include "cli/help/completion_script.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/about/welcome.h"
#include "cmd/command_table.h"
#include "cmd/global_options.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/sink.h"
#include "output/terminal/pager.h"
#include "output/terminal/terminal.h"
#include "session/leftovers.h"
#include "sys/root.h"

namespace peregrine::cmd {

namespace {

// Everything that lives as long as the program.
struct World {
  Messages messages;
  Config config;
  std::vector<std::string> argv;
  Sink out{STDOUT_FILENO};
};

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

int say_usage_error(Messages& messages, const Error& error, const std::string& usage, std::string_view ask) {
  // Keeps messages of several lines unchanged, such as a caret below an event's text.
  const bool lines = error.message.find('\n') != std::string::npos;
  std::string text = fmt::format("{}{}\n", lines ? "" : "  Error: ", error.message);
  if (!error.hint.empty()) text += fmt::format("  hint: {}\n", with_program_name(messages.program(), error.hint));
  if (error.message.starts_with("event syntax error"))
    text += fmt::format("Run '{} list' for a list of valid events\n", messages.program());
  messages.verbatim(fmt::format("{}{}\n See '{} -h'.\n", text, usage, ask));
  return kUsageExit;
}

std::optional<Pager> pager_for(const World& world, const Command& command, std::optional<bool> asked) {
  if (!is_terminal(STDOUT_FILENO) || !asked.value_or(command.paging == Paging::ToTerminal)) return std::nullopt;
  const Config& config = world.config;
  if (!asked) {
    const auto own = config.find(fmt::format("pager.{}", command.name));
    if (own && (*own == "false" || *own == "no" || *own == "off" || *own == "0")) return std::nullopt;
  }
  std::string line(config.variable("PERF_PAGER").value_or(""));
  if (line.empty()) line = config.text("core.pager", "");
  if (line.empty()) {
    // less cannot move the cursor of a dumb terminal, and complains; a pager chosen for this program may not need to.
    if (!asked && is_dumb_terminal(config.variable("TERM"))) return std::nullopt;
    line = config.variable("PAGER").value_or("less");
  }
  if (line.empty() || line == "cat") return std::nullopt;
  std::vector<std::string> environment(config.environment().begin(), config.environment().end());
  if (!config.variable("LESS")) environment.emplace_back("LESS=FRSX");
  auto pager = Pager::start(line, environment);
  if (!pager) return std::nullopt;
  return std::move(*pager);
}

// --parse-only: prints each use of an option as the table interprets it, one per line, then `--` and the other
// arguments, one per line. For a subcommand with its own options: its uses and arguments.
Result<int> explain(const Invocation& call) {
  std::vector<std::string> uses;
  const Command* shown = &call.command;
  auto parsed = name_uses(all_options(*shown), shown->words_at, call.arguments, uses);
  if (!parsed) return std::unexpected(parsed.error());
  const Command* const part = called_part(call.command, call.arguments);
  if (part != nullptr) {
    shown = part;
    const Words words_at = part->passes_to == nullptr ? part->words_at : part->passes_to->words_at;
    parsed = name_uses(all_options(*part), words_at, std::span(parsed->words).subspan(1), uses);
    if (!parsed) return std::unexpected(parsed.error());
  }
  if (shown->check_words != nullptr) PEREGRINE_TRY(shown->check_words(parsed->words));
  call.out.append(shown->name).append('\n');
  for (const std::string& use : uses) call.out.append(use).append('\n');
  if (!parsed->words.empty()) call.out.append("--\n");
  for (const std::string& word : parsed->words) call.out.append(word).append('\n');
  return 0;
}

int run_command(World& world, const Command& command, std::vector<std::string> arguments,
                const GlobalOptions& options) {
  const std::string& program = world.messages.program();
  if (!options.parse_only) remove_leftovers(Root(), world.messages);
  const Invocation bare{.command = command,
                        .config = world.config,
                        .messages = world.messages,
                        .out = world.out,
                        .argv = world.argv,
                        .arguments = std::move(arguments),
                        .out_is_terminal = is_terminal(STDOUT_FILENO)};
  const bool screen = !options.parse_only && command.takes_screen != nullptr && command.takes_screen(bare);
  std::optional<Pager> pager = screen ? std::nullopt : pager_for(world, command, options.paginate);
  std::optional<Sink> piped;
  if (pager) {
    ::signal(SIGPIPE, [](int) { ::_exit(0); });  // leaving the pager is not an error
    piped.emplace(pager->fd());
  }
  Invocation call = bare.with_output(piped ? *piped : world.out);
  call.out_is_terminal = bare.out_is_terminal;
  // Whatever a command holds (a terminal, probes, folders, threads) is released before the error is shown.
  const Result<int> result = guarded([&] { return options.parse_only ? explain(call) : command.run(call); });
  const Result<> flushed = call.out.flush();
  // The same while the signal is blocked. Without a pager, the exit code is that of a shell for the signal.
  if (!flushed && flushed.error().system_errno == EPIPE) return piped ? 0 : 128 + SIGPIPE;
  piped.reset();
  pager.reset();
  if (!result && result.error().kind == ErrorKind::Usage) {
    const Command* const part = called_part(command, call.arguments);
    const Command& called = part == nullptr ? command : *part;
    return say_usage_error(world.messages, result.error(), usage_lines(program, called),
                           fmt::format("{} {}", program, called.name));
  }
  if (!result) {
    world.messages.error(result.error());
    return exit_code(result.error());
  }
  if (!flushed) {
    world.messages.error(flushed.error());
    return exit_code(flushed.error());
  }
  return *result;
}

// Handles global options that are complete requests; nothing if a command should run.
std::optional<int> answer_globals(World& world, const GlobalOptions& options) {
  if (options.list_commands)
    world.out.append(command_words(commands())).append('\n');
  else if (options.html_path)
    world.out.append("/usr/share/doc/peregrine\n");
  else if (options.show_exec_path)
    world.out.append(options.exec_path).append('\n');
  else
    return std::nullopt;
  return 0;
}

int dispatch(World& world, GlobalOptions& options, std::vector<std::string> words) {
  if (!options.buildid_directory.empty()) world.config.set("buildid.dir", options.buildid_directory);
  if (!options.debugfs_directory.empty()) world.config.set("core.debugfs", options.debugfs_directory);
  if (options.sandbox) world.config.set(std::string(kSandboxKey), *options.sandbox ? "required" : "false");
  if (const auto answered = answer_globals(world, options)) return *answered;
  const std::string& program = world.messages.program();
  // `perf --help record` and `perf record --help` are `perf help record`; `perf --version …` is `perf version`.
  if (options.help && !words.empty()) words.insert(words.begin(), "help");
  if (options.version > 0) words = {"version"};
  if (options.version > 1) words.emplace_back("--build-options");
  if (words.empty()) {
    const bool welcomes = !options.help && is_terminal(STDOUT_FILENO);
    world.out.append(welcomes ? welcome_text(program) : command_list(program, commands()));
    return options.help ? 0 : 1;
  }
  const Command* command = find_command(words[0]);
  if (command == nullptr) {
    world.messages.error(unknown_command(program, words[0], commands()));
    return 1;
  }
  words.erase(words.begin());
  if (!words.empty() && words[0] == "--help") {
    words = {std::string(command->name)};
    command = find_command("help");
  }
  const auto is_verbose = [](const Option& option) { return option.letter == 'v' && option.name == "verbose"; };
  if (options.verbose > 0 && std::ranges::any_of(command->options, is_verbose))
    words.insert(words.begin(), options.verbose, "-v");
  return run_command(world, *command, std::move(words), options);
}

// A file that reaches the limit of ulimit -f is an error like a full disk: write(2) fails with EFBIG, and the recording
// is completed. Unlike SIG_IGN, a handler is not inherited by started programs.
void pass_over_signal(int) {}

void outlive_file_limit() {
  struct sigaction before{}, action{};
  action.sa_handler = pass_over_signal;
  action.sa_flags = SA_RESTART;
  if (::sigaction(SIGXFSZ, nullptr, &before) == 0 && before.sa_handler == SIG_DFL)
    ::sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace

int run_program(std::span<char* const> argv, std::span<const std::string> environment) {
  outlive_file_limit();
  std::string_view name = argv.empty() ? "peregrine" : base_name(argv[0]);
  std::vector<std::string> arguments(argv.begin() + (argv.empty() ? 0 : 1), argv.end());
  if (name.starts_with("perf-")) {  // a link named perf-record means `perf record`
    arguments.emplace(arguments.begin(), name.substr(5));
    name = "perf";
  }
  std::vector<std::string> problems;
  World world{.messages = Messages(std::string(name), STDERR_FILENO),
              .config = Config::load(environment, problems),
              .argv = std::vector<std::string>(argv.begin(), argv.end())};
  for (const std::string& problem : problems) world.messages.warning(problem);

  GlobalOptions options;
  auto parsed = parse_options(global_option_table(), Words::StopAtFirst, with_version_as_command(std::move(arguments)),
                              &options, kOwner<GlobalOptions>);
  if (!parsed)
    return say_usage_error(world.messages, parsed.error(),
                           fmt::format("\n Usage: {} [--version] [--help] [OPTIONS] COMMAND [ARGS]\n", name), name);
  if (parsed->asked == Asked::ListOptions) {
    world.out.append(option_words({.options = global_option_table()})).append('\n');
    return 0;
  }
  const int code = dispatch(world, options, std::move(parsed->words));
  const Result<> flushed = world.out.flush();
  if (!flushed && code == 0) {
    world.messages.error(flushed.error());
    return exit_code(flushed.error());
  }
  return code;
}

}  // namespace peregrine::cmd
