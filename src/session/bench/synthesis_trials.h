// Benchmarks of the work done before recording: synthesizing records for running processes, reading the kernel's
// symbols, and reading the PMUs in /sys. The texts are linux-perf's.
#pragma once
#include "base/result.h"
#include "output/sink.h"

namespace peregrine {

struct SynthesisTrialRequest {
  bool simple = false;
  bool single = false;   // this process only, with one thread; also the default without `several`
  bool several = false;  // all processes, with several threads
  unsigned single_rounds = 10'000, several_rounds = 10;
  unsigned fewest = 1, most = 0;  // threads; most 0: one per CPU
};
Result<> run_synthesis(const SynthesisTrialRequest& request, Sink& out);

struct KallsymsTrialRequest {
  bool simple = false;
  unsigned rounds = 1;
};
// Errors: as load_kallsyms().
Result<> run_kallsyms_reading(const KallsymsTrialRequest& request, Sink& out);

struct PmuScanTrialRequest {
  bool simple = false;
  unsigned rounds = 100;
};
Result<> run_pmu_scan(const PmuScanTrialRequest& request, Sink& out);

}  // namespace peregrine
