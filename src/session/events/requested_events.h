// RequestedEvents: the events named on a command line, as the options add them one after another.
//
// --filter, --exclude-perf and -G refer to the preceding events, so calls are in the order of the options. Everything
// that events need besides names and filters is added when a command configures them (event/config).
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
  // Where names are looked up. Set up before adding the first event.
  EventSources& sources() { return sources_; }
  const EventList& list() const { return list_; }
  EventList take() { return std::exchange(list_, {}); }

  // Adds the events of one -e or --pfm-events argument. On error, the list is unchanged.
  Result<> add(std::string_view words);
  Result<> add_pfm(std::string_view words);
  void clear();

  // Both apply to the events of the last argument. Errors: as set_filter() and exclude_process() of
  // event/syntax/parse.h.
  Result<> filter(std::string_view text);
  Result<> exclude(i32 pid);

  // -G: assigns the next names to the next events. Errors (Usage): as bind_cgroups(), or the cgroup does not exist.
  Result<> bind_cgroups(std::string_view names);
  void unbind_cgroups();

 private:
  EventSources sources_;
  EventList list_;
  std::size_t last_ = 0;     // events before the last argument
  std::size_t cgroups_ = 0;  // number of names so far
};

}  // namespace peregrine
