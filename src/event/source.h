// EventSources: what this system can count, read on demand, for parse.h and catalogue.h.
//
// One object per command, one thread. `perf kvm` sets `guest` and `host`; by default only the host is counted.
// References into it live as long as it does.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "event/field/trace_format.h"
#include "event/vendor/named_event.h"
#include "sys/hardware/pmu.h"
#include "sys/kernel/tracefs.h"
#include "sys/root.h"

namespace peregrine {

class EventSources {
 public:
  EventSources() = default;
  explicit EventSources(Root root) : root_(std::move(root)) {}

  const Root& root() const { return root_; }
  // All PMUs. A server has a hundred with a thousand files: to look up one, use pmu().
  const std::vector<Pmu>& pmus();
  const Pmu* pmu(std::string_view name);
  // The PMUs of the cores; several on hybrid machines.
  const std::vector<const Pmu*>& core_pmus();
  // Errors: NotFound or Denied, as Tracefs::find.
  Result<const Tracefs*> tracefs();
  // The named events of this processor model: those of event_files, then the built-in tables.
  const NamedEvents& named();
  // Errors in event_files, one per line; empty until a name is looked up there.
  std::span<const std::string> problems() const;

  // --cputype: restricts counting to this kind of core ("core", "atom", or a PMU's name). False if there is none.
  bool choose_core_type(std::string_view type);
  // --pmu-filter: events that name no PMU, or match several, count on this one only. Errors (Usage): no such PMU.
  Result<> choose_pmu(std::string_view name);
  // Whether the chosen kind of core or PMU excludes this one.
  bool is_left_out(const Pmu& pmu) const {
    return (!core_type_.empty() && pmu.is_core && pmu.name != core_type_) ||
           (!only_pmu_.empty() && pmu.name != only_pmu_);
  }

  bool guest = false, host = true;
  std::string cpuid;                     // PERF_CPUID: use the events of that processor
  std::string marker_cache;              // the build-id cache's folder; its SDT markers appear in hints; empty: none
  std::vector<std::string> event_files;  // the user's JSON files; their errors are in named().problems()
  // Creates tracepoints of the matching (globs) SDT markers that are not defined yet; `some_exist`: others are defined.
  // Returns false if it has nowhere to look for them.
  std::function<Result<bool>(const std::string& system, const std::string& event, bool some_exist)> define_markers;
  // Names for field values in filters; null: only those of print formats.
  std::unique_ptr<Enumerations> enumerations;

 private:
  Root root_;
  std::string core_type_;  // the chosen PMU's name
  std::string only_pmu_;   // a chosen PMU of any kind
  std::optional<std::vector<Pmu>> pmus_;
  std::map<std::string, std::optional<Pmu>, std::less<>> single_;
  std::optional<std::vector<const Pmu*>> cores_;
  std::optional<Result<Tracefs>> tracefs_;
  std::optional<NamedEvents> named_;
};

}  // namespace peregrine
