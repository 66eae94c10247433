#include "machine/dso/guest_kernels.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/file/folder_entries.h"
#include "base/file/read_failures.h"
#include "base/judged_file.h"
#include "base/number/parse_number.h"
#include "base/types.h"
#include "machine/process/moment.h"
#include "symbol/elf/elf_file.h"
#include "symbol/kernel/kallsyms.h"
#include "symbol/lookup/symbol_source.h"

namespace peregrine {

namespace {

std::string kernel_name(u32 pid) {
  return pid == 0 ? "[guest.kernel.kallsyms]" : fmt::format("[guest.kernel.kallsyms.{}]", pid);
}

DsoId add_dso(std::string name, DsoTable& dsos) {
  Dso dso;
  dso.kind = DsoKind::Guest;
  dso.name = std::move(name);
  return dsos.add(std::move(dso));
}

}  // namespace

GuestKernels::GuestKernels(const GuestPlaces& places, DsoTable& dsos) {
  if (!places.vmlinux.empty()) read_image(places.vmlinux, dsos);
  if (!places.kallsyms.empty()) read_lists(kAnyGuest, places.kallsyms, places.modules, dsos);
  if (places.mount.empty()) return;
  for (const std::string& name : names_in_folder(places.mount, dsos.places().search.failures)) {
    const std::string guest = places.mount + '/' + name;
    const auto pid = parse_number<u32>(name);
    if (pid.value_or(0) != 0) read_lists(*pid, guest + "/proc/kallsyms", guest + "/proc/modules", dsos);
  }
}

void GuestKernels::read_lists(u32 pid, const std::string& kallsyms, const std::string& modules, DsoTable& dsos) {
  auto list = load_kallsyms(kallsyms);
  if (!list) note_failure(dsos.places().search.failures, kallsyms, list.error());
  if (!list || list->hidden) return;
  Guest& guest = guests_[pid];
  std::string text;
  auto contents = read_regular_file(modules);
  if (contents)
    text = std::move(*contents);
  else
    note_failure(dsos.places().search.failures, modules, contents.error());
  for (const ModuleRange& module : parse_modules(text)) {
    if (module.start == 0) continue;
    const DsoId dso = add_dso(fmt::format("[{}]", module.name), dsos);
    guest.push_back({module.start, module.start + module.size, dso});
  }
  for (ModuleSymbols& module : list->modules) {
    auto there = std::ranges::find(guest, module.name, [&](const Part& part) { return dsos.at(part.dso).name; });
    if (there == guest.end()) {
      guest.push_back({module.start, module.end, add_dso(module.name, dsos)});
      there = std::prev(guest.end());
    }
    dsos.set_symbols(there->dso, std::move(module.table), {SourceKind::Kallsyms, kallsyms});
  }
  if (list->kernel.empty()) return;
  const u64 start = list->reference(), end = list->etext;
  const DsoId dso = add_dso(kernel_name(pid), dsos);
  dsos.set_symbols(dso, std::move(list->kernel), {SourceKind::Kallsyms, kallsyms});
  guest.push_back({start, end > start ? end : ~u64{0}, dso});
}

// Uses the link-time addresses, which are right for a guest that runs without KASLR.
void GuestKernels::read_image(const std::string& path, DsoTable& dsos) {
  auto file = ElfFile::open(path, dsos.places().search.failures);
  if (!file) return;
  auto table = load_elf_symbols(*file, ElfAddresses::Virtual);
  if (!table || table->empty()) return;
  const auto address_of = [&](std::string_view name) {
    const auto found = table->find_name(name);
    return found.empty() ? u64{0} : found.front().start;
  };
  const u64 start = address_of("_text"), end = address_of("_etext");
  const DsoId dso = add_dso(kernel_name(kAnyGuest), dsos);
  dsos.set_symbols(dso, std::move(*table), {SourceKind::Vmlinux, path});
  guests_[kAnyGuest].push_back({start, end > start ? end : ~u64{0}, dso});
}

void GuestKernels::add_map(const abi::MmapRecord& record, DsoTable& dsos) {
  if (!record.filename.starts_with("[guest.kernel.kallsyms")) return;
  const u64 end = record.start + record.length < record.start ? ~u64{0} : record.start + record.length;
  Guest& guest = guests_[record.pid];
  const bool known =
      std::ranges::any_of(guest, [&](const Part& part) { return dsos.at(part.dso).name.starts_with("[guest"); });
  if (!known) guest.push_back({record.start, end, add_dso(kernel_name(record.pid), dsos)});
}

DsoId GuestKernels::find(u32 pid, u64 address) const {
  for (const u32 key : {pid, kAnyGuest}) {
    const auto guest = guests_.find(key);
    if (guest == guests_.end()) continue;
    for (const Part& part : guest->second)
      if (address >= part.start && address < part.end) return part.dso;
  }
  return {};
}

}  // namespace peregrine
