// help: the list of commands, or the manual page of one, rendered from the tables; needs no man(1).
#include "cmd/help/help.h"

#include <algorithm>
#include <charconv>

#include "base/nearest.h"
#include "cmd/command_table.h"
#include "cmd/frame/version.h"
#include "cmd/help/completion_script.h"
#include "cmd/help/manual.h"
#include "cmd/help/short_help.h"
#include "output/terminal/terminal.h"

namespace peregrine::cmd {

namespace {

constexpr unsigned kMaxColumns = 100;

// As man(1) has it: $MANWIDTH, then $COLUMNS, then the terminal.
unsigned page_columns(const Invocation& call) {
  for (const char* name : {"MANWIDTH", "COLUMNS"}) {
    const auto text = call.config.variable(name);
    unsigned columns = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), columns);
    if (columns != 0) return std::clamp(columns, 40u, 1000u);
  }
  return call.out_is_terminal ? std::min(terminal_size(1).columns, kMaxColumns) : kMaxColumns;
}

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
constexpr std::string_view kHelpUsage[] = {"[--all] [<command>]"};

Result<int> help(HelpOptions& options, Invocation& call) {
  const std::string& program = call.messages.program();
  if (call.words.empty()) {
    call.out.append(command_list(program));
    return 0;
  }
  const Command* command = find_command(call.words[0]);
  if (command == nullptr) return std::unexpected(unknown_command(program, call.words[0]));
  const Manual manual = make_manual(program, *command);
  call.out.append(options.markdown ? manual_markdown(manual)
                  : options.troff  ? manual_troff(manual, kVersion)
                                   : manual_text(manual, page_columns(call)));
  return 0;
}

struct CompletionOptions {};
constexpr std::string_view kCompletionUsage[] = {"bash|zsh|fish"};
constexpr std::string_view kCompletionExamples[] = {
    "source <(perf completion bash)|complete in this shell",
    "perf completion fish > ~/.config/fish/completions/perf.fish|complete in every fish",
};

Result<int> completion(CompletionOptions&, Invocation& call) {
  if (call.words.size() != 1) return fail(ErrorKind::Usage, "name one shell: bash, zsh or fish");
  auto script = completion_script(call.words[0], call.messages.program());
  if (!script) return std::unexpected(std::move(script.error()));
  call.out.append(*script);
  return 0;
}

}  // namespace

std::string command_list(std::string_view program) {
  std::string text = fmt::format("\n usage: {} [--version] [--help] [OPTIONS] COMMAND [ARGS]\n\n", program);
  text += " Commands:\n";
  for (const Command* command : commands()) {
    if (command->shown == Shown::Hidden) continue;
    text += fmt::format("   {:<15} {}\n", command->name, command->summary);
  }
  return text + fmt::format("\n See '{} help COMMAND' for more information on a specific command.\n\n", program);
}

Error unknown_command(std::string_view program, std::string_view word) {
  Error error{ErrorKind::NotFound, fmt::format("'{0}' is not a {1}-command. See '{1} --help'.", word, program)};
  std::vector<std::string_view> names;
  for (const Command* command : commands())
    if (command->shown == Shown::Everywhere) names.push_back(command->name);
  if (auto meant = nearest(word, names)) error.hint = fmt::format("did you mean '{}'?", *meant);
  return error;
}

Result<int> answer(Invocation& call, const Parsed& parsed) {
  const std::string& program = call.messages.program();
  switch (parsed.asked) {
    case Asked::ShortHelp:
      // Programs read these rows too: they are whole where no terminal shows them.
      call.messages.verbatim(short_help(program, call.command, parsed.words,
                                        call.out_is_terminal && is_terminal(2) ? terminal_size(2).columns : 0));
      return kUsageExit;
    case Asked::ListOptions:
      call.out.append(option_words(call.command)).append('\n');
      return 0;
    case Asked::Manual:
      call.out.append(manual_text(make_manual(program, call.command), page_columns(call)));
      return 0;
    case Asked::Run:
      break;
  }
  return 0;
}

constinit const Command kHelp{.name = "help",
                              .summary = "Show the commands, or the manual page of one",
                              .usage = kHelpUsage,
                              .options = kHelpOptions,
                              .words_at = Words::Anywhere,
                              .paging = Paging::ToTerminal,
                              .description = "Every page is generated from the tables that parse the command line.",
                              .run = entry<HelpOptions, help>};

constinit const Command kCompletion{
    .name = "completion",
    .summary = "Print a completion script for your shell",
    .usage = kCompletionUsage,
    .description = "The script completes commands, options and, after -e, the events of `perf list`.",
    .examples = kCompletionExamples,
    .since = Since::Ours,
    .run = entry<CompletionOptions, completion>};

}  // namespace peregrine::cmd
