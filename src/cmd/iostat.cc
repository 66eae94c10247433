// iostat: the traffic of PCI root ports while a command runs. The ports or the word "list" stand in front; all else is
// of stat.
#include <algorithm>

#include "cmd/command_table.h"
#include "cmd/parts.h"

namespace peregrine::cmd {

namespace {

constexpr std::string_view kIostatUsage[] = {"list", "[<ports>] [<options of stat>] [--] [<command>]"};
constexpr std::string_view kIostatExamples[] = {
    "perf iostat list|which root ports there are: the die, the unit that counts, the address",
    "perf iostat -I 1000|the traffic of all of them, once a second",
    "perf iostat 0000:17,0:3a -- dd if=/dev/nvme0n1 of=/dev/null|two of them, while a command runs",
};

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Ports and nothing else: a hexadecimal digit on both sides of a colon; numbers alone where the command stands behind
// `--`, so that they are refused as ports and not looked for as programs.
bool are_ports(std::span<const std::string> arguments) {
  const std::string_view word = arguments.front();
  if (word.starts_with('-')) return false;
  for (std::size_t colon = word.find(':'); colon != std::string_view::npos; colon = word.find(':', colon + 1))
    if (colon > 0 && colon + 1 < word.size() && is_hex(word[colon - 1]) && is_hex(word[colon + 1])) return true;
  const bool is_number = std::ranges::all_of(word, [](char c) { return is_hex(c) || c == ','; }) &&
                         std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; });
  return is_number && arguments.size() > 1 && arguments[1] == "--";
}

Result<int> iostat(Invocation& call) {
  std::vector<std::string> words = call.arguments;
  const bool has_choice = !words.empty() && (words[0] == "list" || are_ports(words));
  if (has_choice)
    words[0] = "--iostat=" + words[0];
  else
    words.insert(words.begin(), "--iostat");
  std::vector<std::string> uses;
  auto parsed = name_uses(call.command.passes_to->options, call.command.passes_to->words_at, words, uses);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  if (parsed->asked == Asked::Run) return run_other(*call.command.passes_to, std::move(words), call);
  Command whole = call.command;  // its usage, and the options of stat
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
    .words_at = Words::StopAtFirst,
    .description =
        "Counts what goes through PCI root ports while a command runs, or until ^C: what devices below a port read "
        "from the host's memory (inbound read) and write to it (inbound write), and what the processor reads from "
        "and writes to devices (outbound), in MB of 2^20 bytes.\n\n"
        "Ports are chosen by PCI domain and bus, as in 0000:17, separated by commas; all of them are counted "
        "otherwise. 'iostat list' prints them: S1-uncore_iio_0<0000:80> is the port 0000:80, which the unit "
        "uncore_iio_0 of the second die serves.\n\n"
        "It is 'stat --iostat', and takes the options of stat behind the ports: -I for a row for each port every N "
        "ms, -x and -j for programs, -r for the mean of several runs. What is counted is of the whole machine, "
        "whatever the command does.\n\n"
        "Needs an Intel server from Skylake to Ice Lake, outside of a virtual machine, and a kernel from 5.14 on.",
    .examples = kIostatExamples,
    .passes_to = &kStat,
    .run = iostat};

}  // namespace peregrine::cmd
