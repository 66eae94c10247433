// mem: record and report with the right options for data accesses: what served them, and what they cost.
#include <array>
#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "auxtrace/itrace.h"
#include "base/result.h"
#include "cli/frame/command.h"
#include "cli/frame/cpu_row.h"
#include "cli/frame/csv_guard.h"
#include "cli/frame/parts.h"
#include "cli/option/option.h"
#include "cli/option/parser.h"
#include "cli/option/store.h"
#include "cmd/command_table.h"
#include "cmd/memory/access_recording.h"
#include "cmd/recording/recording.h"
#include "cmd/recording/trace_choice.h"
#include "cmd/recording/traced_recording.h"
#include "cmd/sandbox/confined_reader.h"
#include "machine/machine.h"
#include "session/memory/access_choice.h"
#include "session/memory/access_dump.h"
#include "session/recording/opened_recording.h"
#include "session/recording/symbol_request.h"
#include "session/recording/trace_choice.h"
#include "session/recording/traced_recording.h"

namespace peregrine::cmd {

namespace {

struct MemOptions {
  std::string input, cpus, separator = " ", type = "load,store";
  bool dump = false, force = false, hide_unresolved = false;
  bool physical_address = false, data_page_size = false;
  bool by_type = false, csv_safe = false;
  int verbose = 0;
  // passed to record
  std::vector<std::string> events;
  std::optional<unsigned> latency;
  bool kernel_only = false, user_only = false;
};

constexpr std::array kMemSharedRows{
    kCpuRow<&MemOptions::cpus>,
    Option{.name = "dump-raw-samples",
           .letter = 'D',
           .help = "report: print each sample as a line of fields",
           .store = set<&MemOptions::dump>},
    Option{.name = "force",
           .letter = 'f',
           .help = "read the file regardless of its owner",
           .store = set<&MemOptions::force>},
    Option{.name = "input",
           .letter = 'i',
           .value = Value::Required,
           .metavar = "file",
           .help = "read this recording (default: a pipe on stdin, else perf.data; -: stdin)",
           .store = set<&MemOptions::input>},
    Option{.name = "phys-data",
           .letter = 'p',
           .help = "include physical addresses of data",
           .store = set<&MemOptions::physical_address>},
    Option{.name = "type",
           .letter = 't',
           .value = Value::Required,
           .metavar = "type",
           .help = "sample these accesses: load, store, or load,store (default)",
           .store = set<&MemOptions::type>},
    Option{.name = "data-page-size",
           .help = "include the page size of data addresses",
           .store = set<&MemOptions::data_page_size>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "print more; record: print the record command",
           .store = count<&MemOptions::verbose>},
};
constexpr std::array kMemReportOnly{
    Option{.name = "csv-safe",
           .help = "report: with -x or CSV: prefix cells that a spreadsheet would run as formulas with an apostrophe",
           .store = set<&MemOptions::csv_safe>,
           .since = Since::Ours},
    Option{.name = "hide-unresolved",
           .letter = 'U',
           .help = "report: omit code without a symbol",
           .store = set<&MemOptions::hide_unresolved>},
    Option{.name = "type-profile",
           .letter = 'T',
           .help = "report: show data types instead of code, from debug information: -s mem,snoop,tlb,type",
           .store = set<&MemOptions::by_type>,
           .since = Since::Ours},
    Option{.name = "field-separator",
           .letter = 'x',
           .value = Value::Required,
           .metavar = "separator",
           .help = "separate columns by this text, without padding",
           .store = set<&MemOptions::separator>},
};
constexpr std::array kMemRecordOnly{
    Option{.name = "event",
           .letter = 'e',
           .value = Value::Required,
           .metavar = "event",
           .help = "sample this memory event ('list' shows the machine's events)",
           .store = set<&MemOptions::events>},
    Option{.name = "ldlat",
           .value = Value::Required,
           .metavar = "n",
           .help = "sample only loads with at least this latency, in cycles",
           .store = set<&MemOptions::latency>},
    Option{.name = "all-kernel",
           .letter = 'K',
           .help = "sample only kernel accesses",
           .store = set<&MemOptions::kernel_only>,
           .since = Since::Ours},
    Option{.name = "all-user",
           .letter = 'U',
           .help = "sample only user-space accesses",
           .store = set<&MemOptions::user_only>,
           .since = Since::Ours},
};
constexpr auto kMemOptions = joined_rows(kMemSharedRows, kMemReportOnly);
constexpr auto kMemRecordOptions = joined_rows(kMemSharedRows, kMemRecordOnly);
constexpr std::string_view kMemUsage[] = {"[<options>] {record|report} [<subcommand options>]"};
constexpr std::string_view kMemDescription =
    "Shows which memory accesses are slow and where their data came from: a cache, local memory or another node. Use "
    "it when a program waits for memory.\n\n"
    "`record` samples loads and stores with their data addresses, and `report` groups them by code, data and source. "
    "It needs a processor that can sample accesses: Intel (mem-loads, mem-stores) or AMD with IBS.";
constexpr std::string_view kMemExamples[] = {
    "perf mem record ./program|sample the loads and stores of a program",
    "perf mem report --stdio|where the data came from, and the latencies",
    "perf mem report -F overhead,op,cache,memory,sym|cost of each function by access type and data source",
};

Result<int> mem_record(Invocation& call) {
  MemOptions options;
  const auto rest = take_own_options(call, &options, kOwner<MemOptions>);
  if (!rest) return std::unexpected(rest.error());
  const auto kinds = parse_access_kinds(options.type);
  if (!kinds) return std::unexpected(kinds.error());
  std::vector<std::string> arguments{"--weight", "--data"};
  if (options.kernel_only) arguments.emplace_back("--all-kernel");
  if (options.user_only) arguments.emplace_back("--all-user");
  if (options.physical_address) arguments.emplace_back("--phys-data");
  if (options.data_page_size) arguments.emplace_back("--data-page-size");
  if (!options.cpus.empty()) arguments.push_back("--cpu=" + options.cpus);
  const AccessRecording recording{
      .events = std::move(options.events), .kinds = *kinds, .latency = options.latency.value_or(kShortestLatency)};
  return record_accesses(recording, std::move(arguments), *rest, options.verbose > 0, call);
}

Result<int> dump_samples(const MemOptions& options, Invocation& call) {
  const SymbolOptions symbols{.force = options.force};
  auto opened = open_recording(recording_name(options.input), options.force, call.messages);
  if (!opened) return say_open_error(call, options.input, opened.error(), recorder_of(call.command));
  TracedRecording recording{.reader = std::make_unique<OpenedRecording>(std::move(*opened)), .machine = nullptr};
  PEREGRINE_TRY(decode_recording(*recording.reader, memory_traces(), ItraceOptions(), symbols, call));
  // Decoding has read a pipe into a file, and its header says which kernel's symbols to search.
  recording.machine =
      std::make_unique<Machine>(symbol_places(symbol_request(symbols, call.config), *recording.reader, call.messages));
  const AccessDumpRequest request{.style = {.separator = options.separator,
                                            .physical_address = options.physical_address,
                                            .data_page_size = options.data_page_size,
                                            .hide_unresolved = options.hide_unresolved},
                                  .cpus = options.cpus};
  const auto dumped = dump_accesses(recording, request, call.out, call.messages);
  if (dumped && !*dumped) return kNotOpened;  // nothing was read
  tell_decoding(*recording.reader, call.messages);
  if (!dumped) return std::unexpected(dumped.error());
  return 0;
}

Result<int> dump_confined(const MemOptions& options, Invocation& call) {
  if (options.csv_safe && options.separator == " ") return fail(ErrorKind::Usage, "--csv-safe with -D requires -x");
  const auto sandbox = enter_sandbox({.inputs = {options.input}}, call);
  if (!sandbox) return std::unexpected(sandbox.error());
  const auto dump = [&](Invocation& into) { return dump_samples(options, into); };
  return options.csv_safe ? guard_cells(options.separator, call, dump) : dump(call);
}

Result<int> mem_report(Invocation& call) {
  MemOptions options;
  const auto rest = take_own_options(call, &options, kOwner<MemOptions>);
  if (!rest) return std::unexpected(rest.error());
  const auto kinds = parse_access_kinds(options.type);
  if (!kinds) return std::unexpected(kinds.error());
  if (options.dump) return dump_confined(options, call);
  std::vector<std::string> words{"--mem-mode", "--show-nr-samples"};
  if (!options.input.empty()) words.push_back("--input=" + options.input);
  if (options.force) words.emplace_back("--force");
  if (options.csv_safe) words.emplace_back("--csv-safe");
  if (!options.cpus.empty()) words.push_back("--cpu=" + options.cpus);
  if (options.hide_unresolved) words.emplace_back("--hide-unresolved");
  words.insert(words.end(), static_cast<std::size_t>(options.verbose), "--verbose");
  if (options.separator != " ") words.push_back("--field-separator=" + options.separator);
  const std::string keys = access_sort_keys({.kinds = *kinds,
                                             .by_type = options.by_type,
                                             .physical_address = options.physical_address,
                                             .data_page_size = options.data_page_size});
  if (!keys.empty()) words.push_back("--sort=" + keys);
  words.insert(words.end(), rest->begin(), rest->end());
  Command named = kReport;  // errors refer to the command that the user typed
  named.name = "mem report";
  return run_other(named, std::move(words), call);
}

constexpr Command kMemRecordPart{.name = "mem record",
                                 .summary = "Sample memory accesses",
                                 .options = kMemRecordOptions,
                                 .passes_to = &kRecord,
                                 .run = mem_record};
constexpr Command kMemReportPart{.name = "mem report",
                                 .summary = "Show recorded memory accesses",
                                 .options = kMemOptions,
                                 .passes_to = &kReport,
                                 .run = mem_report};
constexpr const Command* kMemParts[] = {&kMemRecordPart, &kMemReportPart};

}  // namespace

constinit const Command kMem{.name = "mem",
                             .summary = "Sample and show memory accesses",
                             .usage = kMemUsage,
                             .options = kMemOptions,
                             .parts = kMemParts,
                             .words_at = Words::StopAtFirst,
                             .paging = Paging::ToTerminal,
                             .description = kMemDescription,
                             .examples = kMemExamples,
                             .run = run_part};

}  // namespace peregrine::cmd
