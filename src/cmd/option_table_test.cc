// Rules for every row of every command's option table.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/help/manual.h"
#include "cli/help/short_help.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/global_options.h"

namespace peregrine::cmd {
namespace {

// All commands and their subcommands, recursively.
std::vector<const Command*> commands_and_parts() {
  std::vector<const Command*> all(commands().begin(), commands().end());
  for (std::size_t at = 0; at < all.size(); ++at) all.insert(all.end(), all[at]->parts.begin(), all[at]->parts.end());
  return all;
}

// How the parser interprets one use, or the error message.
std::string understood(std::span<const Option> table, const std::vector<std::string>& arguments) {
  std::vector<std::string> uses;
  const auto parsed = name_uses(table, Words::Anywhere, arguments, uses);
  if (!parsed) return parsed.error().message;
  std::string text;
  for (const std::string& use : uses) text += (text.empty() ? "" : " ") + use;
  for (const std::string& word : parsed->words) text += " [" + word + "]";
  return text;
}

// Calls `check` for each table and each implemented row.
template <class Check>
void for_each_row(Check check) {
  for (const Command* command : commands_and_parts()) {
    const std::vector<Option> table = all_options(*command);
    for (const Option& option : table) {
      if (!option.store) continue;
      SCOPED_TRACE(std::string(command->name) + (option.name.empty() ? " -" : " --") +
                   (option.name.empty() ? std::string(1, option.letter) : std::string(option.name)));
      check(table, option);
    }
  }
}

TEST(OptionTables, ExactNamesAreNeverAbbreviationsOfOthers) {
  for_each_row([](const std::vector<Option>& table, const Option& option) {
    if (option.name.empty()) return;
    const std::string use = "--" + std::string(option.name) + (option.value == Value::None ? "" : "=1");
    EXPECT_EQ(understood(table, {use}), use);
  });
}

TEST(OptionTables, LettersMeanTheirLongNames) {
  for_each_row([](const std::vector<Option>& table, const Option& option) {
    if (option.letter == 0 || option.name.empty()) return;
    const std::string name = "--" + std::string(option.name), letter = std::string("-") + option.letter;
    EXPECT_EQ(understood(table, {letter + (option.value == Value::None ? "" : "1")}),
              name + (option.value == Value::None ? "" : "=1"));
    if (option.value == Value::Sticky) {
      EXPECT_EQ(understood(table, {letter, "1"}), name + " [1]") << "a following word is never taken";
    }
    if (option.value == Value::NextWord) {
      EXPECT_EQ(understood(table, {letter, "-"}), name + " [-]") << "nor one that begins with a dash";
    }
    if (option.value == Value::Required) {
      EXPECT_EQ(understood(table, {letter}), std::string("switch `") + option.letter + "' requires a value");
    }
  });
}

TEST(OptionTables, NegationTakesNoValue) {
  for_each_row([](const std::vector<Option>& table, const Option& option) {
    if (option.name.empty() || option.name.starts_with("no-")) return;
    const std::string negated = "--no-" + std::string(option.name);
    // A table may have a row with that name as well, which is not a negation.
    if (std::ranges::any_of(table, [&](const Option& other) { return "--" + std::string(other.name) == negated; }))
      return;
    EXPECT_EQ(understood(table, {negated}), negated);
    EXPECT_EQ(understood(table, {negated + "=1"}), "option `" + std::string(option.name) + "' takes no value");
  });
}

TEST(OptionTables, DefaultsBelongToValuesThatMayBeMissing) {
  for_each_row([](const std::vector<Option>&, const Option& option) {
    if (option.value == Value::None || option.value == Value::Required) {
      EXPECT_EQ(option.implied, "");
    }
    if (option.value == Value::None) {
      EXPECT_EQ(option.metavar, "");
    }
    EXPECT_NE(option.letter, 'h') << "-h is the help of every command";
  });
}

// At any width, the help has each visible option once, and no line is wider than necessary.
TEST(OptionTables, HelpFitsTheTerminal) {
  for (const Command* command : commands_and_parts()) {
    for (const unsigned columns : {60u, 100u}) {
      const std::string text = short_help("perf", *command, {}, columns);
      std::string_view rest = text;
      rest.remove_prefix(usage_lines("perf", *command).size());
      for (; !rest.empty(); rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1)) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        // A row begins with its names, and a word longer than a line cannot be broken.
        if (line.starts_with("    -") || line.starts_with("        -")) continue;
        const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
        if (line.size() > columns) {
          EXPECT_EQ(line.find(' ', begin), line.npos) << command->name << ": " << line;
        }
      }
    }
  }
}

TEST(OptionTables, ManualsHaveEveryOptionOfTheHelp) {
  for (const Command* command : commands_and_parts()) {
    const std::string manual = manual_text(make_manual("perf", *command), 1000);
    for (const Option& option : command->options) {
      if (option.shown != Shown::Everywhere || option.name.empty()) continue;
      EXPECT_TRUE(manual.contains("--" + std::string(option.name))) << command->name << " --" << option.name;
    }
  }
}

TEST(CommandNames, AreFoundAsTheyAreListed) {
  std::set<std::string_view> names;
  for (const Command* command : commands()) {
    EXPECT_TRUE(names.insert(command->name).second) << command->name << " is listed twice";
    EXPECT_EQ(find_command(command->name), command);
    EXPECT_NE(command->run, nullptr) << command->name;
    EXPECT_FALSE(command->summary.empty() || command->summary.contains('\n')) << command->name;
  }
  EXPECT_EQ(find_command("recor"), nullptr) << "names of commands are not abbreviated";
  EXPECT_EQ(find_command(""), nullptr);
}

TEST(CommandNames, PartsBeginWithTheNameOfTheirCommand) {
  for (const Command* command : commands_and_parts())
    for (const Command* part : command->parts) {
      EXPECT_TRUE(part->name.starts_with(std::string(command->name) + " ")) << part->name;
      EXPECT_EQ(
          called_part(*command, std::vector<std::string>{std::string(part->name.substr(part->name.rfind(' ') + 1))}),
          part);
    }
}

// The options before the command.
Result<GlobalOptions> globals(std::vector<std::string> arguments) {
  GlobalOptions options;
  auto parsed = parse_options(global_option_table(), Words::StopAtFirst, arguments, &options, kOwner<GlobalOptions>);
  if (!parsed) return std::unexpected(parsed.error());
  return options;
}

TEST(GlobalOptions, ChooseThePager) {
  EXPECT_EQ(globals({})->paginate, std::nullopt);
  EXPECT_EQ(globals({"-p"})->paginate, true);
  EXPECT_EQ(globals({"--no-paginate"})->paginate, false);
  EXPECT_EQ(globals({"--no-pager"})->paginate, false);
  EXPECT_EQ(globals({"--no-pager", "--pager"})->paginate, true);
}

TEST(GlobalOptions, ShowOrChangeTheExecPath) {
  EXPECT_TRUE(globals({"--exec-path"})->show_exec_path);
  EXPECT_EQ(globals({"--exec-path=/x"})->exec_path, "/x");
  EXPECT_FALSE(globals({"--exec-path=/x"})->show_exec_path);
}

TEST(GlobalOptions, ChooseTheSandbox) {
  EXPECT_EQ(globals({})->sandbox, std::nullopt);
  EXPECT_EQ(globals({"--sandbox"})->sandbox, true);
  EXPECT_EQ(globals({"--no-sandbox"})->sandbox, false);
}

TEST(GlobalOptions, DebugVariablesMakeMessagesMoreVerbose) {
  struct Case {
    std::vector<std::string> arguments;
    unsigned verbose;
  };
  for (const Case& test :
       {Case{{"--debug", "verbose"}, 1}, Case{{"--debug", "verbose=3"}, 3}, Case{{"--debug", "verbose=4000000000"}, 4},
        Case{{"--debug", "verbose=0"}, 0}, Case{{"--debug", "perf-event-open"}, 2},
        Case{{"--debug", "perf-event-open=0"}, 0}, Case{{"--debug", "verbose=4", "--debug", "perf-event-open"}, 4},
        Case{{"--debug", "ordered-events=1"}, 0}}) {
    const auto options = globals(test.arguments);
    ASSERT_TRUE(options) << options.error().message;
    EXPECT_EQ(options->verbose, test.verbose) << test.arguments[1];
  }
}

TEST(GlobalOptions, RejectUnknownDebugVariables) {
  const Error near = globals({"--debug", "verbos=1"}).error();
  EXPECT_EQ(near.message, "invalid --debug 'verbos'");
  EXPECT_EQ(near.hint, "did you mean 'verbose'?");
  EXPECT_EQ(globals({"--debug", ""}).error().hint,
            "must be one of verbose, ordered-events, stderr, data-convert, perf-event-open");
  for (const char* wrong : {"", "x", "-1", "1x"})
    EXPECT_EQ(globals({"--debug", std::string("verbose=") + wrong}).error().message,
              std::string("--debug verbose: '") + wrong + "' is not a number");
}

TEST(GlobalOptions, StopAtTheCommand) {
  GlobalOptions options;
  const std::vector<std::string> line{"--no-pager", "record", "--no-pager", "-v"};
  const auto parsed = parse_options(global_option_table(), Words::StopAtFirst, line, &options, kOwner<GlobalOptions>);
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->words, (std::vector<std::string>{"record", "--no-pager", "-v"}));
  EXPECT_EQ(options.version, 0u);
}

TEST(GlobalOptions, VersionIsACommandWithOptions) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(with_version_as_command({"--version", "--build-options"}), (Words{"version", "--build-options"}));
  EXPECT_EQ(with_version_as_command({"record", "--version"}), (Words{"record", "--version"}));
  EXPECT_EQ(with_version_as_command({}), Words{});
  EXPECT_EQ(globals({"-vv"})->version, 2u);
}

}  // namespace
}  // namespace peregrine::cmd
