// RefusedEvents: tracepoints of a pattern ("*:*") that the kernel does not let anyone sample: left out, and named
// once.
//
// Some tracepoints refuse every user: perf itself could recurse into them (irq_vectors:irq_work_exit), or they have no
// ordinary record (ftrace:function). An event that was requested by its full name still fails the command.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "event/spec.h"

namespace peregrine {

class RefusedEvents {
 public:
  // Whether this event may be missing. If it carries the side-band, the event after it takes that over.
  static bool may_miss(const EventList& events, std::size_t index, int error);
  // `failure`: what to report if no event of a pattern can be opened.
  void add(EventList& events, std::size_t index, int error, Error failure);

  bool empty() const { return rows_.empty(); }
  bool contains(std::size_t index) const;
  // Set if no event of the patterns was opened: then the events are not the reason.
  std::optional<Error> failure(const EventList& events) const;
  // "skipped 2 events, which the kernel refuses to sample: NAME, NAME (Invalid argument)".
  std::string warning(const EventList& events) const;
  // Removes these events from the list; the leaders of the others get their new places.
  void remove_from(EventList& events) const;

 private:
  struct Row {
    std::size_t index = 0;
    int error = 0;
  };
  std::vector<Row> rows_;
  std::optional<Error> first_failure_;
};

}  // namespace peregrine
