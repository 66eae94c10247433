#include "session/block/block_recording.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "analysis/block/block_event.h"
#include "base/result.h"

namespace peregrine {

Result<TracepointRecording> block_recording(const BlockChoice& choice, bool chains, const Root& root) {
  TracepointRecording recording{{"-a", "-R", "-m", "1024", "-c", "1"}, RecordableTracepoints("block", root)};
  std::vector<std::string>& arguments = recording.arguments;
  if (chains) arguments.emplace_back("-g");
  const std::size_t options = arguments.size();
  for (const BlockTracepoint& tracepoint : kBlockTracepoints) {
    const std::optional<std::string> filter = kernel_filter(tracepoint, choice);
    const std::size_t before = arguments.size();
    if (filter) recording.tracepoints.add_events({tracepoint.name}, arguments);
    if (arguments.size() != before && !filter->empty()) arguments.push_back("--filter=" + *filter);
  }
  if (arguments.size() == options) return fail(ErrorKind::Usage, "-a excludes all events");
  return recording;
}

}  // namespace peregrine
