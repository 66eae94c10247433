#include "session/report/task_report.h"

#include <cstddef>
#include <utility>

#include "abi/record_rows.h"
#include "analysis/task/task_tree.h"
#include "base/result.h"
#include "machine/resolver/resolver.h"
#include "output/text/report/task_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

namespace {

// The machine has the result at the end; samples are ignored.
class SamplesIgnored : public ReplaySink {
 public:
  void sample(const ReplaySample&, Resolver&, unsigned) override {}
};

}  // namespace

RecordingRead read_tasks(data::Reader& reader, Machine& machine, bool maps) {
  ReplayOptions options;
  if (!maps) {
    options.unapplied.set(static_cast<std::size_t>(abi::RecordType::Mmap));
    options.unapplied.set(static_cast<std::size_t>(abi::RecordType::Mmap2));
  }
  Replay replay(reader, machine, std::move(options));
  SamplesIgnored sink;
  Result<> outcome = replay.run(sink);
  return {.account = replay.account(), .outcome = std::move(outcome)};
}

void print_recorded_tasks(const Machine& machine, bool maps, Sink& out) {
  print_tasks(out, task_rows(machine.threads().tasks()), machine, maps);
}

}  // namespace peregrine
