// mem: samples accesses of data, and shows what answered them and what they cost: record and report with the right
// options.
#include <algorithm>
#include <array>

#include "cmd/command_table.h"
#include "cmd/parts.h"
#include "cmd/recording.h"
#include "event/memory_event.h"
#include "machine/machine.h"
#include "output/text/access_lines.h"

namespace peregrine::cmd {

namespace {

constexpr unsigned kLatency = 30;  // cycles of the shortest loads that are sampled, as in linux-perf

struct MemOptions {
  std::string input, cpus, separator = " ", type = "load,store";
  bool dump = false, force = false, hide_unresolved = false;
  bool physical_address = false, data_page_size = false;
  int verbose = 0;
  // of record
  std::vector<std::string> events;
  std::optional<unsigned> latency;
};

constexpr std::array kOptions{
    Option{.name = "cpu",
           .letter = 'C',
           .value = Value::Required,
           .metavar = "cpu",
           .help = "only these CPUs",
           .store = set<&MemOptions::cpus>},
    Option{.name = "dump-raw-samples",
           .letter = 'D',
           .help = "report: each sample as a line of fields",
           .store = set<&MemOptions::dump>},
    Option{.name = "force", .letter = 'f', .help = "read the file whoever owns it", .store = set<&MemOptions::force>},
    Option{.name = "input",
           .letter = 'i',
           .value = Value::Required,
           .metavar = "file",
           .help = "the recording to read (default: perf.data)",
           .store = set<&MemOptions::input>},
    Option{.name = "phys-data",
           .letter = 'p',
           .help = "physical addresses of data as well",
           .store = set<&MemOptions::physical_address>},
    Option{.name = "type",
           .letter = 't',
           .value = Value::Required,
           .metavar = "type",
           .help = "load, store, or both with a comma (the default)",
           .store = set<&MemOptions::type>},
    Option{.name = "hide-unresolved",
           .letter = 'U',
           .help = "report: nothing of code without a symbol",
           .store = set<&MemOptions::hide_unresolved>},
    Option{.name = "field-separator",
           .letter = 'x',
           .value = Value::Required,
           .metavar = "separator",
           .help = "between columns, without blanks",
           .store = set<&MemOptions::separator>},
    Option{.name = "data-page-size",
           .help = "the size of the page that data lies in as well",
           .store = set<&MemOptions::data_page_size>},
};
// Behind `record`, where -U is record's own.
constexpr std::array kRecordOptions{
    Option{.name = "event",
           .letter = 'e',
           .value = Value::Required,
           .metavar = "event",
           .help = "which of the machine's events; list shows them",
           .store = set<&MemOptions::events>},
    Option{.name = "ldlat",
           .value = Value::Required,
           .metavar = "n",
           .help = "loads of at least so many cycles",
           .store = set<&MemOptions::latency>},
    Option{.name = "verbose", .letter = 'v', .help = "say what record is asked", .store = count<&MemOptions::verbose>},
};
constexpr std::string_view kUsage[] = {"[<options>] {record|report} [<options of that command>]"};
constexpr std::string_view kExamples[] = {
    "perf mem record ./program|sample its loads and stores",
    "perf mem report --stdio|what answered them, and how long it took",
};

bool names(const Option& option, std::string_view use) {
  const std::string_view name = use.substr(use.starts_with("--") ? 2 : 1);
  const std::string_view word = name.substr(0, name.find('='));
  return option.name == word || (word.starts_with("no-") && option.name == word.substr(3));
}

// The words behind the subcommand: mem's own options are stored, the rest is what the subcommand gets.
Result<std::vector<std::string>> split_words_of(const Command& command, std::vector<Option> own, Invocation& call,
                                                MemOptions& options) {
  std::vector<Option> table = own;
  const auto taken = [&](const Option& option) {
    return std::ranges::any_of(own, [&](const Option& mine) {
      return (!mine.name.empty() && mine.name == option.name) || (mine.letter != 0 && mine.letter == option.letter);
    });
  };
  for (const Option& option : command.options)
    if (!taken(option)) table.push_back(option);
  std::vector<std::string> uses, mine, theirs;
  const std::span<const std::string> behind = std::span(call.words).subspan(1);
  auto parsed = name_uses(table, command.words_at, behind, uses);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  for (std::string& use : uses) {
    const bool is_own = std::ranges::any_of(own, [&](const Option& option) { return names(option, use); });
    (is_own ? mine : theirs).push_back(std::move(use));
  }
  auto stored = parse_options(own, Words::Anywhere, mine, &options, kOwner<MemOptions>);
  if (!stored) return std::unexpected(std::move(stored.error()));
  if (!parsed->words.empty()) theirs.emplace_back("--");
  theirs.insert(theirs.end(), parsed->words.begin(), parsed->words.end());
  return theirs;
}

struct Kinds {
  bool loads = false, stores = false;
};
Result<Kinds> kinds_of(const MemOptions& options) {
  Kinds kinds;
  std::string_view rest = options.type;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    if (word != "load" && word != "store") return fail(ErrorKind::Usage, "-t: '{}' is neither load nor store", word);
    (word == "load" ? kinds.loads : kinds.stores) = true;
  }
  return kinds;
}

Error no_events() {
  return Error{ErrorKind::Unsupported, "memory events not supported"}.with_hint(
      "none of this machine's PMUs samples accesses of data: Intel's mem-loads, AMD's ibs_op (Arm's SPE is not read "
      "yet); a guest has them only if its host lets it");
}

Result<int> mem_record(MemOptions& options, Invocation& call) {
  std::vector<Option> own;
  for (const Option& option : kOptions)
    if (option.name != "hide-unresolved" && option.name != "field-separator") own.push_back(option);
  own.insert(own.end(), kRecordOptions.begin(), kRecordOptions.end());
  auto rest = split_words_of(kRecord, std::move(own), call, options);
  if (!rest) return std::unexpected(std::move(rest.error()));
  const auto kinds = kinds_of(options);
  if (!kinds) return std::unexpected(kinds.error());
  EventSources sources;
  const std::vector<MemoryEvent> known = memory_events(sources, options.latency.value_or(kLatency));
  if (std::ranges::find(options.events, "list") != options.events.end()) {
    for (const MemoryEvent& event : known) call.out.format("{:<13} : available  {}\n", event.tag, event.text);
    return known.empty() ? Result<int>(std::unexpected(no_events())) : 0;
  }
  std::vector<std::string> words{"--weight", "--data"};
  if (options.physical_address) words.emplace_back("--phys-data");
  if (options.data_page_size) words.emplace_back("--data-page-size");
  if (!options.cpus.empty()) words.push_back("--cpu=" + options.cpus);
  bool any = false;
  for (const MemoryEvent& event : known) {
    const bool chosen = options.events.empty() ? (event.loads && kinds->loads) || (event.stores && kinds->stores)
                                               : std::ranges::find(options.events, event.tag) != options.events.end();
    if (chosen) words.insert(words.end(), {"-e", event.text});
    any = any || chosen;
  }
  for (const std::string& name : options.events) {
    if (std::ranges::find(known, name, &MemoryEvent::tag) != known.end()) continue;
    auto error = Error{ErrorKind::Usage, fmt::format("memory event '{}' is not there", name)};
    return std::unexpected(known.empty() ? no_events() : std::move(error).with_hint("`mem record -e list` shows them"));
  }
  if (!any) return std::unexpected(no_events());
  words.insert(words.end(), rest->begin(), rest->end());
  if (options.verbose > 0) {
    std::string line = "calling: record";
    for (const std::string& word : words) line += " " + word;
    call.messages.note(line);
  }
  return run_other(kRecord, std::move(words), call);
}

Result<int> dump_samples(const MemOptions& options, Invocation& call) {
  auto reader = open_recording(options.input, options.force);
  if (!reader) return say_open_error(call, options.input, reader.error());
  Machine machine(symbol_places({.force = options.force}, call, *reader));
  ReplayOptions replay_options;
  replay_options.workers = 1;
  if (!options.cpus.empty()) {
    const auto chosen = choose_cpus(options.cpus, reader->evlist(), replay_options.filter, call);
    if (!chosen) return std::unexpected(chosen.error());
    if (!*chosen) return 255;
  }
  AccessLines lines({.separator = options.separator,
                     .physical_address = options.physical_address,
                     .data_page_size = options.data_page_size,
                     .hide_unresolved = options.hide_unresolved},
                    call.out);
  Replay replay(*reader, machine, std::move(replay_options));
  const Result<> outcome = replay.run(lines);
  warn_about_losses(call, replay.account(), reader->account());
  if (!outcome) return std::unexpected(outcome.error());
  return 0;
}

Result<int> mem_report(MemOptions& options, Invocation& call) {
  auto rest = split_words_of(kReport, {kOptions.begin(), kOptions.end()}, call, options);
  if (!rest) return std::unexpected(std::move(rest.error()));
  const auto kinds = kinds_of(options);
  if (!kinds) return std::unexpected(kinds.error());
  if (options.dump) return dump_samples(options, call);
  std::vector<std::string> words{"--mem-mode", "--show-nr-samples"};
  if (!options.input.empty()) words.push_back("--input=" + options.input);
  if (options.force) words.emplace_back("--force");
  if (!options.cpus.empty()) words.push_back("--cpu=" + options.cpus);
  if (options.hide_unresolved) words.emplace_back("--hide-unresolved");
  if (options.separator != " ") words.push_back("--field-separator=" + options.separator);
  if (!kinds->loads || options.physical_address || options.data_page_size) {
    std::string keys = kinds->loads ? "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked"
                                    : "mem,sym,dso,symbol_daddr,dso_daddr,tlb,locked";
    if (options.physical_address) keys += ",phys_daddr";
    if (options.data_page_size) keys += ",data_page_size";
    words.push_back("--sort=" + keys);
  }
  words.insert(words.end(), rest->begin(), rest->end());
  return run_other(kReport, std::move(words), call);
}

Result<int> mem(MemOptions& options, Invocation& call) {
  const std::string_view word = call.words.empty() ? std::string_view() : call.words[0];
  if (word.size() >= 3 && std::string_view("record").starts_with(word)) return mem_record(options, call);
  if (word.size() >= 3 && std::string_view("report").starts_with(word)) return mem_report(options, call);
  if (word.empty()) return fail(ErrorKind::Usage, "record or report?");
  return fail(ErrorKind::Usage, "'{}' is neither record nor report", word);
}

}  // namespace

constinit const Command kMem{.name = "mem",
                             .summary = "Sample memory accesses",
                             .usage = kUsage,
                             .options = kOptions,
                             .words_at = Words::StopAtFirst,
                             .paging = Paging::ToTerminal,
                             .examples = kExamples,
                             .run = entry<MemOptions, mem>};

}  // namespace peregrine::cmd
