#include "session/events/requested_events.h"

#include <cstddef>

#include "base/types.h"
#include "event/config/cgroup_choice.h"
#include "event/kind/pfm_event.h"
#include "event/syntax/parse.h"

namespace peregrine {

Result<> RequestedEvents::add(std::string_view words) {
  const std::size_t before = list_.size();
  PEREGRINE_TRY(parse_events(words, sources_, list_));
  last_ = before;
  return {};
}

Result<> RequestedEvents::add_pfm(std::string_view words) {
  const std::size_t before = list_.size();
  PEREGRINE_TRY(parse_pfm_events(words, sources_, list_));
  last_ = before;
  return {};
}

void RequestedEvents::clear() {
  list_.clear();
  last_ = 0;
}

Result<> RequestedEvents::filter(std::string_view text) {
  return set_filter(sources_, list_, last_, text, FilterUse::Sampling);
}

Result<> RequestedEvents::exclude(i32 pid) { return exclude_process(list_, last_, pid); }

Result<> RequestedEvents::bind_cgroups(std::string_view names) {
  return bind_checked_cgroups(sources_.root(), names, cgroups_, list_);
}

void RequestedEvents::unbind_cgroups() {
  peregrine::unbind_cgroups(list_);
  cgroups_ = 0;
}

}  // namespace peregrine
