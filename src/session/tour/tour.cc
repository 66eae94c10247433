#include "session/tour/tour.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/concurrency/own_process.h"
#include "base/number/parse_number.h"
#include "base/text/words.h"

namespace peregrine {

namespace {

constexpr std::chrono::seconds kLimit(120);
constexpr std::string_view kWorkload = "WORKLOAD", kWorkloadArguments = "test -w tour 1";

constexpr TourStep kSteps[] = {
    {.text = "Start by counting, which costs nothing. Is the program computing or waiting?",
     .arguments = "stat -e task-clock,context-switches,page-faults -- WORKLOAD",
     .remark =
         "Compare task-clock, the CPU time, with the time elapsed. This program computes: on an idle machine both\n"
         "are equal. A program that waits has a small task-clock; 'trace -s' shows what it waits for."},
    {.text = "So where does the time go? Take samples of the running program, with their callers (-g).",
     .arguments = "record -g -o tour.data -- WORKLOAD",
     .remark = "The samples are in tour.data. Without -o, they would be in perf.data."},
    {.text = "Count the samples of each function.",
     .arguments = "report -i tour.data --stdio --no-children -g none -s sym --percent-limit 1",
     .remark = "Three quarters of the time are spent in tour_parse, so that is the function to look at. On a\n"
               "terminal, 'report' without --stdio opens a screen: Enter opens a menu, ? shows the keys.",
     .from = "# Overhead",
     .lines = 8},
    {.text = "Look inside: which instructions and source lines of it are expensive?",
     .arguments = "annotate -i tour.data --stdio tour_parse",
     .remark = "The numbers at the left are percentages of this function; lines below 1% are left out here. If the\n"
               "program was compiled with -g, source lines are shown, too.",
     .hot = true,
     .lines = 16},
    {.text = "Finally, draw a picture of all call chains.",
     .arguments = "report -i tour.data --flamegraph tour.svg",
     .remark = "Open tour.svg in a browser. A box is a function, as wide as its share of the time, on top of its\n"
               "caller: tour_parse and tour_price stand side by side on tour_order."},
};

std::string with_workload(std::string_view arguments, std::string_view program) {
  std::string text(arguments);
  if (const std::size_t at = text.find(kWorkload); at != std::string::npos)
    text.replace(at, kWorkload.size(), fmt::format("{} {}", program, kWorkloadArguments));
  return text;
}

// The percentage at the start of a line of code; 0: none.
double leading_share(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return leading_number<double>(line).value_or(0);
}

}  // namespace

std::span<const TourStep> tour_steps() { return kSteps; }

std::string tour_command(const TourStep& step, std::string_view program) {
  return fmt::format("{} {}", program, with_workload(step.arguments, program));
}

std::string tour_excerpt(const TourStep& step, std::string_view output) {
  std::string text;
  std::size_t shown = 0, blank = 0;
  bool begun = step.from.empty();
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    output.remove_prefix(std::min(end + 1, output.size()));
    begun = begun || line.contains(step.from);
    if (!begun || line == "#" || line.starts_with("# (") || line.starts_with("# ..")) continue;
    if (step.hot && leading_share(line) < 1) continue;
    if (line.empty()) {
      blank += shown > 0;
      continue;
    }
    if (step.lines != 0 && shown == step.lines) return text + "…\n";
    text.append(std::min<std::size_t>(blank, 1), '\n').append(line).append("\n");
    blank = 0;
    ++shown;
  }
  return text;
}

Result<std::string> run_tour_step(const TourStep& step) {
  std::vector<std::string> words;
  for (std::string& word : split_words(step.arguments, ' ')) {
    if (word != kWorkload) {
      words.push_back(std::move(word));
      continue;
    }
    words.push_back(own_program());
    for (std::string& own : split_words(kWorkloadArguments, ' ')) words.push_back(std::move(own));
  }
  const auto run = run_own(words, ".", kLimit);
  if (!run) return std::unexpected(run.error());
  if (run->exit != 0) {
    const std::string_view said = run->err.empty() ? std::string_view(run->out) : std::string_view(run->err);
    return std::unexpected(Error{ErrorKind::System,
                                 fmt::format("'{}' failed{}: {}", words[0], run->timed_out ? " (too slow)" : "",
                                             said.substr(0, said.find_last_not_of('\n') + 1)),
                                 "`check` shows what works on this machine"});
  }
  return tour_excerpt(step, run->err + run->out);
}

}  // namespace peregrine
