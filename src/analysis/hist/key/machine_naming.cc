#include "analysis/hist/key/machine_naming.h"

#include <fmt/format.h>

#include "abi/side_band.h"
#include "analysis/hist/key/data_keys.h"
#include "analysis/hist/key/sort_key.h"
#include "base/container/string_pool.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "machine/process/thread_table.h"
#include "symbol/table/symbol_table.h"

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
  if (!machine_.dsos().has_symbol(DsoId(dso), SymbolIndex(symbol))) return {at->second, 0, 0};
  return {at->second, table.start(SymbolIndex(symbol)), table.end(SymbolIndex(symbol))};
}

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

std::string_view MachineNaming::order(SortKey key, u64 value) {
  return is_dynamic(key) && fields_ != nullptr ? fields_->order(static_cast<u32>(value)) : std::string_view();
}

std::string MachineNaming::text(SortKey key, u64 value) {
  return key->text == nullptr ? std::string() : key->text(*this, value);
}

std::string MachineNaming::comm(u32 comm) const {
  return machine_.comm_text(machine_.threads().first_name(CommId{comm}));
}

std::string MachineNaming::thread_comm(u32 tid) const {
  return machine_.comm_text(machine_.thread(~0u, tid, kForever).comm);
}

std::string MachineNaming::cgroup(u64 id) const {
  if (id == 0 || id == kNoCgroup) return "N/A";
  const auto found = recorded_.cgroups.find(id);
  return found == recorded_.cgroups.end() ? "unknown" : found->second;
}

std::string MachineNaming::cgroup_namespace(u32 tid) const {
  const auto found = recorded_.cgroup_namespaces.find(tid);
  const bool known = found != recorded_.cgroup_namespaces.end();
  const abi::NamespaceLink link = known ? found->second.link : abi::NamespaceLink();
  return fmt::format("{}/{:#x}", link.device, link.inode);
}

std::string MachineNaming::data_type(u32 text) const {
  return data_types_ == nullptr ? "(unknown)" : std::string(data_types_->text(StringId(text)));
}

std::string MachineNaming::trace_text(u32 text) const {
  return traces_ == nullptr ? std::string() : std::string(traces_->text(text));
}

std::string MachineNaming::field_text(u32 text) const {
  return fields_ == nullptr ? std::string() : std::string(fields_->text(text));
}

}  // namespace peregrine
