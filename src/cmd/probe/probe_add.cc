// probe, adding: one plan for all definitions.
#include "cmd/probe/probe_options.h"
#include "session/probe/probe_plan.h"

namespace peregrine::cmd {

Result<int> add_probes(const ProbeRequest& request, const std::vector<std::string>& definitions, bool only_print,
                       Invocation& call) {
  const ProbeHome home = probe_home(call);
  ProbePlan plan(request, home, call.messages);
  for (const std::string& definition : definitions)
    if (auto planned = plan.plan(definition); !planned) return give_up_probe(planned.error(), call);
  if (only_print) {
    for (const TraceProbe& probe : plan.take_probes()) call.out.append(probe.format()).append('\n');
    return 0;
  }
  auto added = plan.add();
  return added ? 0 : give_up_probe(added.error(), call);
}

}  // namespace peregrine::cmd
