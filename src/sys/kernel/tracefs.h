// Tracefs: the mount point, the list of tracepoints, and the text of their formats.
//
// Ids and formats are read on demand: a machine has thousands of events and a command names a few.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

class Tracefs {
 public:
  // Searches /proc/mounts for tracefs, then debugfs + "/tracing", then the usual places. If tracefs is not mounted,
  // root mounts it at /sys/kernel/tracing, as linux-perf does. Errors: NotFound with the mount command as hint; Denied
  // if it is mounted but not readable.
  static Result<Tracefs> find(const Root& root);

  const std::string& mount() const { return mount_; }  // without the Root's prefix
  std::string events_path() const { return mount_ + "/events"; }

  // Return the systems that have events ("sched"), and the events of a system that have an id, in directory order.
  // linux-perf expands a glob in this order.
  std::vector<std::string> systems() const;
  std::vector<std::string> events(std::string_view system) const;
  // Whether the event can be enabled by itself: those of the tracers ("ftrace:function") cannot.
  bool can_enable(std::string_view system, std::string_view event) const;
  // Returns the id that perf_event_open(2) takes as attr.config. Errors: NotFound, Denied.
  Result<u64> id(std::string_view system, std::string_view event) const;
  // The text of the format file.
  Result<std::string> format(std::string_view system, std::string_view event) const;
  // Read a file in events/ or in the mount itself: "header_page", "header_event", "printk_formats", "saved_cmdlines",
  // …
  Result<std::string> events_file(std::string_view name) const;
  Result<std::string> file(std::string_view name) const;

 private:
  static Result<Tracefs> find_mounted(const Root& root);
  Tracefs(const Root& root, std::string mount) : root_(root), mount_(std::move(mount)) {}

  Root root_;
  std::string mount_;
};

}  // namespace peregrine
