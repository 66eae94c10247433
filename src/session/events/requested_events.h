// RequestedEvents: the events that a command line names, as its options add them one after the other.
//
// --filter, --exclude-perf and -G refer to the events before them, so the order of calls is that of the options. What
// events need besides their names and filters is added when a command configures them (event/config).
#pragma once
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/types.h"
#include "event/source.h"
#include "event/spec.h"

namespace peregrine {

class RequestedEvents {
 public:
  // Where names are looked up. They must be configured before the first event is added.
  EventSources& sources() { return sources_; }
  const EventList& list() const { return list_; }
  EventList take() { return std::exchange(list_, {}); }

  // One -e argument, or one of --pfm-events. On error the list is unchanged.
  Result<> add(std::string_view words);
  Result<> add_pfm(std::string_view words);
  void clear();

  // Both apply to the events of the last argument. Errors: as set_filter() and exclude_process() of
  // event/syntax/parse.h.
  Result<> filter(std::string_view text);
  Result<> exclude(i32 pid);

  // -G: the next names to the next events. Errors (Usage): as bind_cgroups(), or a cgroup that does not exist.
  Result<> bind_cgroups(std::string_view names);
  void unbind_cgroups();

 private:
  EventSources sources_;
  EventList list_;
  std::size_t last_ = 0;     // events before the last argument
  std::size_t cgroups_ = 0;  // names given so far
};

}  // namespace peregrine
