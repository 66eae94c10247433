// Probes in the kernel and its modules: from a definition to the lines of kprobe_events that make it.
//
// Functions are those of /proc/kallsyms, whose module is found by the function's name; the arguments at their entry
// come from BTF, which every kernel of today carries. Lines and local variables need the kernel's DWARF (a vmlinux or a
// .ko with debug information). The kernel's files are read through Root at the first question.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "probe/program_probes.h"
#include "probe/type/btf_types.h"
#include "sys/root.h"

namespace peregrine {

struct KernelFunction {
  std::string name;
  std::string module;  // empty: of the kernel itself
  u64 address = 0;     // 0 where the kernel hides it
};

class ProbedKernel {
 public:
  // `machine`: EM_* of this kernel. `debug`: a vmlinux or module with debug information, if one was found.
  ProbedKernel(const Root& root, u16 machine) : root_(root), machine_(machine) {}

  // Functions in order of name; of one module if `module` is given.
  Result<std::vector<KernelFunction>> functions(std::string_view module) const;
  // "/sys/kernel/btf/vmlinux", and that of a module on top of it. Unsupported when the kernel has none.
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
// The variables at a function's entry, for -V.
Result<std::set<ShownVariable>> kernel_arguments(const std::string& function, const std::string& module,
                                                 ProbedKernel& kernel);

}  // namespace peregrine
