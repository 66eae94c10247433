// probe --verify: the kernel keeps a probe at a file's offset, whatever the file's next build has there.
#include <algorithm>
#include <map>
#include <set>

#include "base/text/counted.h"
#include "cmd/probe/probe_options.h"
#include "probe/point/place_text.h"
#include "probe/registry/probe_events.h"
#include "session/probe/probe_plan.h"

namespace peregrine::cmd {
namespace {

using Places = std::map<std::string, std::vector<TraceProbe>>;  // by event

Places by_event(std::vector<TraceProbe> probes) {
  Places places;
  for (TraceProbe& probe : probes) places[probe.name()].push_back(std::move(probe));
  return places;
}

// Those of `from` at places where none of `others` is.
std::vector<TraceProbe> only_in(const std::vector<TraceProbe>& from, const std::vector<TraceProbe>& others) {
  std::vector<TraceProbe> result;
  std::ranges::copy_if(from, std::back_inserter(result), [&](const TraceProbe& probe) {
    return std::ranges::none_of(others, [&](const TraceProbe& other) {
      return other.place() == probe.place() && other.is_return == probe.is_return;
    });
  });
  return result;
}

// "main+4 (/bin/prog:0x1160)", by the symbols of the current build.
std::string described(const TraceProbe& probe, const ProbeRequest& request, Invocation& call) {
  if (!probe.is_user()) return probe.place();
  const auto program = ProbeProgram::open(probe.target, debug_search(request, probe_home(call)));
  const std::string name = program ? place_text((*program)->symbols(), probe.offset, probe.is_return) : std::string();
  return name.empty() ? probe.place() : fmt::format("{} ({})", name, probe.place());
}

}  // namespace

Result<int> verify_probes(const ProbeRequest& request, const std::vector<std::string>& definitions, Invocation& call) {
  const ProbeHome home = probe_home(call);
  ProbePlan plan(request, home, call.messages);
  for (const std::string& definition : definitions) PEREGRINE_TRY(plan.plan(definition));
  const auto events = ProbeEvents::open(Root());
  if (!events) return std::unexpected(events.error());
  auto all = events->list();
  if (!all) return std::unexpected(std::move(all.error()));
  const Places present = by_event(std::move(*all));
  bool good = true;
  for (const auto& [name, meant] : by_event(plan.take_probes())) {
    const auto found = present.find(name);
    if (found == present.end()) {
      good = false;
      call.out.format("{}: is not defined\n", name);
      continue;
    }
    const std::vector<TraceProbe> missing = only_in(meant, found->second), strange = only_in(found->second, meant);
    if (missing.empty() && strange.empty()) {
      call.out.format("{}: ok, {}\n", name, counted(meant.size(), "location"));
      continue;
    }
    good = false;
    call.out.format("{}: is not where its definition puts it\n", name);
    for (const TraceProbe& probe : strange) call.out.format("  is at:         {}\n", described(probe, request, call));
    for (const TraceProbe& probe : missing) call.out.format("  should be at:  {}\n", described(probe, request, call));
  }
  if (!good)
    call.messages.note(
        "", fmt::format("remove a probe with '{} probe -d EVENT', and add it again", call.messages.program()));
  return good ? 0 : 1;
}

}  // namespace peregrine::cmd
