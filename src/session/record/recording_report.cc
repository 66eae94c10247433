#include "session/record/recording_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "abi/attr.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "pipeline/recording/sample_coverage.h"
#include "sys/process/limit.h"

namespace peregrine {
namespace {

constexpr double kPoorCoverage = 0.8;

class RecordingReport {
 public:
  RecordingReport(const RecordRequest& request, const RecordingSummary& summary, SessionListener& listener)
      : request_(request), summary_(summary), listener_(listener) {}

  void unread_processes(const Root& root) const {
    const auto& unread = summary_.unread_processes;
    if (unread.empty()) return;
    // Root may be denied too: in another user namespace, or by a process that protects itself.
    const bool may_read = capabilities(root).has(Capability::SysPtrace);
    constexpr std::size_t kShown = 5;
    const std::string pids = fmt::format(
        "{}{}", fmt::join(unread.begin(), unread.begin() + static_cast<long>(std::min(kShown, unread.size())), ", "),
        unread.size() > kShown ? ", …" : "");
    listener_.warning(
        fmt::format("cannot read the maps of {} (PID {}): {} user code has no symbols",
                    counted(unread.size(), "process", "processes"), pids, unread.size() == 1 ? "its" : "their"),
        may_read ? "" : "record as root, or with CAP_SYS_PTRACE");
  }

  // Losses by CPU and cause, with advice.
  void losses() const {
    u64 lost = 0, dropped = 0, throttles = 0;
    std::string places;
    for (const CpuLoss& loss : summary_.losses) {
      lost += loss.lost_records;
      dropped += loss.lost_samples;
      throttles += loss.throttles;
      const std::string place = loss.cpu >= 0 ? fmt::format("CPU {}", loss.cpu) : fmt::format("thread {}", loss.thread);
      places += fmt::format("\n  {}: {} lost (ring full), {} dropped by the kernel, throttled {}", place,
                            loss.lost_records, counted(loss.lost_samples, "sample"), counted(loss.throttles, "time"));
    }
    if (lost + dropped > 0) {
      const double share =
          100.0 * static_cast<double>(lost + dropped) / static_cast<double>(lost + dropped + summary_.samples);
      listener_.warning(fmt::format("{} lost ({:.1f} % of all):{}",
                                    counted(lost + dropped, "record was", "records were"), share, places),
                        fmt::format("use larger buffers (-m {}M), sample less often (-F, -c), or record with -r 1",
                                    std::max<std::size_t>(1, summary_.ring_bytes * 4 >> 20)));
    } else if (throttles > 0) {
      listener_.warning(fmt::format("the kernel throttled events that occurred too often:{}", places),
                        "sample less often (-F, -c), or raise /proc/sys/kernel/perf_event_max_sample_rate");
    }
    if (const auto& off_cpu = summary_.off_cpu_lost; off_cpu.stacks + off_cpu.sleeps + off_cpu.tasks > 0) {
      listener_.warning(fmt::format("off-CPU time: {} lost, {} without stacks, and {}",
                                    counted(off_cpu.sleeps, "wait was", "waits were"), off_cpu.stacks,
                                    counted(off_cpu.tasks, "child", "children")));
    }
    if (summary_.lost_file_names > 0)
      listener_.warning(counted(summary_.lost_file_names, "opened file has no name in the recording",
                                "opened files have no names in the recording"));
    if (summary_.lost_tasks > 0)
      listener_.warning(fmt::format("{} of the command could not be followed: their samples are missing",
                                    counted(summary_.lost_tasks, "child", "children")));
  }

  // Lines that scripts match.
  void sizes() const {
    if (request_.quiet) return;
    listener_.verbatim(fmt::format("[ perf record: Woken up {} times to write data ]\n", summary_.wakeups));
    if (!summary_.put_away.empty()) listener_.verbatim(fmt::format("[ perf record: Dump {} ]\n", summary_.put_away));
    if (summary_.unwinding) {
      listener_.note(fmt::format("{} unwound while recording, {} kept for later; {:.3f} s of CPU time",
                                 counted(summary_.unwinding->unwound, "stack"), summary_.unwinding->kept,
                                 static_cast<double>(summary_.unwinding->nanoseconds) / 1e9));
    }
    if (summary_.filtered_out > 0)
      listener_.verbatim(fmt::format("[ perf record: {} samples were filtered out ]\n", summary_.filtered_out));
    const double megabyte = 1024.0 * 1024.0;
    std::string line =
        fmt::format("[ perf record: Captured and wrote {:.3f} MB {}", static_cast<double>(summary_.bytes) / megabyte,
                    request_.recording.output.path + (summary_.put_away.empty() ? "" : ".<timestamp>"));
    if (summary_.samples > 0) line += fmt::format(" ({} samples)", summary_.samples);
    if (summary_.compressed_bytes > 0) {
      line += fmt::format(", compressed (original {:.3f} MB, ratio is {:.3f})",
                          static_cast<double>(summary_.record_bytes) / megabyte,
                          static_cast<double>(summary_.record_bytes) / static_cast<double>(summary_.compressed_bytes));
    }
    listener_.verbatim(line + " ]\n");
  }

  void coverage(const EventList& events, bool controlled) const {
    // Coverage is meaningless if events were disabled for a while, or if the recording ended before the command.
    const RunRequest& run = request_.recording.run;
    if (!run.schedule.at_once() || controlled || run.max_bytes != 0) return;
    const auto coverage = sample_coverage(events, summary_);
    if (!coverage || coverage->share() >= kPoorCoverage) return;
    listener_.warning(
        fmt::format(
            "samples cover {:.0f} % of the command's CPU time ({:.2f} of {:.2f} s): threads shorter than {:.1f} ms "
            "are missed",
            100 * coverage->share(), static_cast<double>(coverage->sampled_ns) / 1e9,
            static_cast<double>(coverage->used_ns) / 1e9, static_cast<double>(coverage->period_ns) / 1e6),
        "use --per-cpu (as root): it samples whole CPUs and keeps the command's samples");
  }

  void empty_filter(const EventList& events) const {
    if (summary_.samples != 0) return;
    if (summary_.filtered_out > 0) {
      listener_.warning(
          fmt::format("no sample passed the filter; {} seen", counted(summary_.filtered_out, "was", "were")));
      return;
    }
    // The kernel applies the filters of tracepoints: "sched:sched_switch 'prev_pid == 1'".
    std::vector<std::string> filters;
    std::size_t filtered = 0;
    for (const EventSpec& spec : events) {
      if (!spec.filter || !spec.is_tracepoint()) continue;
      ++filtered;
      if (std::ranges::find(filters, *spec.filter) == filters.end()) filters.push_back(*spec.filter);
    }
    if (filters.empty()) return explain_emptiness(events);
    constexpr std::size_t kMostShown = 3;
    const std::size_t more = filters.size() - std::min(filters.size(), kMostShown);
    filters.resize(filters.size() - more);
    listener_.warning(fmt::format("{} passed the filter '{}'{}",
                                  filtered == 1 ? "no event" : fmt::format("none of {} events", filtered),
                                  fmt::join(filters, "', '"), more == 0 ? "" : fmt::format(", and {} more", more)),
                      "the kernel does not count rejected events: 'stat -e EVENT' shows how many there are");
  }

 private:
  // Hardware trace events and the dummy event have no samples by design.
  void explain_emptiness(const EventList& events) const {
    const bool expected = std::ranges::all_of(events, [](const EventSpec& spec) {
      const bool is_dummy = spec.attr.type == static_cast<u32>(abi::EventType::Software) &&
                            spec.attr.config == static_cast<u64>(abi::SoftwareEvent::Dummy);
      return spec.attr.type <= static_cast<u32>(abi::EventType::Breakpoint) && !is_dummy;
    });
    if (!expected || request_.quiet || !summary_.put_away.empty()) return;
    listener_.note(
        "no samples: the command ran too briefly for this frequency (raise -F), or its events did not occur");
  }

  const RecordRequest& request_;
  const RecordingSummary& summary_;
  SessionListener& listener_;
};

}  // namespace

void report_recording(const Root& root, const RecordRequest& request, const EventList& events, bool controlled,
                      const RecordingSummary& summary, SessionListener& listener) {
  for (const std::string& warning : summary.warnings) listener.warning(warning);
  const RecordingReport report(request, summary, listener);
  report.unread_processes(root);
  report.losses();
  report.sizes();
  report.coverage(events, controlled);
  report.empty_filter(events);
}

}  // namespace peregrine
