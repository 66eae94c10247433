#include "event/source.h"

#include <fmt/format.h>

#include <expected>
#include <string_view>

#include "base/nearest.h"
#include "base/result.h"
#include "event/vendor/processor_model.h"

namespace peregrine {

const std::vector<Pmu>& EventSources::pmus() {
  if (!pmus_) pmus_ = read_pmus(root_);
  return *pmus_;
}

const Pmu* EventSources::pmu(std::string_view name) {
  auto at = single_.find(name);
  if (at == single_.end()) at = single_.emplace(name, read_pmu(root_, name)).first;
  return at->second ? &*at->second : nullptr;
}

bool EventSources::choose_core_type(std::string_view type) {
  for (const Pmu* pmu : core_pmus()) {
    if (pmu->name != type && pmu->name != fmt::format("cpu_{}", type)) continue;
    core_type_ = pmu->name;
    cores_.emplace({pmu});
    return true;
  }
  return false;
}

Result<> EventSources::choose_pmu(std::string_view name) {
  const Pmu* chosen = pmu(name);
  if (chosen == nullptr) {
    std::vector<std::string_view> names;
    for (const Pmu& one : pmus()) names.emplace_back(one.name);
    const auto near = nearest(name, names);
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("this machine has no PMU '{}'", name)}.with_hint(
        near ? fmt::format("did you mean '{}'?", *near) : "the PMUs are in /sys/bus/event_source/devices"));
  }
  only_pmu_ = chosen->name;
  if (chosen->is_core) choose_core_type(chosen->name);
  return {};
}

const std::vector<const Pmu*>& EventSources::core_pmus() {
  if (!cores_) {
    cores_.emplace();
    for (const auto& name : core_pmu_names(root_))
      if (const Pmu* found = pmu(name)) cores_->push_back(found);
  }
  return *cores_;
}

Result<const Tracefs*> EventSources::tracefs() {
  if (!tracefs_) tracefs_ = Tracefs::find(root_);
  if (!*tracefs_) return std::unexpected(tracefs_->error());
  return &**tracefs_;
}

const NamedEvents& EventSources::named() {
  if (!named_) named_.emplace(processor_model(root_, cpuid), event_files);
  return *named_;
}

std::span<const std::string> EventSources::problems() const {
  return named_ ? named_->problems() : std::span<const std::string>();
}

}  // namespace peregrine
