#include "analysis/data_type/placed_variables.h"

#include <algorithm>
#include <functional>

#include "base/leb128.h"
#include "probe/argument/dwarf_location.h"

namespace peregrine {
namespace {

constexpr std::byte kFrameBase{0x91}, kCallFrameAddress{0x9c};
// Of one function, and at one address; more are only in broken files.
constexpr std::size_t kMostPlaces = 20'000, kMostAtOnce = 256;

std::optional<u8> register_number(u16 machine, std::string_view name) {
  for (u8 number = 0; number < kFollowedRegisters; ++number)
    if (probe_register(machine, number) == name) return number;
  return std::nullopt;
}

// "so many bytes from the frame", of functions whose frame is that of call frame information.
std::optional<i64> frame_offset(Bytes expression, const std::optional<std::vector<std::byte>>& frame_base,
                                ByteOrder order) {
  if (!frame_base || frame_base->size() != 1 || frame_base->front() != kCallFrameAddress) return std::nullopt;
  if (expression.empty() || expression.front() != kFrameBase) return std::nullopt;
  ByteReader reader(expression.subspan(1), order);
  const i64 offset = get_sleb128(reader);
  if (!reader.ok() || reader.left() != 0) return std::nullopt;
  return offset;
}

class Placer {
 public:
  Placer(DebugEntry function, u16 machine, std::vector<PlacedVariable>& out)
      : function_(function), machine_(machine), out_(out) {}

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

  // Registers count as they are at the instruction that asks, so nothing is made of the frame's here.
  bool locate(DebugEntry variable, u64 address, PlacedVariable& placed) const {
    const auto expression = variable.expression(DwarfAttribute::Location, address);
    if (!expression) return false;
    const DwarfUnit& unit = variable.unit().dwarf();
    LocationContext context{.machine = machine_,
                            .address_size = unit.header().format.address_size,
                            .order = unit.file().order(),
                            .frame_base = function_.expression(DwarfAttribute::FrameBase, address),
                            .address = address};
    context.indexed_address = [&unit](u64 index) { return unit.indexed_address(index); };
    if (const auto offset = frame_offset(*expression, context.frame_base, context.order)) {
      placed.where = PlacedVariable::Where::Frame;
      placed.offset = *offset;
      return true;
    }
    const auto found = locate_variable(*expression, context);
    if (!found || found->dereferences.size() > 1) return false;
    const auto reg = register_number(machine_, found->base);
    if (!reg) return false;
    placed.reg = *reg;
    if (found->dereferences.empty()) return true;
    placed.where = PlacedVariable::Where::Memory;
    placed.offset = found->dereferences.front();
    return true;
  }

  DebugEntry function_;
  u16 machine_;
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
  std::ranges::sort(starts_);
  starts_.erase(std::ranges::unique(starts_).begin(), starts_.end());
  std::ranges::sort(by_begin, {}, [&](u32 i) { return all_[i].range.begin; });
  std::vector<u32> open;
  auto next = by_begin.begin();
  for (const u64 start : starts_) {
    std::erase_if(open, [&](u32 i) { return all_[i].range.end <= start; });
    for (; next != by_begin.end() && all_[*next].range.begin <= start; ++next) open.push_back(*next);
    std::ranges::sort(open);  // scopes were walked from the outside in
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
