// help: the list of commands, or the manual page of one, rendered from the option tables; does not need man(1).
#include <algorithm>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/version.h"
#include "cli/help/answer.h"
#include "cli/help/command_list.h"
#include "cli/help/completion_script.h"
#include "cli/help/manual.h"
#include "cli/help/program_manual.h"
#include "cli/help/topic_text.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/about/manual_notes.h"
#include "cmd/command_table.h"
#include "cmd/global_options.h"

namespace peregrine::cmd {

namespace {

struct HelpOptions {
  bool all = false, markdown = false, troff = false;
};

constexpr Option kHelpOptions[] = {
    {.name = "all", .letter = 'a', .help = "list every command", .store = set<&HelpOptions::all>},
    {.name = "man",
     .letter = 'm',
     .help = "accepted for compatibility: pages are shown as text",
     .store = call<+[](HelpOptions&, const Use&) { return Result<>(); }>},
    {.name = "info",
     .letter = 'i',
     .help = "accepted for compatibility: pages are shown as text",
     .store = call<+[](HelpOptions&, const Use&) { return Result<>(); }>},
    {.name = "web",
     .letter = 'w',
     .help = "accepted for compatibility: pages are shown as text",
     .store = call<+[](HelpOptions&, const Use&) { return Result<>(); }>},
    {.name = "markdown",
     .help = "print the page as Markdown",
     .store = set<&HelpOptions::markdown>,
     .shown = Shown::Hidden,
     .since = Since::Ours},
    {.name = "troff",
     .help = "print the page for man(1)",
     .store = set<&HelpOptions::troff>,
     .shown = Shown::Hidden,
     .since = Since::Ours},
};
constexpr std::string_view kHelpUsage[] = {"[--all] [<command>]", "examples|howto|tracing|formats|glossary"};
constexpr std::string_view kHelpExamples[] = {
    "perf help record|the manual page of record",
    "perf help peregrine|the page of the program: commands, files, variables, exit codes",
    "perf help examples|answers to common questions, each as one command",
    "perf help howto|from a slow program to its cause, step by step",
};

Result<int> help(HelpOptions& options, Invocation& call) {
  const std::string& program = call.messages.program();
  if (call.words.empty()) {
    call.out.append(command_list(program, commands()));
    return 0;
  }
  const auto topics = help_topics();
  const auto topic = std::ranges::find(topics, call.words[0], &HelpTopic::name);
  if (topic != topics.end()) {
    call.out.append(options.markdown ? std::string(topic->page()) : topic_text(topic->page(), manual_columns(call)));
    return 0;
  }
  const Command* command = find_command(call.words[0]);
  const bool itself = call.words[0] == program || call.words[0] == "peregrine";
  if (command == nullptr && !itself) return std::unexpected(unknown_command(program, call.words[0], commands()));
  const Manual manual = command == nullptr ? program_manual(program, commands(), global_option_table())
                                           : make_manual(program, *command, manual_notes(command->name));
  call.out.append(options.markdown ? manual_markdown(manual)
                  : options.troff  ? manual_troff(manual, kVersion)
                                   : manual_text(manual, manual_columns(call)));
  return 0;
}

std::vector<std::string_view> command_names() {
  std::vector<std::string_view> names;
  for (const Command* command : commands())
    if (command->shown == Shown::Everywhere) names.push_back(command->name);
  for (const HelpTopic& topic : help_topics()) names.push_back(topic.name);
  return names;
}

struct CompletionOptions {};
constexpr std::string_view kCompletionUsage[] = {"bash|zsh|fish"};
constexpr std::string_view kCompletionExamples[] = {
    "source <(perf completion bash)|enable completion in this shell",
    "perf completion fish > ~/.config/fish/completions/perf.fish|enable completion in every fish shell",
};

Result<int> completion(CompletionOptions&, Invocation& call) {
  if (call.words.size() != 1) return fail(ErrorKind::Usage, "expected one shell: bash, zsh or fish");
  auto script = completion_script(call.words[0], call.messages.program(), commands());
  if (!script) return std::unexpected(std::move(script.error()));
  call.out.append(*script);
  return 0;
}

}  // namespace

constinit const Command kHelp{
    .name = "help",
    .summary = "Show the commands, the manual page of one, or a topic",
    .usage = kHelpUsage,
    .options = kHelpOptions,
    .first_words = command_names,
    .words_at = Words::Anywhere,
    .paging = Paging::ToTerminal,
    .description =
        "The page of a command is generated from the tables that parse its options. The pages "
        "of the topics are those of docs/: examples (questions and the commands that "
        "answer them), howto (from a slow program to its cause), tracing (a tutorial), formats "
        "(for other programs) and glossary. All are part of the program and need no man(1).",
    .examples = kHelpExamples,
    .run = entry<HelpOptions, help>};

constinit const Command kCompletion{
    .name = "completion",
    .summary = "Print a completion script for your shell",
    .usage = kCompletionUsage,
    .first_words = [] { return std::vector<std::string_view>{"bash", "zsh", "fish"}; },
    .description =
        "The script completes commands, subcommands, options, their values and, after -e, the events of "
        "`perf list`.",
    .examples = kCompletionExamples,
    .since = Since::Ours,
    .run = entry<CompletionOptions, completion>};

}  // namespace peregrine::cmd
