#include "probe/type/kernel_enumerations.h"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text/trim.h"
#include "event/field/trace_format.h"

namespace peregrine {
namespace {

constexpr std::string_view kTypeFolder = "/sys/kernel/btf";

// "hrtimer_mode" from "const enum hrtimer_mode"; nullopt if it is not an enum.
std::optional<std::string> enum_name(std::string_view type) {
  if (type.starts_with("const ")) type = trim(type.substr(6));
  if (!type.starts_with("enum ") || type.find('*') != type.npos) return std::nullopt;
  return std::string(trim(type.substr(5)));
}

}  // namespace

std::vector<Enumerator> KernelEnumerations::of(std::string_view type) {
  const auto name = enum_name(type);
  if (!name) return {};
  auto known = known_.find(*name);
  if (known == known_.end()) known = known_.emplace(*name, look_up(*name)).first;
  return known->second;
}

std::vector<Enumerator> KernelEnumerations::look_up(const std::string& name) {
  if (!read_) {
    read_ = true;
    if (auto bytes = root_.read(fmt::format("{}/vmlinux", kTypeFolder)))
      if (auto types = BtfTypes::parse(std::move(*bytes), "vmlinux")) kernel_.emplace(std::move(*types));
  }
  if (!kernel_) return {};
  std::vector<Enumerator> found = kernel_->enumerators(kernel_->find_enum(name));
  return found.empty() ? look_up_in_modules(name) : found;
}

std::vector<Enumerator> KernelEnumerations::look_up_in_modules(const std::string& name) const {
  for (const std::string& module : root_.sorted_names(kTypeFolder)) {
    if (module == "vmlinux") continue;
    auto bytes = root_.read(fmt::format("{}/{}", kTypeFolder, module));
    // A text search is cheap, and most modules do not contain the name.
    if (!bytes || bytes->find(name) == std::string::npos) continue;
    const auto types = BtfTypes::parse(std::move(*bytes), module, &*kernel_);
    if (!types) continue;
    if (auto found = types->enumerators(types->find_enum(name)); !found.empty()) return found;
  }
  return {};
}

}  // namespace peregrine
