// EventSources: what this system offers to count, read when first asked for, for parse.h and catalogue.h.
//
// One object per command, one thread. `guest` and `host` are what `perf kvm` switches; the default counts the host
// only. References into it live as long as it does.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

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
  // All of them. A server has a hundred with a thousand files: what names one PMU asks for that one.
  const std::vector<Pmu>& pmus();
  const Pmu* pmu(std::string_view name);
  // The PMUs of the processor's cores; several on a machine with several kinds of core.
  const std::vector<const Pmu*>& core_pmus();
  // Errors: NotFound or Denied, as Tracefs::find.
  Result<const Tracefs*> tracefs();
  // The events that have names on this processor model: those of the built-in tables, and before them those of
  // event_files.
  const NamedEvents& named();
  // What was wrong in event_files, a line each; nothing when no name was looked for there.
  std::span<const std::string> problems() const;

  // --cputype: only the cores of this kind count from now on ("core", "atom", or a PMU's name). False: there is none.
  bool choose_core_type(std::string_view type);
  // --pmu-filter: events that name no PMU, or several, count on this one alone. Errors (Usage): there is none.
  Result<> choose_pmu(std::string_view name);
  // Another kind of core or another PMU was chosen.
  bool is_left_out(const Pmu& pmu) const {
    return (!core_type_.empty() && pmu.is_core && pmu.name != core_type_) ||
           (!only_pmu_.empty() && pmu.name != only_pmu_);
  }

  bool guest = false, host = true;
  std::string cpuid;                     // PERF_CPUID: pretend to be that processor
  std::string marker_cache;              // the build-id cache's folder, whose SDT markers hints name; empty: none
  std::vector<std::string> event_files;  // the user's own, JSON; what is wrong in them is in named().problems()
  // Makes tracepoints of the SDT markers that match (globs) and are not defined yet; `some_exist`: others are. False:
  // it knows no place to look for them.
  std::function<Result<bool>(const std::string& system, const std::string& event, bool some_exist)> define_markers;
  // Names that filters may use for the values of fields; null: those of print formats only.
  std::unique_ptr<Enumerations> enumerations;

 private:
  Root root_;
  std::string core_type_;  // the chosen PMU's name
  std::string only_pmu_;   // the same, of any kind
  std::optional<std::vector<Pmu>> pmus_;
  std::map<std::string, std::optional<Pmu>, std::less<>> single_;
  std::optional<std::vector<const Pmu*>> cores_;
  std::optional<Result<Tracefs>> tracefs_;
  std::optional<NamedEvents> named_;
};

}  // namespace peregrine
