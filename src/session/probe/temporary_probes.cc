#include "session/probe/temporary_probes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <expected>
#include <set>
#include <string_view>
#include <utility>

#include "base/concurrency/detached_process.h"
#include "base/result.h"
#include "probe/definition/trace_probe.h"
#include "probe/registry/probe_events.h"
#include "session/probe/probe_request.h"
#include "session/session_listener.h"
#include "sys/root.h"

namespace peregrine {
namespace {

constexpr auto kRemovalPatience = std::chrono::seconds(2);
constexpr auto kSomePatience = std::chrono::milliseconds(200);  // at a start, when somebody is waiting

constexpr std::string_view kKind = "probes\n";

// False if it stays because another process records it.
bool remove_idle(const ProbeEvents& events, const TraceProbe& probe, std::chrono::steady_clock::time_point until) {
  const auto removed = events.remove_idle(probe, until);
  return removed || removed.error().system_errno == ENOENT;
}

void remove_all(const ProbeEvents& events, const std::vector<TraceProbe>& probes,
                std::optional<OwnershipRecord>& record) {
  // One time limit for all, because the recorder waits for this before it ends.
  const auto until = std::chrono::steady_clock::now() + kRemovalPatience;
  bool all = true;
  for (const TraceProbe& probe : probes) all = remove_idle(events, probe, until) && all;
  if (all && record) record->settle();
}

// The widths of numbers are chosen by the kernel; everything else is as written.
bool is_same_probe(const TraceProbe& a, const TraceProbe& b) {
  return a.is_return == b.is_return && a.group == b.group && a.event == b.event && a.target == b.target &&
         a.symbol == b.symbol && a.offset == b.offset && a.arguments.size() == b.arguments.size();
}

// The child process, which outlives whatever ends its parent.
[[noreturn]] void keep_watch(int pipe, const ProbeEvents& events, const std::vector<TraceProbe>& probes,
                             std::optional<OwnershipRecord>& record) {
  ::setsid();
  for (const int ignored : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM})
    ::signal(ignored, SIG_IGN);
  // No process may wait for this one at the other end of a pipe, least of all the keeper of other probes.
  const int kept[] = {pipe, record ? record->fd() : -1};
  close_all_but(kept);
  char byte = 0;
  while (::read(pipe, &byte, 1) < 0 && errno == EINTR) continue;
  remove_all(events, probes, record);
  ::_exit(0);
}

}  // namespace

Result<std::unique_ptr<TemporaryProbes>> TemporaryProbes::add(const std::vector<std::string>& definitions,
                                                              const std::string& command, const ProbeHome& home,
                                                              ExistingProbes existing, SessionListener& listener) {
  auto planned = plan_temporary_probes(definitions, command, home, existing, listener);
  if (!planned) return std::unexpected(std::move(planned.error()));
  const auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(events.error());
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return fail_errno("pipe");
  Fd reading(ends[0]), writing(ends[1]);
  std::unique_ptr<TemporaryProbes> made(new TemporaryProbes());
  if (planned->empty()) return made;
  std::vector<TraceProbe> names;  // lists each event once
  for (const TraceProbe& probe : *planned) {
    if (std::ranges::find(made->events_, probe.name()) != made->events_.end()) continue;
    made->events_.push_back(probe.name());
    names.push_back(probe);
  }
  // Write the record and start the child first: from then on, nothing is left behind.
  std::string text(kKind);
  for (const TraceProbe& probe : *planned) text += probe.format() + '\n';
  std::optional<OwnershipRecord>& record = made->record_;
  if (auto noted = OwnershipRecord::create(Root(), text))
    record = std::move(*noted);
  else
    listener.warning(fmt::format("the probes remain if this program and its guard process are both killed: {}",
                                 noted.error().message));
  made->keeper_ = ::fork();
  if (made->keeper_ < 0) return fail_errno("fork");
  if (made->keeper_ == 0) {
    writing.reset();
    keep_watch(reading.get(), *events, names, record);
  }
  made->alive_ = std::move(writing);
  for (const TraceProbe& probe : *planned) {
    PEREGRINE_TRY(events->check(probe.is_user()));
    PEREGRINE_TRY(events->add(probe));
  }
  return made;
}

TemporaryProbes::~TemporaryProbes() {
  alive_.reset();
  while (keeper_ > 0 && ::waitpid(keeper_, nullptr, 0) < 0 && errno == EINTR) continue;
}

std::optional<AbandonedProbes> undo_abandoned_probes(const Root& root, OwnershipRecord& record) {
  std::string_view text = record.text();
  if (!text.starts_with(kKind)) return std::nullopt;
  AbandonedProbes result;
  const auto events = ProbeEvents::open(root);
  const auto present = events ? events->list() : Result<std::vector<TraceProbe>>(std::unexpected(events.error()));
  if (!present) return result;  // keep the record for a start that can see the probes
  text.remove_prefix(kKind.size());
  std::set<std::string> seen;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const auto probe = TraceProbe::parse(line);
    if (!probe || !seen.insert(probe->name()).second) continue;
    const auto is_it = [&probe](const TraceProbe& other) { return is_same_probe(*probe, other); };
    if (std::ranges::none_of(*present, is_it)) continue;
    const auto until = std::chrono::steady_clock::now() + kSomePatience;
    (remove_idle(*events, *probe, until) ? result.removed : result.refused).push_back(probe->name());
  }
  if (result.refused.empty()) record.settle();
  return result;
}

}  // namespace peregrine
