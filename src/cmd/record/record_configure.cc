// What perfconfig says of record: record.build-id, and which stacks -g means.
#include <fmt/format.h>

#include "cli/frame/config.h"
#include "cmd/events/event_sources.h"
#include "cmd/record/record_options.h"

namespace peregrine::cmd {
namespace {

// call-graph.dump-size is of dwarf alone, and of no use where the mode names a size itself.
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
    options.no_build_ids = true;
  } else if (choice == "mmap") {
    options.config.build_id_in_mmap = true;
  } else {
    return std::unexpected(Error{ErrorKind::Usage,
                                 fmt::format("record.build-id in perfconfig: unknown value '{}'", choice),
                                 "it may be cache, no-cache, skip or mmap"});
  }
  return {};
}

}  // namespace

Result<> RecordCommandOptions::configure(const Config& settings) {
  configure_sources(settings, sources);
  auto callgraph = configured_callgraph(settings);
  if (!callgraph) return std::unexpected(std::move(callgraph.error()));
  usual_callgraph = *callgraph;
  if (const auto choice = settings.find("record.build-id")) return configure_build_ids(*choice, *this);
  return {};
}

}  // namespace peregrine::cmd
