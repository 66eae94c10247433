// EventSources: what this system offers to count, read when first asked for, for parse.h and catalogue.h.
//
// One object per command, one thread. `guest` and `host` are what `perf kvm` switches; the default counts the host
// only.
#pragma once
#include <optional>
#include <vector>

#include "sys/pmu.h"
#include "sys/root.h"
#include "sys/tracefs.h"

namespace peregrine {

class EventSources {
 public:
  EventSources() = default;
  explicit EventSources(Root root) : root_(std::move(root)) {}

  const Root& root() const { return root_; }
  const std::vector<Pmu>& pmus();
  const Pmu* pmu(std::string_view name);
  // Errors: NotFound or Denied, as Tracefs::find.
  Result<const Tracefs*> tracefs();

  bool guest = false, host = true;

 private:
  Root root_;
  std::optional<std::vector<Pmu>> pmus_;
  std::optional<Result<Tracefs>> tracefs_;
};

}  // namespace peregrine
