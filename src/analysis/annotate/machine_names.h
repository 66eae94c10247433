// MachineNames: names the addresses of one dso's code with the machine's symbols.
#pragma once
#include <string>
#include <unordered_map>

#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_code.h"
#include "base/types.h"
#include "machine/machine.h"
#include "machine/process/moment.h"

namespace peregrine {

class MachineNames : public CodeNames {
 public:
  // `machine` and `files` must outlive this.
  MachineNames(const Machine& machine, CodeFiles& files, DsoId dso) : machine_(machine), files_(files), dso_(dso) {}

  std::string name(u64 address) override;

 private:
  const Machine& machine_;
  CodeFiles& files_;
  DsoId dso_;
  std::unordered_map<u32, std::string> names_;  // by symbol
};

}  // namespace peregrine
