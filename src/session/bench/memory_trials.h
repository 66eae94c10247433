// Memory benchmarks: copying, filling and mapping memory, and finding set bits in it. The texts are linux-perf's.
#pragma once
#include <string>

#include "base/result.h"
#include "base/types.h"
#include "output/sink.h"
#include "trial/memory_copy.h"

namespace peregrine {

struct MemoryTrialRequest {
  bool simple = false;           // print only the rate, in bytes per second
  std::string size = "1MB";      // as accepted by parse_memory_size(); shown as given
  std::string function = "all";  // of the C library, or the method of mapping
  u64 loops = 1;                 // at least one round is run
};

// "Default memcpy() of the C library".
std::string describe(MemoryWork work);
// Errors: Usage, an invalid size; as run_memory().
Result<> run_memory_trial(MemoryWork work, const MemoryTrialRequest& request, Sink& out);
// Maps memory with the method that `function` names, or with all methods. Errors: Usage, an invalid size; as
// run_mapping().
Result<> run_mapping_trial(const MemoryTrialRequest& request, Sink& out);

struct BitTrialRequest {
  bool simple = false;
  unsigned outer = 5, inner = 100'000;  // rounds, and searches per round
};
void run_bit_trial(const BitTrialRequest& request, Sink& out);

}  // namespace peregrine
