// RecordedNames: names that non-sample records give for ids in samples. Collected by HistCollector from the records
// that the replay shows, read by MachineNaming.
#pragma once
#include <map>
#include <string>

#include "abi/side_band.h"

namespace peregrine {

struct RecordedNames {
  std::map<u64, std::string> cgroups;                   // paths, by id
  std::map<u32, abi::NamespaceLink> cgroup_namespaces;  // by tid; the latest

  void apply(const abi::SideBand& record);
  void merge(const RecordedNames& other);
};

}  // namespace peregrine
