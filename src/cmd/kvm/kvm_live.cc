// kvm stat live: why guests exit right now, in a new table every second until interrupted.
#include <array>
#include <chrono>
#include <expected>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "capture/target/target.h"
#include "cli/frame/command.h"
#include "cli/option/option.h"
#include "cli/option/store.h"
#include "cmd/events/time_limit_row.h"
#include "cmd/kvm/kvm_parts.h"
#include "cmd/record/record_choice.h"
#include "cmd/record/record_options.h"
#include "pipeline/recording/recording.h"
#include "pipeline/recording/synthesis.h"
#include "session/guest/guest_session.h"
#include "session/record/record_request.h"
#include "session/recording/tracepoint/recordable_tracepoints.h"
#include "session/recording/tracepoint/tracepoint_recording.h"

namespace peregrine::cmd {

namespace {

struct LiveOptions {
  RecordCommandOptions record;
  GuestChoice choice;
  double display = 1;  // seconds
  u64 duration = 0;    // us
};

Result<> set_ring_size(LiveOptions& options, const Use& use) { return choose_ring_size(options.record, use); }

template <auto... Members>
constexpr Store kSetLiveRequest = set<&LiveOptions::record, &RecordCommandOptions::request, Members...>;

constexpr std::array kKvmLiveOptions{
    Option{.name = "all-cpus",
           .letter = 'a',
           .help = "show all guests (default)",
           .store = kSetLiveRequest<&RecordRequest::target, &TargetRequest::system_wide>},
    Option{.name = "display",
           .letter = 'd',
           .value = Value::Required,
           .metavar = "n",
           .help = "print a table every n seconds (default: 1)",
           .store = set<&LiveOptions::display>},
    Option{.name = "duration",
           .value = Value::Required,
           .metavar = "us",
           .help = "print each exit that takes longer than this, except halts of idle guests",
           .store = set<&LiveOptions::duration>},
    Option{.name = "event",
           .value = Value::Required,
           .metavar = "event",
           .help = "summarize vmexit (default), mmio or ioport",
           .store = set<&LiveOptions::choice, &GuestChoice::event>},
    Option{.name = "key",
           .letter = 'k',
           .value = Value::Required,
           .metavar = "key",
           .help = "sort by sample or time (mean), largest first",
           .store = set<&LiveOptions::choice, &GuestChoice::key>},
    Option{.name = "mmap-pages",
           .letter = 'm',
           .value = Value::Required,
           .metavar = "pages",
           .help = "set the size of each ring buffer, in pages or in bytes with B, K, M, G",
           .store = call<set_ring_size>},
    Option{.name = "pid",
           .letter = 'p',
           .value = Value::Required,
           .metavar = "pid[,pid...]",
           .help = "show only guests of these processes",
           .store = kSetLiveRequest<&RecordRequest::target, &TargetRequest::pids>},
    Option{.name = "proc-map-timeout",
           .value = Value::Required,
           .metavar = "ms",
           .help = "give up reading a process's maps after this many ms",
           .store = kSetLiveRequest<&RecordRequest::recording, &RecordingRequest::synthesis,
                                    &SynthesisRequest::map_timeout_ms>},
    kTimeoutRow<&LiveOptions::record, &RecordCommandOptions::request, &RecordRequest::recording, &RecordingRequest::run,
                &RunRequest::duration>,
    Option{.name = "vcpu",
           .value = Value::Required,
           .metavar = "n",
           .help = "show only virtual CPUs with this number",
           .store = set<&LiveOptions::choice, &GuestChoice::vcpu>},
    Option{.name = "verbose",
           .letter = 'v',
           .help = "print more",
           .store = count<&LiveOptions::record, &RecordCommandOptions::request, &RecordRequest::verbose>},
};

// Samples every hit of the guests' tracepoints, with its fields.
Result<> choose_events(RecordCommandOptions& record) {
  const RecordableTracepoints there("kvm");
  std::vector<std::string> words;
  add_guest_events(there, words);
  for (const std::string& word : words) {
    if (word == "-e") continue;
    if (auto added = record.events.add(word); !added) return std::unexpected(there.cause_of(std::move(added.error())));
  }
  if (record.events.list().empty())
    return std::unexpected(
        Error{ErrorKind::Unsupported, "KVM tracepoints not found"}.with_hint("load the kvm module: modprobe kvm"));
  record.fields().raw = record.fields().cpu = true;
  record.request.recording.rings.tick = std::chrono::milliseconds(100);
  return {};
}

Result<int> stat_live(LiveOptions& options, Invocation& call) {
  PEREGRINE_TRY(options.record.configure(call.config));
  options.choice.pids = options.record.request.target.pids;
  auto table = guest_table(options.choice);
  if (!table) return std::unexpected(std::move(table.error()));
  table->which.longer_than = options.duration * 1000;
  PEREGRINE_TRY(choose_events(options.record));
  RecordCommandOptions& record = options.record;
  describe_program(record.request, call);
  PEREGRINE_TRY(
      watch_guest_exits({.table = std::move(*table), .seconds = options.display, .clears_screen = call.out_is_terminal},
                        record.request, record.events.sources(), record.events.take(), call.out, call.messages));
  return 0;
}

}  // namespace

constinit const Command kKvmStatLive{.name = "kvm stat live",
                                     .summary = "Show guest exits live",
                                     .options = kKvmLiveOptions,
                                     .run = entry<LiveOptions, stat_live>};

}  // namespace peregrine::cmd
