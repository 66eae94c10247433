#include "cli/help/program_manual.h"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "cli/frame/program_name.h"
#include "cli/help/topic_text.h"

namespace peregrine {

namespace {

using Kind = ManualBlock::Kind;

struct Entry {
  std::string_view term, text;
};

constexpr Entry kFiles[] = {
    {"perf.data, perf.data.old", "the latest recording, and the one before, in the current folder"},
    {"~/.perfconfig, /etc/perfconfig", "settings; `perf config` shows and changes them"},
    {"~/.debug", "the build-id cache: copies of recorded programs, for reports after they changed"},
    {"~/.cache/peregrine", "source lines and unwind tables of programs, computed once"},
    {"/tmp/perf-PID.map", "names of code that an interpreter generated, written by it"}};
constexpr Entry kVariables[] = {{"PERF_CONFIG", "read this file of settings instead"},
                                {"PERF_PAGER, PAGER", "the program that shows long output"},
                                {"NO_COLOR", "if set: no colours"},
                                {"DEBUGINFOD_URLS", "servers with debug symbols, for --debuginfod"},
                                {"XDG_CACHE_HOME", "the folder of the program's cache, instead of ~/.cache"}};
constexpr Entry kExits[] = {{"0", "success"},
                            {"1, 255", "an error; the message on standard error says which"},
                            {"129", "invalid arguments"},
                            {"other", "record, stat and trace end with the exit code of the command that they ran"}};
constexpr Entry kExamples[] = {{"perf check", "what works on this machine"},
                               {"perf tour", "the first commands, with their output"},
                               {"perf stat ./program", "is it computing or waiting?"},
                               {"perf record -g ./program", "where does the time go? Then:"},
                               {"perf report", "the hottest functions, and their callers"}};

ManualSection items(std::string heading, std::span<const Entry> entries, std::string_view program,
                    Kind kind = Kind::Item) {
  ManualSection section{std::move(heading), {}};
  for (const Entry& entry : entries) {
    std::string term = kind == Kind::Command ? with_program_name(program, entry.term) : std::string(entry.term);
    section.blocks.push_back({kind, std::move(term), with_program_name(program, entry.text)});
  }
  return section;
}

}  // namespace

Manual program_manual(std::string_view program, std::span<const Command* const> commands,
                      std::span<const Option> options) {
  constexpr std::string_view kSummary = "Show where programs spend their time, and why they wait";
  Manual manual{std::string(program), std::string(program), std::string(kSummary), {}};
  manual.sections.push_back({"NAME", {{Kind::Paragraph, "", fmt::format("{} - {}", program, kSummary)}}});
  manual.sections.push_back(
      {"SYNOPSIS", {{Kind::Command, fmt::format("{} [--version] [--help] [OPTIONS] COMMAND [ARGS]", program), ""}}});
  manual.sections.push_back(
      {"DESCRIPTION",
       {{Kind::Paragraph, "",
         "Counts, samples and traces events of programs, of the kernel and of the processor, and reports what they "
         "mean. The command lines and the files are those of linux-perf; started under the name perf, through a "
         "symbolic link for example, the program calls itself perf."},
        {Kind::Paragraph, "",
         fmt::format("'{0} help COMMAND' shows the page of a command, '{0} COMMAND -h WORD' its options about a word.",
                     program)}}});
  ManualSection listed{"COMMANDS", {}};
  for (const Command* command : commands)
    if (command->shown == Shown::Everywhere)
      listed.blocks.push_back({Kind::Item, std::string(command->name), std::string(command->summary)});
  manual.sections.push_back(std::move(listed));
  manual.sections.push_back(option_section("OPTIONS", options));
  manual.sections.push_back(items("FILES", kFiles, program));
  manual.sections.push_back(items("ENVIRONMENT", kVariables, program));
  manual.sections.push_back(items("EXIT STATUS", kExits, program));
  manual.sections.push_back(items("EXAMPLES", kExamples, program, Kind::Command));
  std::string also;
  for (const Command* command : commands)
    if (command->shown == Shown::Everywhere)
      also += fmt::format("{}{}-{}(1)", also.empty() ? "" : ", ", program, command->name);
  for (const HelpTopic& topic : help_topics()) also += fmt::format(", '{} help {}'", program, topic.name);
  manual.sections.push_back({"SEE ALSO", {{Kind::Paragraph, "", std::move(also)}}});
  return manual;
}

}  // namespace peregrine
