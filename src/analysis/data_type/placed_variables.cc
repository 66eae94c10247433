#include "analysis/data_type/placed_variables.h"

#include <algorithm>
#include <cstddef>

#include "base/container/sort_unique.h"
#include "base/types.h"
#include "probe/argument/dwarf_location.h"
#include "probe/type/dwarf_types.h"
#include "probe/type/type_source.h"
#include "symbol/dwarf/debug_entries.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_unit.h"
#include "symbol/expression/variable_location.h"

namespace peregrine {
namespace {

// Limits per function and per address; only broken files exceed them.
constexpr std::size_t kMostPlaces = 20'000, kMostAtOnce = 256;

class Placer {
 public:
  Placer(DebugEntry function, u16 machine, std::vector<PlacedVariable>& out)
      : function_(function), registers_(std::min<u64>(kFollowedRegisters, probe_register_count(machine))), out_(out) {}

  void walk(DebugEntry scope) {
    std::vector<AddressRange> code = scope.ranges();
    if (code.empty()) code = function_.ranges();
    const std::vector<DebugEntry> children = scope.children();
    for (const DebugEntry child : children) {
      const DwarfTag tag = child.tag();
      if (tag == DwarfTag::Variable || tag == DwarfTag::FormalParameter) place(child, code);
    }
    for (const DebugEntry child : children)
      if (child.tag() == DwarfTag::LexicalBlock || child.tag() == DwarfTag::InlinedSubroutine) walk(child);
  }

 private:
  void place(DebugEntry variable, const std::vector<AddressRange>& code) {
    if (!variable.own(DwarfAttribute::Location)) return;
    const TypeRef type = DwarfTypes::ref(variable.type());
    if (!variable.type()) return;
    const KnownValue value = value_of_type(DwarfTypes(variable.unit()), type);
    for (const AddressRange& range : variable.expression_ranges(DwarfAttribute::Location)) {
      const bool everywhere = range.begin == 0 && range.end == ~u64{0};
      for (const AddressRange& part : everywhere ? code : std::vector{range}) {
        if (out_.size() >= kMostPlaces) return;
        PlacedVariable placed{.range = part, .type = type, .value = value};
        if (part.begin < part.end && locate(variable, part.begin, placed)) out_.push_back(placed);
      }
    }
  }

  // Register values are those at the accessing instruction, so this leaves them symbolic instead of resolving them.
  bool locate(DebugEntry variable, u64 address, PlacedVariable& placed) const {
    const auto expression = variable.expression(DwarfAttribute::Location, address);
    if (!expression) return false;
    LocationContext context = variable.unit().dwarf().location_context();
    context.registers = registers_;
    context.frame_base = function_.expression(DwarfAttribute::FrameBase, address);
    const auto found = locate_variable(*expression, context);
    if (!found || found->kind == VariableLocation::Kind::Value || !found->reads.empty()) return false;
    placed.offset = found->offset;
    if (found->base == VariableLocation::Base::Frame) {
      placed.where = PlacedVariable::Where::Frame;
      return true;
    }
    if (found->base != VariableLocation::Base::Register) return false;
    placed.reg = static_cast<u8>(found->reg);
    if (found->kind == VariableLocation::Kind::Memory) placed.where = PlacedVariable::Where::Memory;
    return true;
  }

  DebugEntry function_;
  u64 registers_;  // number of tracked registers: the general-purpose ones
  std::vector<PlacedVariable>& out_;
};

}  // namespace

PlacedVariables PlacedVariables::of(DebugEntry function, u16 machine) {
  PlacedVariables result;
  Placer(function, machine, result.all_).walk(function);
  result.build_index();
  return result;
}

void PlacedVariables::build_index() {
  std::vector<u32> by_begin(all_.size());
  for (u32 i = 0; i < all_.size(); ++i) {
    by_begin[i] = i;
    starts_.insert(starts_.end(), {all_[i].range.begin, all_[i].range.end});
  }
  sort_unique(starts_);
  std::ranges::sort(by_begin, {}, [&](u32 i) { return all_[i].range.begin; });
  std::vector<u32> open;
  auto next = by_begin.begin();
  for (const u64 start : starts_) {
    std::erase_if(open, [&](u32 i) { return all_[i].range.end <= start; });
    for (; next != by_begin.end() && all_[*next].range.begin <= start; ++next) open.push_back(*next);
    std::ranges::sort(open);  // indices ascend from outer to inner scopes
    firsts_.push_back(active_.size());
    active_.insert(active_.end(), open.end() - static_cast<std::ptrdiff_t>(std::min(open.size(), kMostAtOnce)),
                   open.end());
  }
  firsts_.push_back(active_.size());
}

std::span<const u32> PlacedVariables::at(u64 address) const {
  const auto next = std::ranges::upper_bound(starts_, address);
  if (next == starts_.begin()) return {};
  const auto segment = static_cast<std::size_t>(next - starts_.begin()) - 1;
  return std::span(active_).subspan(firsts_[segment], firsts_[segment + 1] - firsts_[segment]);
}

}  // namespace peregrine
