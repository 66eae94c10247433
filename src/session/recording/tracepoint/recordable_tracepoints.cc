#include "session/recording/tracepoint/recordable_tracepoints.h"

#include <fmt/format.h>

#include <utility>

#include "sys/kernel/tracefs.h"

namespace peregrine {

RecordableTracepoints::RecordableTracepoints(std::string_view system, const Root& root) : system_(system) {
  auto tracefs = Tracefs::find(root);
  if (tracefs)
    names_ = tracefs->events(system);
  else if (tracefs.error().kind == ErrorKind::Denied)
    denied_ = std::move(tracefs.error());
}

void RecordableTracepoints::add_events(std::initializer_list<std::string_view> wanted,
                                       std::vector<std::string>& words) const {
  for (const std::string_view name : wanted)
    if (has(name)) words.insert(words.end(), {"-e", fmt::format("{}:{}", system_, name)});
}

Error RecordableTracepoints::cause_of(Error failure) const {
  return denied_ && failure.message.starts_with("event syntax error") ? *denied_ : std::move(failure);
}

}  // namespace peregrine
