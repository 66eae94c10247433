#include "analysis/hist/key/recorded_names.h"

#include <variant>

namespace peregrine {

void RecordedNames::apply(const abi::SideBand& record) {
  constexpr std::size_t kCgroupNamespace = 6;  // index in a NAMESPACES record's links
  if (const auto* cgroup = std::get_if<abi::CgroupRecord>(&record.body)) cgroups.emplace(cgroup->id, cgroup->path);
  const auto* namespaces = std::get_if<abi::NamespacesRecord>(&record.body);
  if (namespaces != nullptr && namespaces->links.size() > kCgroupNamespace)
    cgroup_namespaces.insert_or_assign(namespaces->tid, namespaces->links[kCgroupNamespace]);
}

void RecordedNames::merge(const RecordedNames& other) {
  cgroups.insert(other.cgroups.begin(), other.cgroups.end());
  cgroup_namespaces.insert(other.cgroup_namespaces.begin(), other.cgroup_namespaces.end());
}

}  // namespace peregrine
