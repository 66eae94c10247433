#include "session/block/block_recording.h"

#include <expected>
#include <utility>

#include "analysis/block/block_event.h"

namespace peregrine {

Result<std::vector<FilteredBlockTracepoint>> filtered_block_tracepoints(const BlockChoice& choice,
                                                                        const RecordableTracepoints& there) {
  std::vector<FilteredBlockTracepoint> chosen;
  for (const BlockTracepoint& tracepoint : kBlockTracepoints) {
    auto filter = kernel_filter(tracepoint, choice);
    if (filter && there.has(tracepoint.name)) chosen.push_back({tracepoint.name, std::move(*filter)});
  }
  if (chosen.empty()) return fail(ErrorKind::Usage, "-a excludes all events");
  return chosen;
}

Result<TracepointRecording> block_recording(const BlockChoice& choice, bool chains, const Root& root) {
  TracepointRecording recording{{"-a", "-R", "-m", "1024", "-c", "1"}, RecordableTracepoints("block", root)};
  std::vector<std::string>& arguments = recording.arguments;
  if (chains) arguments.emplace_back("-g");
  const auto tracepoints = filtered_block_tracepoints(choice, recording.tracepoints);
  if (!tracepoints) return std::unexpected(tracepoints.error());
  for (const FilteredBlockTracepoint& tracepoint : *tracepoints) {
    recording.tracepoints.add_events({tracepoint.name}, arguments);
    if (!tracepoint.filter.empty()) arguments.push_back("--filter=" + tracepoint.filter);
  }
  return recording;
}

}  // namespace peregrine
