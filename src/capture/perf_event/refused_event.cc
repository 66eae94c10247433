#include "capture/perf_event/refused_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "abi/attr.h"
#include "base/text/counted.h"
#include "base/text/listed.h"

namespace peregrine {
namespace {

namespace flag = abi::attr_flag;

constexpr u64 kSideBand = flag::Task | flag::Mmap | flag::Mmap2 | flag::MmapData | flag::Comm | flag::CommExec |
                          flag::BuildId | flag::Ksymbol | flag::BpfEvent | flag::Namespaces | flag::Cgroup |
                          flag::ContextSwitch;

bool is_single(const EventList& events, std::size_t index) {
  return events[index].leader == index && events[index].group_size == 1;
}

}  // namespace

bool RefusedEvents::may_miss(const EventList& events, std::size_t index, int error) {
  const EventSpec& spec = events[index];
  if (!spec.from_pattern || !is_single(events, index)) return false;
  if (spec.tracking && (index + 1 == events.size() || !is_single(events, index + 1))) return false;
  return error == EPERM || error == EACCES || error == EINVAL || error == ENOENT || error == EOPNOTSUPP;
}

void RefusedEvents::add(EventList& events, std::size_t index, int error, Error failure) {
  if (events[index].tracking) {
    EventSpec& next = events[index + 1];
    next.tracking = true;
    next.attr.flags |= events[index].attr.flags & kSideBand;
  }
  rows_.push_back({index, error});
  if (!first_failure_) first_failure_ = std::move(failure);
}

bool RefusedEvents::contains(std::size_t index) const {
  return std::ranges::find(rows_, index, &Row::index) != rows_.end();
}

std::optional<Error> RefusedEvents::failure(const EventList& events) const {
  const auto matched = static_cast<std::size_t>(std::ranges::count(events, true, &EventSpec::from_pattern));
  return matched == rows_.size() ? first_failure_ : std::nullopt;
}

std::string RefusedEvents::warning(const EventList& events) const {
  constexpr std::size_t kNamed = 8;
  std::map<int, std::vector<std::string>> names;
  for (const Row& row : rows_) names[row.error].push_back(events[row.index].name);
  std::string text =
      fmt::format("skipped {}, which the kernel refuses to sample:", counted(rows_.size(), "event", "events"));
  const char* separator = " ";
  for (const auto& [error, refused] : names)
    text += fmt::format("{}{} ({})", std::exchange(separator, "; "), listed(refused, kNamed), ::strerror(error));
  return text;
}

void RefusedEvents::remove_from(EventList& events) const {
  std::size_t removed = 0;
  EventList kept;
  kept.reserve(events.size() - rows_.size());
  std::size_t shift_of_leader = 0;
  for (std::size_t index = 0; index < events.size(); ++index) {
    if (removed < rows_.size() && rows_[removed].index == index) {
      ++removed;
      continue;
    }
    if (events[index].leader == index) shift_of_leader = removed;
    events[index].leader -= shift_of_leader;
    kept.push_back(std::move(events[index]));
  }
  events = std::move(kept);
}

}  // namespace peregrine
