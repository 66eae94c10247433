// ProbeRequest: which probes `probe` adds, removes or shows, and where. Immutable once parsed.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace peregrine {

// Settings from this program's environment.
struct ProbeHome {
  std::string search_path;   // $PATH
  std::string build_ids;     // the build-id cache
  std::string program_name;  // name of this program, for messages
};

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
};

}  // namespace peregrine
