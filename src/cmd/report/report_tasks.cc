#include "cmd/report/report_tasks.h"

#include "analysis/task/task_tree.h"
#include "output/text/report/task_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine::cmd {

namespace {

// What is asked for stands in the machine at the end: samples pass by.
class Ignore : public ReplaySink {
 public:
  void sample(const ReplaySample&, Resolver&, unsigned) override {}
};

}  // namespace

Result<int> report_tasks(const ReportOptions& options, OpenedRecording& reader, Invocation& call) {
  ReplayOptions replay_options;
  // As in linux-perf, without maps to show a map makes no task.
  if (!options.mmaps) {
    replay_options.unapplied.set(static_cast<std::size_t>(abi::RecordType::Mmap));
    replay_options.unapplied.set(static_cast<std::size_t>(abi::RecordType::Mmap2));
  }
  Machine machine(symbol_places(options.symbols, call, reader));
  Replay replay(reader, machine, std::move(replay_options));
  Ignore ignore;
  const Result<> outcome = replay.run(ignore);
  warn_about_losses(call, replay.account(), reader.account());
  print_tasks(call.out, task_rows(machine.threads().tasks()), machine, options.mmaps);
  if (!outcome) {
    call.messages.verbatim(outcome.error().message + "\n");
    return 255;
  }
  return 0;
}

}  // namespace peregrine::cmd
