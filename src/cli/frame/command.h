// Command: the description of a subcommand for main; Invocation: the context in which a subcommand runs.
//
// A subcommand is one file that defines one constant, declared in command_table.h and listed in command_table.cc:
//
//   #include "cmd/command_table.h"
//   namespace peregrine {
//   namespace {
//   struct EchoOptions { bool loud = false; };
//   constexpr Option kOptions[] = {{.name = "loud", .letter = 'l', .help = "shout", .store = set<&EchoOptions::loud>}};
//   constexpr std::string_view kUsage[] = {"[<options>] <word>..."};
//   Result<int> echo(EchoOptions& options, Invocation& call) {
//     if (call.words.empty()) return fail(ErrorKind::Usage, "nothing to say");   // usage line, exit code 129
//     call.out.append(call.words[0]).append('\n');
//     return 0;                                                                  // the exit code
//   }
//   }  // namespace
//   constinit const Command kEcho{.name = "echo", .summary = "say it", .usage = kUsage, .options = kOptions,
//                                 .run = entry<EchoOptions, echo>};
//   }
//
// Parsing options and answering -h, --help and usage errors happens before the function is called. If the options
// struct has `Result<> configure(const Config&)`, it is called before parsing, so that the command line wins over
// perfconfig. If it has `Result<> prepare(Invocation&)`, that is called next, with the arguments not parsed yet.
#pragma once
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/config.h"
#include "cli/frame/message.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "output/sink.h"

namespace peregrine {

struct Command;

struct Invocation {
  const Command& command;
  const Config& config;           // from perfconfig files and the environment
  Messages& messages;             // stderr
  Sink& out;                      // the whole command line including argv[0], for perf.data's CMDLINE feature
  std::vector<std::string> argv;  // the whole command line, argv[0] included, as perf.data's CMDLINE feature wants it
  std::vector<std::string> arguments;   // everything after the command's name
  std::vector<std::string> words = {};  // arguments that are not options: the workload, file names
  bool out_is_terminal = false;         // stdout is a terminal, with or without a pager
  bool confined = false;                // running in the sandbox (confined_reader.h)

  // A copy of this call with another output, which is not a terminal.
  Invocation with_output(Sink& other) const {
    return {.command = command,
            .config = config,
            .messages = messages,
            .out = other,
            .argv = argv,
            .arguments = arguments,
            .words = words,
            .confined = confined};
  }
};

enum class Paging { Never, ToTerminal };  // ToTerminal: use the pager if stdout is a terminal

struct Command {
  std::string_view name;
  std::string_view summary;                      // one line, as in the list of `help`
  std::span<const std::string_view> usage = {};  // text after "NAME COMMAND " in each usage line
  std::span<const Option> options = {};
  std::span<const Command* const> parts = {};  // for sched: "sched latency", …; see parts.h
  // The values of the first argument, if they are not parts: for `trace`, "record". For completion.
  std::vector<std::string_view> (*first_words)() = nullptr;
  Words words_at = Words::Anywhere;
  Paging paging = Paging::Never;
  // Whether the arguments make the command use the whole terminal, so that it needs no pager.
  bool (*takes_screen)(const Invocation& call) = nullptr;
  std::string_view description = {};                // paragraphs for the manual page, separated by blank lines
  std::span<const std::string_view> examples = {};  // "command line|purpose"; the program's name is `perf`
  Since since = Since::LinuxPerf;
  Shown shown = Shown::Everywhere;
  const Command* passes_to = nullptr;  // the command that this one runs and accepts the options of
  // Rejects invalid arguments that are not options. If unset, the command checks them when it runs.
  Result<> (*check_words)(std::span<const std::string> words) = nullptr;
  Result<int> (*run)(Invocation& call) = nullptr;
};

// Answers -h, --help, --list-opts and --list-cmds. Returns the exit code.
Result<int> answer(Invocation& call, const ParsedOptions& parsed);

// The `run` of a command implemented by a function that takes parsed options.
template <class Options, auto Function>
Result<int> entry(Invocation& call) {
  Options options{};
  if constexpr (requires { options.configure(call.config); }) PEREGRINE_TRY(options.configure(call.config));
  if constexpr (requires { options.prepare(call); }) PEREGRINE_TRY(options.prepare(call));
  auto parsed = parse_options(call.command.options, call.command.words_at, call.arguments, &options, kOwner<Options>);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (parsed->asked != Asked::Run) return answer(call, *parsed);
  if (call.command.check_words != nullptr) PEREGRINE_TRY(call.command.check_words(parsed->words));
  call.words = std::move(parsed->words);
  return Function(options, call);
}

}  // namespace peregrine
