#include "analysis/data_type/data_type_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/data_type/image_types.h"
#include "analysis/data_type/member_place.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/process/moment.h"
#include "probe/type/dwarf_types.h"

namespace peregrine {
namespace {

constexpr u64 kTypeLine = 64;  // bytes

std::string_view name_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::StackOperation:
      return "(stack operation)";
    case AccessKind::StackCanary:
      return "(stack canary)";
    default:
      return "(unknown)";
  }
}

// As linux-perf's printf("%#x") formats it: 0 has no prefix.
std::string distance_text(const ShownDataType& shown) {
  return fmt::format("{} +{}{:x}", shown.name, shown.offset == 0 ? "" : "0x", shown.offset);
}

std::string offset_text(const ShownDataType& shown) {
  return fmt::format("{} ({})", distance_text(shown), shown.member.empty() ? "no field" : shown.member);
}

}  // namespace

std::string_view unknown_type_text(UnknownType why) {
  constexpr std::array<std::string_view, kUnknownTypes> kReasons = {
      "",
      "in code without a file",
      "in code that cannot be decoded (not x86-64 or arm64, or libzydis or libcapstone is missing)",
      "from instructions that do not access memory",
      "in files without debug information",
      "in code not covered by debug information",
      "in thread-local or per-CPU memory",
      "through registers without a known variable",
      "in stack slots without a variable",
      "at fixed addresses without a variable",
      "with incomplete types (void, or only declared)",
      "outside the object that the register points to",
  };
  return kReasons[static_cast<std::size_t>(why)];
}

std::string unknown_types_text(const UnknownTypeCounts& counts, u64 samples) {
  const u64 unknown = std::accumulate(counts.begin(), counts.end(), u64{0});
  if (unknown == 0) return {};
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) { return counts[i]; });
  std::vector<std::string> reasons;
  for (const std::size_t i : order)
    if (counts[i] != 0)
      reasons.push_back(fmt::format("{} {}", counts[i], unknown_type_text(static_cast<UnknownType>(i))));
  return fmt::format("unknown data type for {} of {}: {}", unknown, counted(samples, "sample"),
                     fmt::join(reasons, ", "));
}

std::string instruction_text(const ShownDataType& type) {
  if (!type.type) return {};
  return type.member.empty() ? distance_text(type) : offset_text(type);
}

DataTypeTable::DataTypeTable(const DsoTable& dsos) : dsos_(dsos) {}
DataTypeTable::~DataTypeTable() = default;

DataTypeId DataTypeTable::find(const Frame& frame) {
  const std::scoped_lock lock(mutex_);
  if (!frame.dso) return intern(unknown_access(UnknownType::NoCode));
  return intern(image_of(frame.dso).find(frame.address));
}

std::string DataTypeTable::mnemonic(const Frame& frame) {
  const std::scoped_lock lock(mutex_);
  return frame.dso ? image_of(frame.dso).mnemonic(frame.address) : std::string();
}

ImageTypes& DataTypeTable::image_of(DsoId dso) {
  std::unique_ptr<ImageTypes>& image = images_[dso.value];
  if (!image) image = std::make_unique<ImageTypes>(dsos_, dso);
  return *image;
}

DataTypeId DataTypeTable::intern(const DataAccess& access) {
  ShownDataType shown{.name = std::string(name_of(access.kind)),
                      .member = {},
                      .offset = access.offset,
                      .size = 0,
                      .type = access.type,
                      .why = access.why};
  if (access.kind == AccessKind::Typed) {
    const DwarfTypes types(DwarfTypes::entry_of(access.type).unit());
    shown.name = data_type_name(types, access.type);
    shown.member = member_at(types, access.type, access.offset).path;
    shown.size = object_size(types, access.type);
  }
  const auto [known, added] =
      ids_.try_emplace({shown.name, shown.size, shown.offset, shown.why}, DataTypeId(static_cast<u32>(shown_.size())));
  if (!added) return known->second;
  texts_.push_back({pool_.intern(shown.name), pool_.intern(offset_text(shown)),
                    pool_.intern(fmt::format("{}: cache-line {}", shown.name, shown.offset / kTypeLine))});
  shown_.push_back(std::move(shown));
  return known->second;
}

const ShownDataType& DataTypeTable::at(DataTypeId id) const {
  const std::scoped_lock lock(mutex_);
  return shown_[id.value];
}

DataTypeTable::Texts DataTypeTable::texts(DataTypeId id) const {
  const std::scoped_lock lock(mutex_);
  return texts_[id.value];
}

std::string_view DataTypeTable::text(StringId id) const {
  const std::scoped_lock lock(mutex_);
  return pool_.view(id);
}

}  // namespace peregrine
