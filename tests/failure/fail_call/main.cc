// fail_call --report FILE --program PROGRAM [--seconds N] [--fail CLASS ERROR NUMBER [--and-later]] -- COMMAND...
//
// Runs COMMAND and makes the NUMBER-th call of CLASS by PROGRAM, in any thread or child, return ERROR; without --fail
// it only counts. Writes to FILE, line by line:
//   count CLASS ERROR COUNT       how many calls could have failed this way
//   failed CALL                   the call that did
//   left PID COMMAND              a process that outlived the command, and was ended
//   end exited CODE | killed SIGNAL | out of time
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/types.h"
#include "failure/fail_call/call_table.h"
#include "failure/fail_call/supervisor.h"

namespace {

using namespace peregrine;
using namespace peregrine::failure;

u64 number_from(const std::string& text) {
  u64 value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

struct CommandLine {
  Order order;
  std::string report;
  bool valid = false;
};

CommandLine parse(const std::vector<std::string>& words) {
  CommandLine line;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::size_t left = words.size() - at - 1;
    if (words[at] == "--") {
      line.order.command.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
      line.valid = left > 0 && !line.report.empty() && !line.order.program.empty();
      return line;
    }
    if (words[at] == "--report" && left >= 1) {
      line.report = words[++at];
    } else if (words[at] == "--program" && left >= 1) {
      line.order.program = words[++at];
    } else if (words[at] == "--seconds" && left >= 1) {
      line.order.limit = std::chrono::seconds(number_from(words[++at]));
    } else if (words[at] == "--and-later") {
      line.order.choice.and_later = true;
    } else if (words[at] == "--fail" && left >= 3) {
      const auto found = std::ranges::find_if(failures(), [&](const Failure& failure) {
        return name_of(failure.call_class) == words[at + 1] && failure.name == words[at + 2];
      });
      if (found == failures().end()) return line;
      line.order.choice.failure = &*found;
      line.order.choice.number = number_from(words[at + 3]);
      at += 3;
    } else {
      return line;
    }
  }
  return line;
}

std::string report_of(const Outcome& outcome) {
  std::string text;
  for (std::size_t i = 0; i < outcome.counts.size(); ++i) {
    if (outcome.counts[i] == 0) continue;
    text += fmt::format("count {} {} {}\n", name_of(failures()[i].call_class), failures()[i].name, outcome.counts[i]);
  }
  if (!outcome.failed.empty()) text += fmt::format("failed {}\n", outcome.failed);
  for (const std::string& process : outcome.left) text += fmt::format("left {}\n", process);
  if (outcome.out_of_time) return text + "end out of time\n";
  if (WIFSIGNALED(outcome.status)) return text + fmt::format("end killed {}\n", WTERMSIG(outcome.status));
  return text + fmt::format("end exited {}\n", WEXITSTATUS(outcome.status));
}

}  // namespace

int main(int argc, char** argv) {
  const CommandLine line = parse(std::vector<std::string>(argv + 1, argv + argc));
  if (!line.valid) {
    fmt::print(stderr,
               "usage: fail_call --report FILE --program PROGRAM [--seconds N] [--fail CLASS ERROR NUMBER "
               "[--and-later]] -- COMMAND...\n");
    return 2;
  }
  const auto outcome = supervise(line.order);
  if (!outcome) {
    fmt::print(stderr, "fail_call: {}\n", outcome.error().message);
    return 3;
  }
  const std::string text = report_of(*outcome);
  const auto report = open_file(line.report, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  return report && write_all(report->get(), text.data(), text.size()) ? 0 : 3;
}
