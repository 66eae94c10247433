// kvm: what guests of KVM cost their host.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/ranges.h>

#include "analysis/guest/guest_exits.h"
#include "cmd/command_table.h"
#include "cmd/traced_recording.h"
#include "output/text/guest_exits_text.h"

namespace peregrine::cmd {

namespace {

struct KvmOptions {
  TracedInput input;
  std::string output, guest_files, event = "vmexit", key = "sample", pids;
  std::optional<u32> vcpu;
  std::optional<bool> guest;
  bool host = false, guest_code = false;
};
using O = KvmOptions;

// Of all parts. `kvm stat` looks at the host's own tracepoints, whichever side is asked for.
constexpr std::array kShared{
    Option{.name = "input",
           .letter = 'i',
           .value = Value::Required,
           .metavar = "file",
           .help = "the recording to read (default: perf.data.guest, with --host perf.data.kvm)",
           .store = set<&O::input, &TracedInput::path>},
    Option{.name = "output",
           .letter = 'o',
           .value = Value::Required,
           .metavar = "file",
           .help = "where `record` writes (default: perf.data.guest, with --host perf.data.kvm)",
           .store = set<&O::output>},
    Option{.name = "verbose", .letter = 'v', .help = "say more", .store = count<&O::input, &TracedInput::verbose>},
    Option{.name = "guest", .help = "guests' side; changes nothing for `stat`", .store = set<&O::guest>},
    Option{.name = "guest-code",
           .help = "guests' code lies in the process that runs them; changes nothing for `stat`",
           .store = set<&O::guest_code>},
    Option{.name = "guestkallsyms",
           .value = Value::Required,
           .metavar = "file",
           .help = "a guest's copy of /proc/kallsyms; changes nothing for `stat`",
           .store = set<&O::guest_files>},
    Option{.name = "guestmodules",
           .value = Value::Required,
           .metavar = "file",
           .help = "a guest's copy of /proc/modules; changes nothing for `stat`",
           .store = set<&O::guest_files>},
    Option{.name = "guestmount",
           .value = Value::Required,
           .metavar = "directory",
           .help = "the folder that holds the root of each guest; changes nothing for `stat`",
           .store = set<&O::guest_files>},
    Option{.name = "guestvmlinux",
           .value = Value::Required,
           .metavar = "file",
           .help = "a guest's kernel image; changes nothing for `stat`",
           .store = set<&O::guest_files>},
    Option{.name = "host", .help = "the host's side; changes nothing for `stat`", .store = set<&O::host>},
};
constexpr std::array kReportOnly{
    Option{.name = "event",
           .value = Value::Required,
           .metavar = "event",
           .help = "what is summed up: vmexit, mmio, ioport (default: vmexit)",
           .store = set<&O::event>},
    Option{.name = "force",
           .letter = 'f',
           .help = "read the file whoever owns it",
           .store = set<&O::input, &TracedInput::force>},
    Option{.name = "key",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "key",
           .help = "the largest first of: sample, time (the mean)",
           .store = set<&O::key>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "only the guests of these processes",
           .store = set<&O::pids>},
    Option{.name = "vcpu",
           .value = Value::Required,
           .metavar = "n",
           .help = "only virtual CPUs of this number",
           .store = set<&O::vcpu>},
};
constexpr auto kReportOptions = joined_rows(kReportOnly, kShared);

// As linux-perf names recordings, by the sides that were asked for.
std::string default_file(std::optional<bool> guest, bool host) {
  if (!host) return "perf.data.guest";
  return guest.value_or(true) ? "perf.data.kvm" : "perf.data.host";
}

constexpr std::array<std::string_view, 3> kEvents = {"vmexit", "mmio", "ioport"};

Result<GuestExits::Request> request_of(const O& options) {
  GuestExits::Request request;
  const auto event = std::ranges::find(kEvents, options.event);
  if (event == kEvents.end())
    return fail(ErrorKind::Usage, "no event of guests: '{}': there are {}", options.event, fmt::join(kEvents, ", "));
  if (options.key != "sample" && options.key != "time")
    return fail(ErrorKind::Usage, "Unknown compare key: `{}': there are sample, time", options.key);
  auto pids = numbers_of(options.pids, "-p");
  if (!pids) return std::unexpected(std::move(pids.error()));
  request.event = static_cast<GuestEvent>(event - kEvents.begin());
  request.vcpu = options.vcpu;
  request.pids = std::move(*pids);
  return request;
}

Result<int> stat_report(O& options, Invocation& call) {
  auto request = request_of(options);
  if (!request) return std::unexpected(std::move(request.error()));
  if (options.input.path.empty()) options.input.path = default_file(options.guest, options.host);
  const GuestEvent event = request->event;
  auto recording = open_traced(options.input, {.force = options.input.force}, call);
  if (!recording) return kNotOpened;
  GuestExits exits(*recording->reader, std::move(*request));
  PEREGRINE_TRY(replay_traced(*recording, exits, call));
  if (!exits.tracepoints().any())
    return std::unexpected(Error{ErrorKind::Unsupported, "this recording has no events of guests"}.with_hint(
        "record with `kvm stat record` on the host"));
  std::vector<GuestRow> rows = exits.rows();
  std::ranges::stable_sort(rows, std::greater<>(), [&](const GuestRow& row) {
    return options.key == "time" ? row.times.mean() : static_cast<double>(row.times.count());
  });
  const std::string machines = options.pids.empty() ? "all VMs" : "pid(s) " + options.pids;
  const std::string cpus = options.vcpu ? fmt::format("VCPU {}", *options.vcpu) : "all VCPUs";
  print_guest_rows(rows, event, fmt::format("{}, {}", machines, cpus), call.out);
  return 0;
}

// The user's options and command are record's own, but for those before `stat`.
Result<int> stat_record(Invocation& call) {
  std::vector<std::string> words{"-R", "-m", "1024", "-c", "1"}, own;
  std::optional<bool> guest;
  std::string output;
  bool host = false;
  for (const std::string& word : call.arguments) {
    if (!own.empty())
      own.push_back(word);
    else if (word == "--host" || word == "--no-host")
      host = word == "--host";
    else if (word == "--guest" || word == "--no-guest")
      guest = word == "--guest";
    else if (word.starts_with("--output="))
      output = word;
    else if (!word.starts_with("--guest") && !word.starts_with("--input="))
      own.push_back(word);
  }
  RecordableTracepoints("kvm").add_events({"kvm_entry", "kvm_exit", "kvm_mmio", "kvm_pio", "kvm_msr"}, words);
  words.push_back(output.empty() ? "--output=" + default_file(guest, host) : output);
  words.insert(words.end(), own.begin(), own.end());
  return run_other(kRecord, std::move(words), call);
}

constexpr Command kStatRecord{
    .name = "kvm stat record", .summary = "Record when and why guests stop running", .run = stat_record};
constexpr Command kStatReport{.name = "kvm stat report",
                              .summary = "Why guests stopped, and for how long",
                              .options = kReportOptions,
                              .run = entry<O, stat_report>};
constexpr Command kStatLive{.name = "kvm stat live", .summary = "The same, live (not built yet)"};
constexpr const Command* kStatParts[] = {&kStatRecord, &kStatReport, &kStatLive};
constexpr Command kStatOfGuests{.name = "kvm stat",
                                .summary = "Why guests stop running, and for how long",
                                .options = kShared,
                                .parts = kStatParts,
                                .words_at = Words::StopAtFirst,
                                .run = run_part};
// What is none of these counts events, as `stat` does.
Result<int> run_stat(Invocation& call) {
  if (called_part(kStatOfGuests, call.arguments) != nullptr) return run_other(kStatOfGuests, call.arguments, call);
  return std::unexpected(
      Error{ErrorKind::Unsupported, "counting events of guests (`kvm stat COMMAND`) is not built yet"}.with_hint(
          "there are kvm stat record, kvm stat report"));
}
constexpr Command kStatPart{
    .name = "kvm stat", .summary = kStatOfGuests.summary, .parts = kStatParts, .passes_to = &kStat, .run = run_stat};
constexpr Command kRecordPart{.name = "kvm record", .summary = "Sample guests (not built yet)"};
constexpr Command kReportPart{.name = "kvm report", .summary = "Show such samples (not built yet)"};
constexpr Command kTopPart{.name = "kvm top", .summary = "The same, live (not built yet)"};
constexpr Command kDiffPart{.name = "kvm diff", .summary = "Compare them (not built yet)"};
constexpr Command kBuildidPart{.name = "kvm buildid-list", .summary = "Their build-ids (not built yet)"};
constexpr const Command* kParts[] = {&kStatPart, &kRecordPart, &kReportPart, &kTopPart, &kDiffPart, &kBuildidPart};
constexpr std::string_view kUsage[] = {"[<options>] stat {record|report} [<options of that>]"};
constexpr std::string_view kDescription =
    "`stat record` records on the host when guests of KVM stop running (exits) and go on (entries), with accesses to "
    "devices; -a records all guests, -p PID one. `stat report` sums up why they stopped, how often, and how long the "
    "host took each time.";
constexpr std::string_view kExamples[] = {
    "perf kvm stat record -a sleep 10|why all guests stop running, for ten seconds",
    "perf kvm stat report|by how often",
    "perf kvm stat report --event mmio -k time|which addresses of devices take longest",
};

}  // namespace

constinit const Command kKvm{.name = "kvm",
                             .summary = "Why guests of KVM stop running",
                             .usage = kUsage,
                             .options = kShared,
                             .parts = kParts,
                             .words_at = Words::StopAtFirst,
                             .paging = Paging::ToTerminal,
                             .description = kDescription,
                             .examples = kExamples,
                             .run = run_part};

}  // namespace peregrine::cmd
