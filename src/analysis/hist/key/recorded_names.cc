#include "analysis/hist/key/recorded_names.h"

#include <cstddef>
#include <variant>

namespace peregrine {
namespace {

void keep_later(RecordedNames::CgroupNamespace& known, const RecordedNames::CgroupNamespace& found) {
  if (found.moment >= known.moment) known = found;
}

}  // namespace

void RecordedNames::apply(const abi::SideBand& record, Moment moment) {
  constexpr std::size_t kCgroupNamespace = 6;  // index in a NAMESPACES record's links
  if (const auto* cgroup = std::get_if<abi::CgroupRecord>(&record.body)) cgroups.emplace(cgroup->id, cgroup->path);
  const auto* namespaces = std::get_if<abi::NamespacesRecord>(&record.body);
  if (namespaces != nullptr && namespaces->links.size() > kCgroupNamespace)
    keep_later(cgroup_namespaces[namespaces->tid], {moment, namespaces->links[kCgroupNamespace]});
}

void RecordedNames::merge(const RecordedNames& other) {
  cgroups.insert(other.cgroups.begin(), other.cgroups.end());
  for (const auto& [tid, found] : other.cgroup_namespaces) keep_later(cgroup_namespaces[tid], found);
}

}  // namespace peregrine
