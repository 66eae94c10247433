#include "analysis/hist/key/machine_naming.h"

#include <algorithm>

#include "analysis/hist/key/branch_keys.h"
#include "analysis/hist/key/data_keys.h"

namespace peregrine {

std::string_view MachineNaming::dso(u32 dso) {
  const Dso& found = machine_.dsos().at(DsoId(dso));
  return long_names_ ? found.name : found.short_name;
}

u64 MachineNaming::dso_size(u32 dso) { return machine_.spaces().largest_map(DsoId(dso)); }

Naming::SymbolName MachineNaming::symbol(u32 dso, u32 symbol) {
  const auto [at, fresh] = symbols_.try_emplace(u64{dso} << 32 | symbol);
  if (fresh) at->second = machine_.dsos().symbol_name(DsoId(dso), SymbolIndex(symbol));
  const SymbolTable& table = machine_.dsos().symbols(DsoId(dso));
  return {at->second, table.start(SymbolIndex(symbol)), table.end(SymbolIndex(symbol))};
}

namespace {

// "kworker/3:1" → "kworker/<N>:<N>", so that numbered threads form one row.
std::string without_digits(std::string_view comm) {
  std::string result;
  bool in_number = false;
  for (const char c : comm) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) result += "<N>";
    if (!digit) result += c;
    in_number = digit;
  }
  return result;
}

}  // namespace

std::string_view MachineNaming::order(SortKey key, u64 value) {
  return is_dynamic(key) && fields_ != nullptr ? fields_->order(static_cast<u32>(value)) : std::string_view();
}

std::string MachineNaming::text(SortKey key, u64 value) {
  const u32 number = static_cast<u32>(value);
  if (is_dynamic(key)) return fields_ == nullptr ? std::string() : std::string(fields_->text(number));
  switch (key) {
    case SortKey::Comm:
      return machine_.comm_text(machine_.threads().first_name(CommId{number}));
    case SortKey::CommWithoutDigits:
      return without_digits(machine_.comm_text(machine_.threads().first_name(CommId{number})));
    case SortKey::Cgroup: {
      if (value == 0 || value == kNoCgroup) return "N/A";
      const auto found = recorded_.cgroups.find(value);
      return found == recorded_.cgroups.end() ? "unknown" : found->second;
    }
    case SortKey::CgroupId: {
      const auto found = recorded_.cgroup_namespaces.find(number);
      const bool known = found != recorded_.cgroup_namespaces.end();
      const abi::NamespaceLink link = known ? found->second : abi::NamespaceLink();
      return fmt::format("{}/{:#x}", link.device, link.inode);
    }
    case SortKey::DataType:
    case SortKey::DataTypeOffset:
    case SortKey::DataTypeLine:
      return data_types_ == nullptr ? "(unknown)" : std::string(data_types_->text(StringId(number)));
    case SortKey::Simd:
      return {};
    case SortKey::Process:
    case SortKey::Pid:
      return machine_.comm_text(machine_.thread(~0u, number, kForever).comm);
    case SortKey::Trace:
      return traces_ == nullptr ? std::string() : std::string(traces_->text(number));
    case SortKey::Mispredict:
    case SortKey::InTransaction:
    case SortKey::Abort:
      return std::string(branch_word(key, value));
    default:
      return data_word(key, value);
  }
}

}  // namespace peregrine
