#include "capture/perf_event/event_matrix.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <expected>
#include <iterator>
#include <optional>
#include <utility>

#include "abi/attr.h"
#include "base/bytes.h"
#include "base/types.h"
#include "capture/perf_event/background_close.h"
#include "capture/perf_event/filter_complaint.h"
#include "capture/perf_event/kernel_features.h"
#include "capture/perf_event/refused_event.h"
#include "event/config/fallback.h"
#include "sys/hardware/cpu.h"
#include "sys/process/process.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

bool is_unsupported(int error_number) {
  switch (error_number) {
    case EINVAL:
    case ENOSYS:
    case ENOENT:
    case EOPNOTSUPP:
    case ENXIO:
    case ENODEV:
      return true;
    default:
      return false;
  }
}

// Lockdown refuses ftrace:function even to root. It is one of the thousands of events in "*:*", so it must not fail
// them all.
bool is_locked_away(const EventSpec& spec, int error) {
  return spec.system == "ftrace" && spec.tracepoint == "function" && (error == EPERM || error == EACCES);
}

}  // namespace

int open_event(const abi::EventAttr& attr, Pid pid, int cpu, int group_fd, unsigned long flags) {
  ByteWriter bytes;
  encode_attr(attr, bytes);
  long fd = -1;
  do {  // a signal can interrupt the kernel's wait for the target's event mutex
    fd = ::syscall(SYS_perf_event_open, bytes.bytes().data(), pid, cpu, group_fd, flags | PERF_FLAG_FD_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  return fd < 0 ? -errno : static_cast<int>(fd);
}

u64 event_id(int fd) {
  u64 id = 0;
  return ::ioctl(fd, PERF_EVENT_IOC_ID, &id) == 0 ? id : 0;
}

// Opens one event list. After each refusal step_down() changes the attr or a limit, and open_one() tries again.
// Features that the kernel turns out to lack stay given up for the events that follow, unless the event fails in the
// end: then its refusals say nothing about the kernel. An event has cells for all of its CPUs and threads or none at
// all; only a thread that has exited leaves an empty cell.
class MatrixOpener {
 public:
  MatrixOpener(EventList& events, const OpenPolicy& policy, std::vector<std::string>& warnings)
      : events_(events), policy_(policy), warnings_(warnings) {}

  Result<EventMatrix> run() {
    matrix_.events_.resize(events_.size());
    for (std::size_t index = 0; index < events_.size(); ++index) {
      if (events_[index].tool != ToolEvent::None) continue;
      if (index < policy_.elsewhere.size() && policy_.elsewhere[index]) continue;
      auto opened = open_one(index);
      if (opened) continue;
      // Closing thousands of tracepoints takes half a minute.
      if (is_slow_to_close()) close_in_background(matrix_.take_descriptors());
      return std::unexpected(std::move(opened.error()));
    }
    PEREGRINE_TRY(leave_out_refused());
    for (const auto& spec : events_) matrix_.leaders_.push_back(spec.leader);
    std::optional<std::size_t> first;
    for (std::size_t index = 0; index < events_.size(); ++index)
      if (is_bundled(index)) matrix_.leaders_[index] = first ? *first : first.emplace(index);
    return std::move(matrix_);
  }

 private:
  bool is_slow_to_close() const { return std::ranges::any_of(events_, &EventSpec::is_tracepoint); }

  // Enabling an event reschedules all events of its CPU: 2.5 s for 2,305 tracepoints on two CPUs. The many events of
  // patterns are siblings of their first one, and so are enabled together, in 2 ms. In the list they remain single.
  bool is_bundled(std::size_t index) const {
    const EventSpec& spec = events_[index];
    constexpr u64 kAlone = flag::Pinned | flag::Exclusive;
    return bundling_ && spec.from_pattern && spec.leader == index && spec.group_size == 1 && spec.cgroup.empty() &&
           !spec.own_cpus && !spec.immediate && spec.attr.has(flag::Disabled) && (spec.attr.flags & kAlone) == 0;
  }
  bool is_worth_bundling() const {
    constexpr std::ptrdiff_t kMany = 100;
    return !policy_.skip_unsupported && policy_.threads == all_threads_ &&
           std::ranges::find(policy_.cpus, -1) == policy_.cpus.end() &&
           std::ranges::count(events_, true, &EventSpec::from_pattern) >= kMany;
  }

  Result<> leave_out_refused() {
    if (refused_.empty()) return {};
    if (auto failure = refused_.failure(events_)) return std::unexpected(std::move(*failure));
    warnings_.push_back(refused_.warning(events_));
    std::size_t index = 0;
    std::erase_if(matrix_.events_, [&](const OpenEvent&) { return refused_.contains(index++); });
    refused_.remove_from(events_);
    return {};
  }

  Result<> open_one(std::size_t index) {
    auto& spec = events_[index];
    const KernelFeatures features_before = features_;
    const EventSpec original = spec;
    const std::size_t warnings_before = warnings_.size();
    // A member cannot be opened into a group without its leader.
    if (spec.leader != index && !matrix_.events_[spec.leader].supported()) {
      const int error = matrix_.events_[spec.leader].error;
      matrix_.events_[index].error = error;
      tell({spec.attr, policy_.threads.front(), policy_.cpus.front(), -1, PERF_FLAG_FD_CLOEXEC, -error, false, false,
            index, spec.leader});
      return {};
    }
    PEREGRINE_TRY(open_cgroup(spec));
    const std::size_t leader = spec.leader;
    const bool weak = leader != index && events_[leader].weak_group;
    const abi::EventAttr asked = weak ? spec.attr : abi::EventAttr();
    for (;;) {
      features_.apply(spec.attr);
      spec.attr.size = abi::written_size(spec.attr);
      const int error = open_cells(index);
      if (error == 0) return {};
      // With skip_unsupported (stat), never fall back to another event: its count would be a wrong answer.
      const bool locked = is_locked_away(spec, error);
      const bool missing = policy_.skip_unsupported && ((is_unsupported(error) && error != EINVAL) || locked);
      if (!missing && step_down(index, error)) continue;
      features_ = features_before;
      if (weak && error == EINVAL) {
        spec.attr = asked;
        return break_up(leader, index);
      }
      if (policy_.skip_unsupported && (is_unsupported(error) || locked)) {
        if (locked) warnings_.push_back(fmt::format("{}: the kernel does not allow function tracing here", spec.name));
        matrix_.events_[index].error = error;
        return {};
      }
      const bool thread_only = is_refused_thread_only(spec, error);
      if (error == EACCES || error == EPERM) {  // fallbacks did not help: name the event as requested
        spec = original;
        warnings_.resize(warnings_before);
      }
      Error failure = thread_only ? explain_refused_thread(spec, error, refused_thread_)
                                  : explain_open_failure(spec, error, paranoid());
      failure.system_errno = error;
      if (policy_.skip_unsupported || !RefusedEvents::may_miss(events_, index, error))
        return std::unexpected(std::move(failure));
      spec = original;
      warnings_.resize(warnings_before);
      refused_.add(events_, index, error, std::move(failure));
      return {};
    }
  }

  // The kernel refused member `index` of a weak group (:W), so the group is dissolved into single events. Reopens the
  // members up to `index`; run() opens the rest.
  Result<> break_up(std::size_t leader, std::size_t index) {
    const abi::EventAttr& first = events_[leader].attr;
    const u64 own_flags = flag::Disabled | flag::EnableOnExec;
    for (std::size_t i = leader; i < events_.size() && (i == leader || events_[i].leader == leader); ++i) {
      if (!events_[i].sample_read) events_[i].attr.read_format &= ~abi::read_bit::Group;
      events_[i].attr.flags = (events_[i].attr.flags & ~own_flags) | (first.flags & own_flags);
    }
    break_group(events_, leader);
    for (std::size_t i = leader; i <= index; ++i) {
      matrix_.events_[i] = OpenEvent();
      PEREGRINE_TRY(open_one(i));
    }
    return {};
  }

  // Keeps only the last cgroup's folder open: events of one cgroup are usually adjacent.
  Result<> open_cgroup(const EventSpec& spec) {
    if (spec.cgroup == cgroup_) return {};
    cgroup_ = spec.cgroup;
    cgroup_folder_ = Fd();
    if (cgroup_.empty()) return {};
    auto folder = open_file(cgroup_, O_RDONLY | O_DIRECTORY);
    if (!folder) return std::unexpected(std::move(folder.error()));
    cgroup_folder_ = std::move(*folder);
    return {};
  }

  // Returns true if another attempt makes sense. The order matters: precision goes before features, features before a
  // fallback event.
  bool step_down(std::size_t index, int error) {
    auto& spec = events_[index];
    if (error == EMFILE && !raised_files_) {
      raised_files_ = true;
      raise_open_files(files_needed());
      return true;
    }
    const bool precise_left = spec.precise_max && spec.attr.precise_ip() > 0;
    if (error == EINVAL && !precise_left && features_.give_up_next(spec.attr)) {
      restore_precision(spec);  // the feature alone may have caused the refusal
      return true;
    }
    if (auto fallback = fall_back(spec, error, paranoid())) {
      // Several events can fall back for the same reason: warn once.
      if (!fallback->warning.empty() && std::ranges::find(warnings_, fallback->warning) == warnings_.end())
        warnings_.push_back(std::move(fallback->warning));
      return true;
    }
    return error == EINVAL && features_.give_up_next(spec.attr);
  }

  void tell(const OpenAttempt& attempt) const {
    if (policy_.on_open) policy_.on_open(attempt);
  }

  // Opens the event on this process. If that works, the problem is the other thread's owner.
  bool is_refused_thread_only(const EventSpec& spec, int error) const {
    if ((error != EACCES && error != EPERM) || refused_thread_ <= 0 || !spec.cgroup.empty()) return false;
    abi::EventAttr attr = spec.attr;
    attr.set(abi::attr_flag::Disabled);
    const int opened = open_event(attr, 0, -1, -1);
    if (opened < 0) return false;
    const Fd closer(opened);
    return true;
  }

  int paranoid() const { return static_cast<int>(policy_.limits.paranoid.value_or(2)); }
  u64 files_needed() const { return events_.size() * policy_.cpus.size() * policy_.threads.size() * 2 + 256; }

  // Returns 0, or the errno of the first cell that failed; then no cell of this event stays open.
  int open_cells(std::size_t index) {
    const auto& spec = events_[index];
    auto& cells = matrix_.events_[index].cells;
    cells.clear();
    const auto& threads = spec.system_wide ? all_threads_ : policy_.threads;
    const CpuList cpus = cpus_of(spec);
    cells.reserve(cpus.size() * threads.size());
    std::size_t vanished = 0;
    bool again = false;
    for (const int cpu : cpus) {
      // Any other error makes the event itself fail too, just below.
      if (!spec.cgroup.empty() && matrix_.cgroup_clock_.start(cgroup_folder_.get(), cpu) == EMFILE) {
        cells.clear();
        return EMFILE;
      }
      for (const Pid thread : threads) {
        const std::size_t first = is_bundled(index) ? bundle_.value_or(index) : spec.leader;
        const int group = first == index ? -1 : matrix_.find(first, cpu, thread, cells.size());
        const Pid pid = spec.cgroup.empty() ? thread : cgroup_folder_.get();
        const unsigned long flags = spec.cgroup.empty() ? 0 : PERF_FLAG_PID_CGROUP;
        abi::EventAttr attr = spec.attr;
        attr.set(flag::Disabled, attr.has(flag::Disabled) && (group < 0 || first == spec.leader));
        const int fd = open_event(attr, pid, cpu, group, flags);
        tell({spec.attr, pid, cpu, group, flags | PERF_FLAG_FD_CLOEXEC, fd, std::exchange(again, true), true, index,
              spec.leader});
        // The thread has exited since it was listed. That is an error only if none is left.
        if (fd == -ESRCH && threads.size() > 1) {
          cells.push_back({cpu, thread, Fd()});
          ++vanished;
          continue;
        }
        if (fd < 0) {
          refused_thread_ = pid;
          cells.clear();
          return -fd;
        }
        cells.push_back({cpu, thread, Fd(fd)});
      }
    }
    if (vanished > 0 && vanished == cells.size()) {
      cells.clear();
      return ESRCH;
    }
    if (!bundle_ && is_bundled(index)) bundle_ = index;
    return 0;
  }

  // The policy's CPUs, restricted to those of the event's PMU. If the two do not overlap, the PMU's CPUs win.
  CpuList cpus_of(const EventSpec& spec) const {
    if (!spec.own_cpus) {
      if (spec.system_wide && policy_.cpus == CpuList{-1}) return {0};
      return policy_.cpus;
    }
    // A per-task event of a hybrid PMU needs no CPU: the kernel counts while the task runs on such a core.
    if (policy_.cpus == CpuList{-1}) return spec.system_wide ? *spec.own_cpus : policy_.cpus;
    CpuList both;
    std::ranges::set_intersection(policy_.cpus, *spec.own_cpus, std::back_inserter(both));
    return both.empty() ? *spec.own_cpus : both;
  }

  const std::vector<Pid> all_threads_{-1};
  EventList& events_;
  const OpenPolicy& policy_;
  std::vector<std::string>& warnings_;
  EventMatrix matrix_;
  KernelFeatures features_;
  RefusedEvents refused_;
  bool bundling_ = is_worth_bundling();
  std::optional<std::size_t> bundle_;  // the first opened event of the bundle
  bool raised_files_ = false;
  std::string cgroup_;  // path of cgroup_folder_
  Fd cgroup_folder_;
  Pid refused_thread_ = 0;  // the pid argument of the last open that failed
};

Result<EventMatrix> EventMatrix::open(EventList& events, const OpenPolicy& policy, std::vector<std::string>& warnings) {
  return MatrixOpener(events, policy, warnings).run();
}

int EventMatrix::find(std::size_t event, int cpu, Pid thread, std::size_t guess) const {
  const auto& cells = events_[event].cells;
  if (guess < cells.size() && cells[guess].cpu == cpu && cells[guess].thread == thread) return cells[guess].fd.get();
  for (const Cell& cell : cells) {
    if (cell.cpu == cpu && cell.thread == thread) return cell.fd.get();
  }
  return -1;
}

Result<> EventMatrix::enable() { return set_leaders_enabled(true); }
Result<> EventMatrix::disable() { return set_leaders_enabled(false); }

Result<> EventMatrix::set_leaders_enabled(bool on) {
  for (std::size_t index = 0; index < events_.size(); ++index)
    if (leaders_[index] == index) PEREGRINE_TRY(set_enabled(index, on));
  return {};
}

Result<> EventMatrix::set_enabled(std::size_t event, bool on) {
  for (const Cell& cell : events_[event].cells) {
    if (cell.fd && ::ioctl(cell.fd.get(), on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0) != 0) {
      return fail_errno(on ? "cannot enable an event" : "cannot disable an event");
    }
  }
  return {};
}

Result<> EventMatrix::set_filters(const EventList& events) {
  for (std::size_t index = 0; index < events_.size(); ++index) {
    if (!events[index].filter || events[index].filters_samples()) continue;
    for (const Cell& cell : events_[index].cells) {
      if (cell.fd && ::ioctl(cell.fd.get(), PERF_EVENT_IOC_SET_FILTER, events[index].filter->c_str()) != 0) {
        const int error = errno;
        Error failure{ErrorKind::Usage,
                      fmt::format("failed to set filter \"{}\" on event {} with {} ({})", *events[index].filter,
                                  events[index].name, error, ::strerror(error))};
        failure.system_errno = error;
        if (events[index].filters_addresses) {
          failure.hint =
              "each region must be within one mapping of its file; kernel and file addresses cannot be combined";
          return std::unexpected(std::move(failure));
        }
        if (const auto why = filter_complaint(events[index].system, events[index].tracepoint, *events[index].filter);
            error == EINVAL && !why.empty())
          failure.message += "\n\nThe kernel says: " + why;
        return std::unexpected(std::move(failure));
      }
    }
  }
  return {};
}

std::vector<Fd> EventMatrix::take_descriptors() {
  std::vector<Fd> taken = cgroup_clock_.take_descriptors();
  for (auto& event : events_)
    for (Cell& cell : event.cells) taken.push_back(std::move(cell.fd));
  return taken;
}

std::size_t EventMatrix::open_count() const {
  std::size_t count = 0;
  for (const auto& event : events_) {
    count +=
        static_cast<std::size_t>(std::ranges::count_if(event.cells, [](const Cell& cell) { return bool(cell.fd); }));
  }
  return count;
}

}  // namespace peregrine
