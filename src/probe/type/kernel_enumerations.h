// KernelEnumerations: the enums of the running kernel and its modules, from BTF, read on first use. Empty if the kernel
// has no BTF.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "event/field/trace_format.h"
#include "probe/type/btf_types.h"
#include "sys/root.h"

namespace peregrine {

class KernelEnumerations final : public Enumerations {
 public:
  explicit KernelEnumerations(Root root) : root_(std::move(root)) {}
  std::vector<Enumerator> of(std::string_view type) override;

 private:
  std::vector<Enumerator> look_up(const std::string& name);
  std::vector<Enumerator> look_up_in_modules(const std::string& name) const;

  Root root_;
  bool read_ = false;
  std::optional<BtfTypes> kernel_;
  std::map<std::string, std::vector<Enumerator>> known_;
};

}  // namespace peregrine
