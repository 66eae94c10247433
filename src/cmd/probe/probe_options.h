// ProbeRequest: the options of `probe`, and the steps that carry them out.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/frame/command.h"
#include "probe/kernel_probes.h"
#include "probe/program_probes.h"

namespace peregrine::cmd {

enum class ExistingProbes : u8;  // temporary_probes.h

struct ProbeRequest {
  std::vector<std::string> add, define, remove;
  std::optional<std::string> list, functions, line, variables;
  std::string filter, module, vmlinux, source, program, symfs;
  bool force = false, dry_run = false, quiet = false, cache = false, bootconfig = false;
  bool externals = false, ranges = false, no_inlines = false;
  bool demangle = true, demangle_kernel = false;
  bool verify = false;
  unsigned most_probes = 128;
  std::optional<int> target_namespace;
  int verbose = 0;

  DebugSearch search(Invocation& call) const;
};

Result<int> run_probe(ProbeRequest& request, Invocation& call);

// The program or library of -x, without links; also found by a bare name, as a shell and the loader find it.
Result<std::unique_ptr<ProbeProgram>> open_probe_program(const ProbeRequest& request, Invocation& call);
// The debug information of the kernel (-k, or where it is installed) or of a module (-m, a name or a file); `function`:
// whose module is meant where none was named.
Result<std::unique_ptr<ProbeProgram>> open_kernel_image(const ProbeRequest& request, const std::string& function,
                                                        Invocation& call);
// Whichever of the two is asked for.
Result<std::unique_ptr<ProbeProgram>> open_probe_target(const ProbeRequest& request, const std::string& function,
                                                        Invocation& call);
// The running kernel.
ProbedKernel probed_kernel();
ProbeWishes probe_wishes(const ProbeRequest& request, bool of_kernel = false);

// Says what went wrong; the exit code.
int give_up_probe(const Error& error, Invocation& call);

// `only_print`: what the kernel would be told.
Result<int> add_probes(const ProbeRequest& request, const std::vector<std::string>& definitions, bool only_print,
                       Invocation& call);
// Those of `record --probe`, under names that are free: in `command`'s program if it has the function, else the
// kernel's.
Result<std::vector<TraceProbe>> plan_temporary_probes(const std::vector<std::string>& definitions,
                                                      const std::string& command, Invocation& call,
                                                      ExistingProbes existing);
// What definitions mean now, under the names that are tried first; nothing is added.
Result<std::vector<TraceProbe>> plan_probes(const ProbeRequest& request, const std::vector<std::string>& definitions,
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
