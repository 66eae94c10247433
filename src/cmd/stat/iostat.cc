// iostat: the traffic of PCI root ports while a command runs. The ports or the word "list" come first; everything else
// belongs to stat.
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/parts.h"
#include "cli/option/parser.h"
#include "cmd/command_table.h"
#include "session/counting/plan/stat_words.h"

namespace peregrine::cmd {

namespace {

constexpr std::string_view kIostatUsage[] = {"list", "[<ports>] [<stat options>] [--] [<command>]"};
constexpr std::string_view kIostatExamples[] = {
    "perf iostat list|list the root ports: die, counting unit, address",
    "perf iostat -I 1000|the traffic of all ports, once a second",
    "perf iostat 0000:17,0:3a -- dd if=/dev/nvme0n1 of=/dev/null|the traffic of two ports while a command runs",
};

Result<int> iostat(Invocation& call) {
  std::vector<std::string> words = call.arguments;
  const bool has_choice =
      !words.empty() && (words[0] == "list" || are_ports(words[0], words.size() > 1 && words[1] == "--"));
  if (has_choice)
    words[0] = "--iostat=" + words[0];
  else
    words.insert(words.begin(), "--iostat");
  std::vector<std::string> uses;
  auto parsed = name_uses(call.command.passes_to->options, call.command.passes_to->words_at, words, uses);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (parsed->asked == Asked::Run) return run_other(*call.command.passes_to, std::move(words), call);
  Command whole = call.command;  // its own usage, with the options of stat
  whole.options = call.command.passes_to->options;
  Invocation help{.command = parsed->asked == Asked::Manual ? call.command : whole,
                  .config = call.config,
                  .messages = call.messages,
                  .out = call.out,
                  .argv = call.argv,
                  .arguments = {}};
  return answer(help, *parsed);
}

}  // namespace

constinit const Command kIostat{
    .name = "iostat",
    .summary = "Show the traffic of PCI root ports",
    .usage = kIostatUsage,
    .first_words = [] { return std::vector<std::string_view>{"list"}; },
    .words_at = Words::StopAtFirst,
    .description =
        "Shows the traffic of PCI root ports while a command runs, or until Ctrl-C, in MB of 2^20 bytes. Use it to see "
        "which devices are busy. Inbound traffic is reads and writes of host memory by devices; outbound traffic is "
        "reads and writes of devices by processors. The counts cover the whole machine, not only the command.\n\n"
        "Select ports by PCI domain and bus, such as 0000:17, separated by commas (default: all). `iostat list` "
        "prints them: S1-uncore_iio_0<0000:80> is port 0000:80, counted by uncore_iio_0 of the second "
        "die.\n\n"
        "`iostat` is short for `stat --iostat`, and takes stat's options after the ports: -I N for a row per "
        "port every N ms, -x and -j for machine-readable output, -r N for the mean of N runs.\n\n"
        "It needs an Intel server processor from Skylake to Ice Lake and kernel 5.14 or later, and does not work in "
        "virtual machines.",
    .examples = kIostatExamples,
    .passes_to = &kStat,
    .run = iostat};

}  // namespace peregrine::cmd
