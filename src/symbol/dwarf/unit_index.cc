#include "symbol/dwarf/unit_index.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/concurrency/worker_pool.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/dwarf/dwarf_unit.h"

namespace peregrine {
namespace {

constexpr std::size_t kUnitsPerTask = 64;

using Ranges = std::vector<RangeMap::Range>;

// Reads one set of .debug_aranges, the ranges of one unit. False if the rest of the section cannot be parsed.
bool read_set(const DwarfFile& file, ByteReader& reader, Ranges& ranges, std::vector<bool>& covered) {
  const std::size_t set_start = reader.offset();
  u64 length = reader.get32();
  unsigned offset_size = 4;
  if (length == 0xffffffff) {
    offset_size = 8;
    length = reader.get64();
  }
  const std::size_t before_set = reader.offset() - set_start;
  ByteReader set(reader.take(length), file.order());
  if (!reader.ok()) return false;
  const u16 version = set.get16();
  const u64 unit_offset = offset_size == 8 ? set.get64() : set.get32();
  const unsigned address_size = set.get8();
  const unsigned segment_size = set.get8();
  const std::vector<UnitHeader>& units = file.units();
  const auto unit = std::ranges::lower_bound(units, unit_offset, {}, &UnitHeader::offset);
  if (version != 2 || segment_size != 0 || (address_size != 4 && address_size != 8) || unit == units.end() ||
      unit->offset != unit_offset)
    return true;
  const auto index = static_cast<u32>(unit - units.begin());
  const std::size_t pair = 2 * address_size;
  set.skip((pair - (before_set + set.offset()) % pair) % pair);
  while (set.left() >= pair) {
    const u64 begin = address_size == 8 ? set.get64() : set.get32();
    const u64 size = address_size == 8 ? set.get64() : set.get32();
    if (begin == 0 && size == 0) break;
    if (begin + size <= begin || !file.has_code_at(begin)) continue;
    ranges.push_back({begin, begin + size, index, 0});
    covered[index] = true;
  }
  return true;
}

void read_address_ranges(const DwarfFile& file, Ranges& ranges, std::vector<bool>& covered) {
  const DwarfSection& section = file.section(DebugSection::AddressRanges);
  std::vector<std::byte> buffer;
  ByteReader reader(section.read(0, section.size(), buffer), file.order());
  while (reader.left() > 0 && read_set(file, reader, ranges, covered)) continue;
}

void read_roots(const DwarfFile& file, std::size_t first, std::size_t last, const std::vector<bool>& covered,
                Ranges& ranges) {
  std::vector<AddressRange> found;
  for (std::size_t i = first; i < last; ++i) {
    const UnitHeader& header = file.units()[i];
    if (covered[i] || header.type == DwarfUnitType::Type || header.type == DwarfUnitType::Partial) continue;
    DwarfUnit unit(file, header);
    UnitRoot root;
    if (!unit.open(root, true)) continue;
    found.clear();
    unit.add_ranges(root.low_pc, root.high_pc, root.ranges, found);
    for (const AddressRange& range : found) ranges.push_back({range.begin, range.end, static_cast<u32>(i), 0});
  }
}

}  // namespace

RangeMap build_unit_index(const DwarfFile& file) {
  Ranges ranges;
  const std::size_t count = file.units().size();
  std::vector<bool> covered(count);
  read_address_ranges(file, ranges, covered);
  const std::size_t tasks = (count + kUnitsPerTask - 1) / kUnitsPerTask;
  std::vector<Ranges> parts(tasks);
  WorkerPool pool(tasks < 4 ? 1 : 0);
  pool.run(tasks, [&](std::size_t task, unsigned) {
    read_roots(file, task * kUnitsPerTask, std::min(count, (task + 1) * kUnitsPerTask), covered, parts[task]);
  });
  for (const Ranges& part : parts) ranges.insert(ranges.end(), part.begin(), part.end());
  return RangeMap::build(std::move(ranges));
}

}  // namespace peregrine
