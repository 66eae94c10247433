#include "analysis/data_type/thread_variables.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "analysis/data_type/member_place.h"
#include "analysis/data_type/variable_scopes.h"
#include "base/number/wrapping.h"
#include "base/types.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/elf/elf_file.h"
#include "symbol/elf/thread_symbols.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {
namespace {

constexpr u64 kArmControlBlock = 16;  // bytes between arm64's thread pointer and the program's block

u64 rounded_up(u64 value, u64 alignment) {
  return alignment < 2 ? value : (value + alignment - 1) / alignment * alignment;
}

// Distance from the thread pointer to the program's TLS block, following the two layouts in Drepper's "ELF Handling For
// Thread-Local Storage". nullopt for libraries, because their blocks are allocated at run time.
std::optional<i64> block_of(const ElfFile& file) {
  if (file.type() != ET_EXEC && file.find_section(".interp") == nullptr) return std::nullopt;
  u64 begin = ~u64{0}, end = 0, alignment = 1;
  for (const ElfSection& section : file.sections()) {
    if ((section.flags & SHF_TLS) == 0) continue;
    begin = std::min(begin, section.address);
    end = std::max(end, section.address + section.size);
    alignment = std::max(alignment, section.alignment);
  }
  if (end < begin || end - begin > u64{1} << 40 || alignment > u64{1} << 40) return std::nullopt;
  if (file.machine() == EM_AARCH64) return static_cast<i64>(rounded_up(kArmControlBlock, alignment));
  return -static_cast<i64>(rounded_up(end - begin, alignment));
}

}  // namespace

ThreadVariables::ThreadVariables(const DebugInformation& debug) {
  const auto block = block_of(debug.file());
  if (!block) return;
  const auto symbols = load_thread_symbols(debug.file());
  const auto place_of = [&](DebugEntry variable) {
    if (const auto place = static_offset(variable, VariableLocation::Base::Thread)) return place;
    // arm64 compilers emit no location for thread-local variables; use the ELF symbol.
    const bool unsaid = debug.file().machine() == EM_AARCH64 && !variable.own(DwarfAttribute::Location);
    if (!symbols || !unsaid) return std::optional<i64>();
    const std::string_view name = variable.linkage_name();
    const auto symbol = symbols->find(std::string(name.empty() ? variable.name() : name));
    const bool known = symbol != symbols->end() && symbol->second.is_one;
    return known ? std::optional(static_cast<i64>(symbol->second.offset)) : std::nullopt;
  };
  debug.each_unit([&](const EntryUnit& unit) {
    const DwarfTypes types(unit);
    const std::size_t before = all_.size();
    each_variable(unit.root(), [&](DebugEntry variable) {
      const auto place = variable.type() ? place_of(variable) : std::nullopt;
      if (!place) return;
      const TypeRef type = DwarfTypes::ref(variable.type());
      all_.push_back({wrapping_sum(*block, *place), std::max<u64>(object_size(types, type), 1), type});
    });
    return all_.size() == before ? DebugInformation::Visit::Drop : DebugInformation::Visit::Keep;
  });
  std::ranges::stable_sort(all_, {}, &ThreadVariable::begin);
}

std::optional<ThreadVariable> ThreadVariables::find(i64 distance) const {
  const auto next = std::ranges::upper_bound(all_, distance, {}, &ThreadVariable::begin);
  if (next == all_.begin()) return std::nullopt;
  const ThreadVariable& found = *(next - 1);
  if (static_cast<u64>(wrapping_difference(distance, found.begin)) >= found.size) return std::nullopt;
  return found;
}

}  // namespace peregrine
