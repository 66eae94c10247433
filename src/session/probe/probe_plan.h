// ProbePlan: turns definitions into probes in the kernel. All definitions are parsed and resolved before anything is
// written, and either all their probes are added or none.
//
//   ProbePlan plan(request, home, listener);
//   for (definition : definitions) PEREGRINE_TRY(plan.plan(definition));
//   PEREGRINE_TRY(plan.add());                       // or: plan.take_probes()
#pragma once
#include <expected>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "probe/definition/definition.h"
#include "probe/definition/trace_probe.h"
#include "probe/kernel_probes.h"
#include "probe/program_probes.h"
#include "probe/registry/probe_events.h"
#include "session/probe/probe_request.h"
#include "session/session_listener.h"

namespace peregrine {

// What happens if a probe with the same name exists at the same place.
enum class ExistingProbes : u8 {
  Ignore,  // add it under an unused name
  Use,     // do not add it
};

class ProbePlan {
 public:
  // All arguments must outlive this. Notes about places and arguments go to `listener`, unless the request is quiet.
  ProbePlan(const ProbeRequest& request, const ProbeHome& home, SessionListener& listener)
      : request_(request), home_(home), listener_(listener) {}

  // Plans one more definition; with --cache, also stores it in the build-id cache. Errors: Usage, NotFound.
  Result<> plan(std::string_view text);
  // The probes under unused names.
  Result<std::vector<TraceProbe>> named(ExistingProbes existing);
  // The probes under their preferred names.
  std::vector<TraceProbe> take_probes();
  // Adds the probes and reports them; a dry run only reports them. Errors: Usage with EEXIST, a name is taken.
  Result<> add();

 private:
  struct PlannedProbe {
    ProbeDefinition definition;
    MadeProbes made;
  };
  Result<> plan_kernel(ProbeDefinition definition);
  // A marker of the program, or one in the build-id cache.
  Result<> plan_marker(ProbeDefinition definition);
  std::unexpected<Error> no_marker(const ProbeDefinition& definition, const std::string& where,
                                   const std::vector<std::string>& names) const;
  Result<> keep(const ProbeDefinition& definition, const MadeProbes& made, std::string_view text) const;
  Result<> leave_out_existing(const ProbeEvents& events);
  Result<> choose_names(PlannedProbe& planned, const ProbeEvents& events);
  std::unexpected<Error> exists(const TraceProbe& probe) const;
  Result<> write(const ProbeEvents& events) const;
  void report() const;

  const ProbeRequest& request_;
  const ProbeHome& home_;
  SessionListener& listener_;
  std::unique_ptr<ProbeProgram> program_;
  std::optional<ProbedKernel> kernel_;
  std::vector<PlannedProbe> planned_;
  std::set<std::string> taken_;
};

// The probes of `record --probe`, under unused names: in the program `command` if it has the function, otherwise in the
// kernel. `command` may be empty.
Result<std::vector<TraceProbe>> plan_temporary_probes(const std::vector<std::string>& definitions,
                                                      const std::string& command, const ProbeHome& home,
                                                      ExistingProbes existing, SessionListener& listener);

}  // namespace peregrine
