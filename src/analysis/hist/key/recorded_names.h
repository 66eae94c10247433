// RecordedNames: names from non-sample records for ids in samples. Collected by HistCollector from the records that the
// replay shows, read by MachineNaming.
#pragma once
#include <map>
#include <string>

#include "abi/side_band.h"
#include "base/types.h"
#include "machine/process/moment.h"

namespace peregrine {

struct RecordedNames {
  struct CgroupNamespace {
    Moment moment = 0;  // time of the record
    abi::NamespaceLink link;
  };
  std::map<u64, std::string> cgroups;                // paths, by id
  std::map<u32, CgroupNamespace> cgroup_namespaces;  // by tid; the latest record

  void apply(const abi::SideBand& record, Moment moment);
  // The result does not depend on which worker had which records.
  void merge(const RecordedNames& other);
};

}  // namespace peregrine
