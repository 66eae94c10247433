// The steps that carry out the options of `probe`.
#pragma once
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "session/probe/probed_files.h"

namespace peregrine::cmd {

Result<int> run_probe(ProbeRequest& request, Invocation& call);

// What files are looked for with, and how messages call this program.
ProbeHome probe_home(const Invocation& call);
// Says what went wrong; the exit code.
int give_up_probe(const Error& error, Invocation& call);

// `only_print`: what the kernel would be told.
Result<int> add_probes(const ProbeRequest& request, const std::vector<std::string>& definitions, bool only_print,
                       Invocation& call);
// Whether the probes that exist are where their definitions put them now. The exit code is 1 when one is not.
Result<int> verify_probes(const ProbeRequest& request, const std::vector<std::string>& definitions, Invocation& call);
Result<int> remove_probes(const ProbeRequest& request, Invocation& call);
Result<int> list_cached_probes(const std::string& pattern, Invocation& call);
Result<int> remove_cached_probes(const ProbeRequest& request, Invocation& call);
Result<int> show_probe_lines(const ProbeRequest& request, Invocation& call);
Result<int> show_probe_variables(const ProbeRequest& request, Invocation& call);
Result<int> show_probe_functions(const ProbeRequest& request, Invocation& call);
Result<int> list_probes(const ProbeRequest& request, Invocation& call);

}  // namespace peregrine::cmd
