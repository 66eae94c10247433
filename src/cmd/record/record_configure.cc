// Settings in perfconfig for record: record.build-id, and which call chains -g records.

#include <fmt/format.h>

#include <expected>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "cli/frame/config.h"
#include "cmd/events/event_sources.h"
#include "cmd/record/record_options.h"
#include "event/config/callgraph.h"

namespace peregrine::cmd {
namespace {

// call-graph.dump-size applies to dwarf only, unless the mode contains a size.
Result<CallgraphRequest> configured_callgraph(const Config& config) {
  auto mode = config.find("record.call-graph");
  if (!mode) mode = config.find("call-graph.record-mode");
  if (!mode) return CallgraphRequest{.mode = CallgraphMode::FramePointer};
  const auto size = config.find("call-graph.dump-size");
  return parse_callgraph(*mode == "dwarf" && size ? fmt::format("{},{}", *mode, *size) : std::string(*mode));
}

Result<> configure_build_ids(std::string_view choice, RecordCommandOptions& options) {
  if (choice == "cache") {
    options.no_build_id_cache = false;
  } else if (choice == "no-cache") {
    options.no_build_id_cache = true;
  } else if (choice == "skip") {
    options.request.recording.output.build_ids.skip = true;
  } else if (choice == "mmap") {
    options.request.recording.config.side_band.build_ids = true;
  } else {
    return std::unexpected(Error{ErrorKind::Usage, fmt::format("invalid record.build-id '{}' in perfconfig", choice),
                                 "must be cache, no-cache, skip or mmap"});
  }
  return {};
}

}  // namespace

Result<> RecordCommandOptions::configure(const Config& settings) {
  configure_sources(settings, events.sources());
  auto callgraph = configured_callgraph(settings);
  if (!callgraph) return std::unexpected(std::move(callgraph.error()));
  usual_callgraph = *callgraph;
  if (const auto choice = settings.find("record.build-id")) return configure_build_ids(*choice, *this);
  return {};
}

}  // namespace peregrine::cmd
