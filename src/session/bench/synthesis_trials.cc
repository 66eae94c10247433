#include "session/bench/synthesis_trials.h"

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <expected>
#include <string_view>
#include <thread>
#include <vector>

#include "abi/record_walk.h"
#include "analysis/stat/run_stats.h"
#include "base/bytes.h"
#include "base/concurrency/worker_pool.h"
#include "base/types.h"
#include "capture/synthesis/process.h"
#include "symbol/kernel/kallsyms.h"
#include "sys/hardware/pmu.h"
#include "sys/process/process.h"
#include "sys/root.h"
#include "trial/stop_watch.h"

namespace peregrine {
namespace {

u64 records_in(const ByteWriter& records) {
  u64 count = 0;
  for (Bytes rest = records.bytes(); const auto record = abi::first_record(rest); ++count)
    rest = rest.subspan(record->bytes.size());
  return count;
}

void write_synthesis_costs(Sink& out, std::string_view indent, std::string_view what, const RunStats& times,
                           const RunStats& events) {
  out.format("{}Average {} took: {:.3f} usec (+- {:.3f} usec)\n", indent, what, times.mean(), times.error());
  out.format("{}Average num. events: {:.3f} (+- {:.3f})\n", indent, events.mean(), events.error());
  out.format("{}Average time per event {:.3f} usec\n", indent, events.mean() > 0 ? times.mean() / events.mean() : 0);
}

void synthesize_self(unsigned rounds, Sink& out) {
  out.append(
      "Computing performance of single threaded perf event synthesis by\nsynthesizing events on the perf process "
      "itself:\n");
  const std::vector<Pid> self{::getpid()};
  WorkerPool pool(1);
  for (const bool data : {false, true}) {
    RunStats times, events;
    for (unsigned i = 0; i < rounds; ++i) {
      ByteWriter records;
      const StopWatch watch;
      synthesize_threads(Root(), {.data_maps = data}, self, pool, records);
      times.add(watch.seconds() * 1e6);
      events.add(static_cast<double>(records_in(records)));
    }
    write_synthesis_costs(out, "  ", data ? "data synthesis" : "synthesis", times, events);
  }
}

void synthesize_everybody(const SynthesisTrialRequest& request, Sink& out) {
  out.append("Computing performance of multi threaded perf event synthesis by\nsynthesizing events on CPU 0:\n");
  const unsigned most = request.most != 0 ? request.most : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned threads = std::max(request.fewest, 1u); threads <= most; ++threads) {
    out.format("  Number of synthesis threads: {}\n", threads);
    WorkerPool pool(threads);
    RunStats times, events;
    for (unsigned i = 0; i < request.several_rounds; ++i) {
      ByteWriter records;
      const StopWatch watch;
      synthesize_all_processes(Root(), {}, pool, records);
      times.add(watch.seconds() * 1e6);
      events.add(static_cast<double>(records_in(records)));
    }
    write_synthesis_costs(out, "    ", "synthesis", times, events);
  }
}

}  // namespace

Result<> run_synthesis(const SynthesisTrialRequest& request, Sink& out) {
  if (request.single || !request.several) synthesize_self(request.single_rounds, out);
  if (request.several) synthesize_everybody(request, out);
  return {};
}

Result<> run_kallsyms_reading(const KallsymsTrialRequest& request, Sink& out) {
  RunStats times;
  for (unsigned i = 0; i < request.rounds; ++i) {
    const StopWatch watch;
    const auto symbols = load_kallsyms("/proc/kallsyms");
    if (!symbols) return std::unexpected(symbols.error());
    times.add(watch.seconds() * 1e3);
  }
  out.format("  Average kallsyms__parse took: {:.3f} ms (+- {:.3f} ms)\n", times.mean(), times.error());
  return {};
}

Result<> run_pmu_scan(const PmuScanTrialRequest& request, Sink& out) {
  RunStats times;
  std::size_t found = 0;
  for (unsigned i = 0; i < request.rounds; ++i) {
    const StopWatch watch;
    found = read_pmus(Root()).size();
    times.add(watch.seconds() * 1e6);
  }
  out.format("Computing performance of sysfs PMU event scan for {} times\n", request.rounds);
  out.format("  Number of PMUs:\t{}\n", found);
  out.format("  Average PMU scanning took: {:.3f} usec (+- {:.3f} usec)\n", times.mean(), times.error());
  return {};
}

}  // namespace peregrine
