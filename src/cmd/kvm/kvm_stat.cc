// kvm stat: why guests of KVM stop running and for how long, recorded and summed up, or counts of events.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include <fmt/ranges.h>

#include "analysis/guest/guest_exits.h"
#include "cmd/command_table.h"
#include "cmd/kvm/kvm_parts.h"
#include "cmd/sandbox/confined_reader.h"
#include "output/text/kernel/guest_exits_text.h"

namespace peregrine::cmd {

namespace {

constexpr std::array<std::string_view, 3> kExitKinds = {"vmexit", "mmio", "ioport"};

constexpr std::array kOwnFiles{kGuestInput, kGuestVerbose};
constexpr std::array kKvmStatReportOnly{
    Option{.name = "event",
           .value = Value::Required,
           .metavar = "event",
           .help = "what to summarize: vmexit, mmio, ioport (default: vmexit)",
           .store = set<&KvmOptions::event>},
    Option{.name = "force",
           .letter = 'f',
           .help = "read the file regardless of its owner",
           .store = set<&KvmOptions::input, &TracedInput::force>},
    Option{.name = "key",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "key",
           .help = "sort by sample or time (mean), largest first",
           .store = set<&KvmOptions::key>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "only guests of these processes",
           .store = set<&KvmOptions::pids>},
    Option{.name = "vcpu",
           .value = Value::Required,
           .metavar = "n",
           .help = "only virtual CPUs with this number",
           .store = set<&KvmOptions::vcpu>},
};
constexpr auto kKvmStatReportOptions = joined_rows(kKvmStatReportOnly, kOwnFiles, kOutputRows);

Result<int> stat_report(KvmOptions& options, Invocation& call) {
  auto request = guest_request(options);
  if (!request) return std::unexpected(std::move(request.error()));
  if (options.input.path.empty()) options.input.path = options.default_file();
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  GuestExits exits(*recording->reader, std::move(*request));
  PEREGRINE_TRY(replay_traced(*recording, exits, call));
  if (!exits.tracepoints().any())
    return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no events of guests"}.with_hint(
        "record with `kvm stat record` on the host"));
  print_exits(exits.rows(), options, call.out);
  return 0;
}

// The user's options and command are record's own. It looks at the host's own tracepoints, whichever side is asked for.
Result<int> stat_record(Invocation& call) {
  KvmOptions options;
  const auto rest = take_own_options(call, &options, kOwner<KvmOptions>);
  if (!rest) return std::unexpected(rest.error());
  std::vector<std::string> words{"-R", "-m", "1024", "-c", "1"};
  std::ranges::copy(guest_tracepoints(), std::back_inserter(words));
  words.push_back("--output=" + options.default_file());
  words.insert(words.end(), rest->begin(), rest->end());
  return run_other(kRecord, std::move(words), call);
}

constexpr Command kStatRecord{.name = "kvm stat record",
                              .summary = "Record when and why guests exit",
                              .options = kInputRows,
                              .passes_to = &kRecord,
                              .run = stat_record};
constexpr Command kKvmStatReport{.name = "kvm stat report",
                                 .summary = "Show why guests exited, and for how long",
                                 .options = kKvmStatReportOptions,
                                 .run = entry<KvmOptions, confined<KvmOptions, stat_report>>};
constexpr const Command* kStatParts[] = {&kStatRecord, &kKvmStatReport, &kKvmStatLive};
constexpr Command kStatOfGuests{.name = "kvm stat",
                                .summary = "Show why guests exit, and for how long",
                                .options = kFileRows,
                                .parts = kStatParts,
                                .words_at = Words::StopAtFirst,
                                .run = run_part};
// What is none of these counts events, as `stat` does.
Result<int> run_kvm_stat(Invocation& call) {
  if (called_part(kStatOfGuests, call.arguments) != nullptr) return run_other(kStatOfGuests, call.arguments, call);
  KvmOptions options;
  auto rest = take_own_options(call, &options, kOwner<KvmOptions>);
  if (!rest) return std::unexpected(std::move(rest.error()));
  return run_for_guests(kStat, std::move(*rest), options, call);
}

}  // namespace

std::vector<std::string> guest_tracepoints() {
  std::vector<std::string> words;
  RecordableTracepoints("kvm").add_events({"kvm_entry", "kvm_exit", "kvm_mmio", "kvm_pio", "kvm_msr"}, words);
  return words;
}

Result<GuestExits::Request> guest_request(const KvmOptions& options) {
  GuestExits::Request request;
  const auto event = std::ranges::find(kExitKinds, options.event);
  if (event == kExitKinds.end())
    return fail(ErrorKind::Usage, "no event of guests: '{}': there are {}", options.event, fmt::join(kExitKinds, ", "));
  if (options.key != "sample" && options.key != "time")
    return fail(ErrorKind::Usage, "Unknown compare key: `{}': there are sample, time", options.key);
  auto pids = numbers_of(options.pids, "-p");
  if (!pids) return std::unexpected(std::move(pids.error()));
  request.event = static_cast<GuestEvent>(event - kExitKinds.begin());
  request.vcpu = options.vcpu;
  request.pids = std::move(*pids);
  return request;
}

void print_exits(std::vector<GuestRow> rows, const KvmOptions& options, Sink& out) {
  std::ranges::stable_sort(rows, std::greater<>(), [&](const GuestRow& row) {
    return options.key == "time" ? row.times.mean() : static_cast<double>(row.times.count());
  });
  const auto event = static_cast<GuestEvent>(std::ranges::find(kExitKinds, options.event) - kExitKinds.begin());
  const std::string machines = options.pids.empty() ? "all VMs" : "pid(s) " + options.pids;
  const std::string cpus = options.vcpu ? fmt::format("VCPU {}", *options.vcpu) : "all VCPUs";
  print_guest_rows(rows, event, fmt::format("{}, {}", machines, cpus), out);
}

constinit const Command kKvmStat{.name = "kvm stat",
                                 .summary = kStatOfGuests.summary,
                                 .options = kInputRows,
                                 .parts = kStatParts,
                                 .passes_to = &kStat,
                                 .run = run_kvm_stat};

}  // namespace peregrine::cmd
