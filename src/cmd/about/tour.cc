// tour: the first commands of a newcomer, run on a built-in program, one step at a time.
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <expected>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cmd/command_table.h"
#include "output/terminal/terminal.h"
#include "session/tour/tour.h"

namespace peregrine::cmd {

namespace {

struct TourOptions {};
constexpr std::string_view kTourExamples[] = {"perf tour|five commands, with their output and how to read it"};

// Waits for Enter. Returns false if the reader types q, or closes the input.
bool goes_on() {
  bool leaves = false;
  for (char typed = 0;;) {
    const ssize_t got = ::read(STDIN_FILENO, &typed, 1);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    if (typed == '\n') return !leaves;
    leaves = leaves || typed == 'q';
  }
}

Result<int> tour(TourOptions&, Invocation& call) {
  if (!call.words.empty()) return fail(ErrorKind::Usage, "unknown argument '{}'", call.words[0]);
  const std::string& program = call.messages.program();
  const bool waits = call.out_is_terminal && is_terminal(STDIN_FILENO);
  const auto steps = tour_steps();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    call.out.format("{}{}. {}\n\n$ {}\n", i == 0 ? "" : "\n", i + 1, steps[i].text, tour_command(steps[i], program));
    PEREGRINE_TRY(call.out.flush());
    const auto shown = run_tour_step(steps[i]);
    if (!shown) return std::unexpected(shown.error());
    call.out.append(*shown).append('\n').append(steps[i].remark).append('\n');
    if (!waits || i + 1 == steps.size()) continue;
    call.out.append("\nEnter: next step; q: quit ");
    PEREGRINE_TRY(call.out.flush());
    if (!goes_on()) return 0;
  }
  call.out.format(
      "\n{} and {} are in this folder: explore or remove them. What to do with your program:\n"
      "'{} help howto'.\n",
      kTourRecording, kTourPicture, program);
  return 0;
}

}  // namespace

constinit const Command kTour{
    .name = "tour",
    .summary = "Show the first commands at work, on a small program",
    .description =
        "Counts, records and reports a program that is built in, in five steps: each shows a command, its output, and "
        "how to read it. On a terminal it waits for Enter after each step. It leaves the recording tour.data and the "
        "picture tour.svg in the current folder, to go on with.",
    .examples = kTourExamples,
    .since = Since::Ours,
    .run = entry<TourOptions, tour>};

}  // namespace peregrine::cmd
