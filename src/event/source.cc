#include "event/source.h"

#include <algorithm>

namespace peregrine {

const std::vector<Pmu>& EventSources::pmus() {
  if (!pmus_) pmus_ = read_pmus(root_);
  return *pmus_;
}

const Pmu* EventSources::pmu(std::string_view name) {
  const auto& all = pmus();
  const auto at = std::find_if(all.begin(), all.end(), [&](const Pmu& p) { return p.name == name; });
  return at == all.end() ? nullptr : &*at;
}

Result<const Tracefs*> EventSources::tracefs() {
  if (!tracefs_) tracefs_ = Tracefs::find(root_);
  if (!*tracefs_) return std::unexpected(tracefs_->error());
  return &**tracefs_;
}

}  // namespace peregrine
