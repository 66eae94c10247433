// Probes in the kernel and its modules: from a definition to the lines of kprobe_events that create it.
//
// Functions come from /proc/kallsyms, which also names their module; arguments at the entry come from BTF, which
// current distribution kernels include. Lines and local variables need the kernel's DWARF (a vmlinux or .ko with debug
// information). The kernel's files are read through Root on first use.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "probe/argument/variable_finder.h"
#include "probe/definition/definition.h"
#include "probe/program_probes.h"
#include "probe/type/btf_types.h"
#include "sys/root.h"

namespace peregrine {

struct KernelFunction {
  std::string name;
  std::string module;  // empty: the kernel itself
  u64 address = 0;     // 0 if the kernel hides addresses
};

class ProbedKernel {
 public:
  // `machine`: EM_* of this kernel.
  ProbedKernel(const Root& root, u16 machine) : root_(root), machine_(machine) {}

  // Sorted by name; only those of `module` if it is not empty.
  Result<std::vector<KernelFunction>> functions(std::string_view module) const;
  // The kernel's BTF, or a module's on top of it. Unsupported if the kernel has none.
  Result<const BtfTypes*> types(const std::string& module);
  bool is_forbidden(std::string_view function);
  u64 text_start() const { return text_start_; }
  u16 machine() const { return machine_; }

 private:
  Result<> load() const;

  Root root_;
  u16 machine_;
  mutable bool loaded_ = false;
  mutable std::vector<KernelFunction> functions_;
  mutable u64 text_start_ = 0;
  std::optional<BtfTypes> kernel_types_;
  std::vector<std::pair<std::string, std::unique_ptr<BtfTypes>>> module_types_;
  std::optional<std::string> forbidden_;
};

Result<MadeProbes> make_kernel_probes(const ProbeDefinition& definition, const std::string& module,
                                      ProbedKernel& kernel, const ProbeWishes& wishes);
// The arguments at a function's entry, for -V.
Result<std::set<ShownVariable>> kernel_arguments(const std::string& function, const std::string& module,
                                                 ProbedKernel& kernel);

}  // namespace peregrine
