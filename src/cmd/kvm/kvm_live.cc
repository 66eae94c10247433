// kvm stat live: why guests stop running now: a table again and again, until it is interrupted.
#include <poll.h>

#include <algorithm>

#include "cli/frame/version.h"
#include "cmd/command_table.h"
#include "cmd/kvm/kvm_parts.h"
#include "cmd/record/record_choice.h"
#include "cmd/record/record_options.h"
#include "cmd/record/record_settle.h"
#include "pipeline/live/live_session.h"

namespace peregrine::cmd {

namespace {

struct LiveOptions {
  RecordCommandOptions record;
  KvmOptions kvm;
  double display = 1;  // seconds
  u64 duration = 0;    // us
};

Result<> set_ring_size(LiveOptions& options, const Use& use) { return choose_ring_size(options.record, use); }

constexpr std::array kKvmLiveOptions{
    Option{.name = "all-cpus",
           .letter = 'a',
           .help = "all guests (default)",
           .store = set<&LiveOptions::record, &RecordCommandOptions::target, &TargetRequest::system_wide>},
    Option{.name = "display",
           .letter = 'd',
           .value = Value::Required,
           .metavar = "n",
           .help = "seconds between tables (default: 1)",
           .store = set<&LiveOptions::display>},
    Option{.name = "duration",
           .value = Value::Required,
           .metavar = "us",
           .help = "print each exit that takes longer, except halts of idle guests",
           .store = set<&LiveOptions::duration>},
    Option{.name = "event",
           .value = Value::Required,
           .metavar = "event",
           .help = "what to summarize: vmexit, mmio, ioport (default: vmexit)",
           .store = set<&LiveOptions::kvm, &KvmOptions::event>},
    Option{.name = "key",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "key",
           .help = "sort by sample or time (mean), largest first",
           .store = set<&LiveOptions::kvm, &KvmOptions::key>},
    Option{.name = "mmap-pages",
           .letter = 'm',
           .value = Value::Required,
           .metavar = "pages",
           .help = "size of each ring buffer, in pages or in bytes with B, K, M, G",
           .store = call<set_ring_size>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "only guests of these processes",
           .store = set<&LiveOptions::record, &RecordCommandOptions::target, &TargetRequest::pids>},
    Option{.name = "proc-map-timeout",
           .value = Value::Required,
           .metavar = "ms",
           .help = "time limit for reading the maps of a process",
           .store = set<&LiveOptions::record, &RecordCommandOptions::map_timeout_ms>},
    Option{.name = "vcpu",
           .value = Value::Required,
           .metavar = "n",
           .help = "only virtual CPUs with this number",
           .store = set<&LiveOptions::kvm, &KvmOptions::vcpu>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "print more",
           .store = count<&LiveOptions::record, &RecordCommandOptions::verbose>},
};

// Every hit of the tracepoints of guests, whole.
Result<> choose_events(RecordCommandOptions& record) {
  for (const std::string& word : guest_tracepoints())
    if (word != "-e") PEREGRINE_TRY(parse_events(word, record.sources, record.events));
  if (record.events.empty())
    return std::unexpected(Error{ErrorKind::Unsupported, "this kernel has no tracepoints of guests"}.with_hint(
        "the module kvm is not loaded"));
  record.config.raw_samples = true;
  record.config.sample_cpu = true;
  return {};
}

Result<std::unique_ptr<LiveSession>> start(LiveOptions& options, Invocation& call) {
  RecordCommandOptions& record = options.record;
  const Root& root = record.sources.root();
  settle_target(record, call);
  auto target = make_target(root, record.target);
  if (!target) return std::unexpected(std::move(target.error()));
  std::vector<std::string> warnings;
  PEREGRINE_TRY(settle_events(record, perf_limits(root), *target, call, warnings));
  for (const std::string& warning : warnings) call.messages.warning(warning);
  RecordingOptions how;
  how.target = std::move(*target);
  how.ring_bytes = record.ring_bytes;
  how.map_timeout_ms = record.map_timeout_ms;
  how.build_ids = false;
  how.tick = std::chrono::milliseconds(100);
  how.live = true;
  how.command_line = call.argv;
  how.version = std::string(kSpeaks);
  return LiveSession::start(root, std::move(how), std::move(record.events), record.sources);
}

// False when the recording has ended.
Result<bool> sleep_until_next(const LiveSession& session, double seconds) {
  pollfd ended{session.ended_fd(), POLLIN, 0};
  const int ready = ::poll(&ended, 1, static_cast<int>(std::clamp(seconds, 0.01, 86'400.0) * 1000));
  if (ready < 0 && errno != EINTR) return fail_errno("waiting");
  return ready <= 0;
}

Result<int> stat_live(LiveOptions& options, Invocation& call) {
  constexpr std::string_view kClear = "\x1b[H\x1b[2J\x1b[3J";
  PEREGRINE_TRY(options.record.configure(call.config));
  options.kvm.pids = options.record.target.pids;
  auto request = guest_request(options.kvm);
  if (!request) return std::unexpected(std::move(request.error()));
  request->longer_than = options.duration * 1000;
  PEREGRINE_TRY(choose_events(options.record));
  auto session = start(options, call);
  if (!session) return std::unexpected(std::move(session.error()));
  auto reader = data::Reader::open_fd((*session)->take_data(), "what guests do");
  PEREGRINE_TRY((*session)->opened());
  if (!reader) return std::unexpected(std::move(reader.error()));
  Machine machine;
  GuestExits exits(*reader, std::move(*request));
  (*session)->replay(*reader, machine, {}, exits);
  for (bool goes_on = true; goes_on;) {
    const auto slept = sleep_until_next(**session, options.display);
    if (!slept) return std::unexpected(slept.error());
    goes_on = *slept;
    {
      const std::scoped_lock lock((*session)->mutex());
      if (call.out_is_terminal) call.out.append(kClear);
      for (const GuestExits::Long& one : exits.take_long())
        call.out.format("{:.6f} {}, vcpu {}: {} took {:.2f}us\n", static_cast<double>(one.time) / 1e9, one.pid,
                        one.vcpu, one.name, static_cast<double>(one.took) / 1e3);
      print_exits(exits.take(), options.kvm, call.out);
    }
    PEREGRINE_TRY(call.out.flush());
  }
  PEREGRINE_TRY((*session)->stop());
  PEREGRINE_TRY(exits.outcome());
  return 0;
}

}  // namespace

constinit const Command kKvmStatLive{.name = "kvm stat live",
                                     .summary = "Show guest exits live",
                                     .options = kKvmLiveOptions,
                                     .run = entry<LiveOptions, stat_live>};

}  // namespace peregrine::cmd
