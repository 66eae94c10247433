// RecordedNames: what records other than samples say of the numbers in samples. Gathered by HistCollector from records
// that the replay was asked to show, read by MachineNaming.
#pragma once
#include <map>
#include <string>

#include "abi/side_band.h"

namespace peregrine {

struct RecordedNames {
  std::map<u64, std::string> cgroups;                   // paths, by id
  std::map<u32, abi::NamespaceLink> cgroup_namespaces;  // by tid, as last told

  void apply(const abi::SideBand& record);
  void merge(const RecordedNames& other);
};

}  // namespace peregrine
