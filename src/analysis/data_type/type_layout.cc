#include "analysis/data_type/type_layout.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "analysis/data_type/member_place.h"
#include "base/types.h"
#include "probe/type/dwarf_types.h"

namespace peregrine {
namespace {

constexpr unsigned kDeepestType = 32;
// Only broken files exceed this; the kernel's largest structures have a few thousand rows.
constexpr std::size_t kMostRows = 100'000;
constexpr u64 kBits = 8;

class Layout {
 public:
  explicit Layout(TypeRef type) : types_(DwarfTypes::entry_of(type).unit()) {}

  void add(TypeRef type, u64 offset, std::string name, unsigned depth) {
    if (rows.size() >= kMostRows || depth > kDeepestType) return;
    LayoutRow row{.depth = depth, .offset = offset, .size = object_size(types_, type)};
    row.name = std::move(name);
    bool in_array = false;
    // In a broken file an array may be its own element.
    unsigned dimensions = 0;
    for (TypeShape shape = types_.shape(type); shape.kind == TypeKind::Array && dimensions < kDeepestType;
         shape = types_.shape(type), ++dimensions) {
      const u64 element = object_size(types_, shape.target);
      row.name += fmt::format("[{}]", element == 0 ? 0 : shape.size.value_or(0) / element);
      type = shape.target;
      in_array = true;
    }
    const TypeKind kind = types_.shape(type).kind;
    row.type = data_type_name(types_, type);
    row.opens = !in_array && (kind == TypeKind::Structure || kind == TypeKind::Union);
    rows.push_back(std::move(row));
    if (rows.back().opens) add_members(type, offset, depth);
  }

  std::vector<LayoutRow> rows;

 private:
  void add_members(TypeRef type, u64 offset, unsigned depth) {
    for (TypeMember& member : types_.members(type)) {
      if (member.bit_size == 0) {
        add(member.type, offset + member.offset, std::move(member.name), depth + 1);
        continue;
      }
      const u64 begin = member.bit_start / kBits;
      const u64 end = (member.bit_start + member.bit_size + kBits - 1) / kBits;
      rows.push_back({.depth = depth + 1,
                      .offset = offset + begin,
                      .size = end - begin,
                      .type = data_type_name(types_, member.type),
                      .name = fmt::format("{}:{}", member.name, member.bit_size)});
    }
  }

  DwarfTypes types_;
};

}  // namespace

std::vector<LayoutRow> type_layout(TypeRef type) {
  Layout layout(type);
  layout.add(type, 0, {}, 0);
  return std::move(layout.rows);
}

}  // namespace peregrine
