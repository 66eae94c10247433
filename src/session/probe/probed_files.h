// The files that a request for probes refers to: a program or library, or the debug information of the kernel or of one
// of its modules. Files are read, never changed.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "probe/kernel_probes.h"
#include "probe/program_probes.h"
#include "session/probe/probe_request.h"
#include "symbol/lookup/debug_file.h"

namespace peregrine {

// The path of a program or library that was named without a folder, found as a shell or the loader would; `name` if
// neither finds it. Files need not be executable, because libraries are not.
std::string find_probed_file(const std::string& name, std::string_view search_path);
DebugSearch debug_search(const ProbeRequest& request, const ProbeHome& home);

// The program or library of -x, with all links resolved.
Result<std::unique_ptr<ProbeProgram>> open_probe_program(const ProbeRequest& request, const ProbeHome& home);
// The debug information of the kernel (-k, or where it is installed) or of a module (-m, a name or a file). If neither
// was named: of the module that has `function`.
Result<std::unique_ptr<ProbeProgram>> open_kernel_image(const ProbeRequest& request, const std::string& function,
                                                        const ProbeHome& home);
// The program if the request names one, otherwise the kernel.
Result<std::unique_ptr<ProbeProgram>> open_probe_target(const ProbeRequest& request, const std::string& function,
                                                        const ProbeHome& home);
// The running kernel.
ProbedKernel probed_kernel();
ProbeWishes probe_wishes(const ProbeRequest& request, bool of_kernel = false);

}  // namespace peregrine
