#include "symbol/dwarf/supplement.h"

#include <string.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/file/read_failures.h"
#include "base/leb128.h"
#include "base/result.h"
#include "base/types.h"
#include "symbol/dwarf/dwarf_constants.h"
#include "symbol/dwarf/dwarf_file.h"
#include "symbol/dwarf/dwarf_section.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {
namespace {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }
std::string_view leaf_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// The contents of either section: a path and the id of the file there. By DWARF 5, 7.3.6, a supplement also has a
// .debug_sup, with an empty path and its own id; LinkOf::Supplement reads that.
struct SupplementLink {
  std::string path;
  BuildId id;
};
enum class LinkOf : u8 { User, Supplement };

std::optional<SupplementLink> supplement_link(const ElfFile& file, LinkOf whose) {
  const ElfSection* gnu = whose == LinkOf::User ? file.find_section(".gnu_debugaltlink") : nullptr;
  const ElfSection* section = gnu != nullptr ? gnu : file.find_section(".debug_sup");
  if (section == nullptr || section->size > 4096) return std::nullopt;
  const auto bytes = file.contents(*section);
  if (!bytes) return std::nullopt;
  ByteReader reader(*bytes, file.order());
  if (gnu == nullptr) {
    reader.skip(2);
    if (reader.get8() != (whose == LinkOf::Supplement ? 1 : 0)) return std::nullopt;
  }
  const Bytes rest = reader.rest();
  SupplementLink link;
  const auto* chars = reinterpret_cast<const char*>(rest.data());
  link.path.assign(chars, ::strnlen(chars, rest.size()));
  reader.skip(link.path.size() + 1);
  if (gnu == nullptr) get_uleb128(reader);  // size of the id that follows
  if (!reader.ok() || link.path.empty() != (whose == LinkOf::Supplement)) return std::nullopt;
  link.id = BuildId::from_bytes(reader.rest());
  return link;
}

bool is_supplement(const ElfFile& file, const BuildId& id) {
  if (id.empty() || file.build_id() == id) return true;
  const auto own = supplement_link(file, LinkOf::Supplement);
  return own && own->id == id;
}

std::string debug_path_of(const BuildId& id, const std::string& debug_folder) {
  const std::string hex = id.hex();
  return hex.size() < 4 ? std::string()
                        : debug_folder + "/.build-id/" + hex.substr(0, 2) + "/" + hex.substr(2) + ".debug";
}

std::optional<ElfFile> open_if_there(const std::string& path, ReadFailures* failures) {
  if (path.empty()) return std::nullopt;
  auto file = ElfFile::open(path, failures);
  return file ? std::optional(std::move(*file)) : std::nullopt;
}

}  // namespace

Result<ElfFile> open_supplement(const ElfFile& file, const SourceSearch& search) {
  const auto link = supplement_link(file, LinkOf::User);
  if (!link) return fail(ErrorKind::NotFound, "{}: does not refer to a supplementary file", file.name());
  std::vector<std::string> places;
  if (link->path.starts_with('/'))
    places = {search.symfs + link->path, link->path};
  else
    places = {folder_of(search.dso_path) + link->path, folder_of(file.name()) + link->path};
  const std::size_t dwz = link->path.find("/.dwz/");
  if (dwz != std::string::npos) places.push_back(search.debug_folder + link->path.substr(dwz));
  places.push_back(debug_path_of(link->id, search.debug_folder));
  for (const std::string& place : places) {
    auto found = open_if_there(place, file.failures());
    if (found && is_supplement(*found, link->id)) return std::move(*found);
  }
  return fail(ErrorKind::NotFound, "{}: shared debug file {} not found", file.name(), link->path);
}

std::optional<ElfFile> open_package(const ElfFile& file, const SourceSearch& search) {
  for (const std::string& path : {search.dso_path, file.name()}) {
    if (path.empty()) continue;
    if (auto found = open_if_there(path + ".dwp", file.failures())) return found;
  }
  return std::nullopt;
}

std::optional<ElfFile> open_split_file(const UnitRoot& skeleton, const SourceSearch& search) {
  std::string path(skeleton.dwo_name);
  if (!path.starts_with('/') && !skeleton.compilation_folder.empty())
    path = std::string(skeleton.compilation_folder) + "/" + path;
  const std::string beside = folder_of(search.dso_path) + std::string(leaf_of(path));
  for (const std::string& place : {search.symfs + path, path, beside})
    if (auto found = open_if_there(place, search.failures)) return found;
  return std::nullopt;
}

namespace {

// The columns of a .dwp index in use.
std::optional<DebugSection> section_of_column(u32 id, u32 version) {
  switch (id) {
    case 1:
      return DebugSection::Entries;
    case 3:
      return DebugSection::Abbreviations;
    case 5:
      return version >= 5 ? DebugSection::Locations : DebugSection::OldLocations;
    case 6:
      return DebugSection::TextOffsets;
    case 8:
      return version >= 5 ? std::optional(DebugSection::RangeLists) : std::nullopt;
    default:
      return std::nullopt;
  }
}

struct Contribution {
  DebugSection section;
  u64 offset, size;
};

// The parts of a .dwp's sections for one id. The index is a hash table of ids, then rows of offsets and rows of sizes.
std::vector<Contribution> contributions_of(const DwarfFile& package, u64 id) {
  const DwarfSection& index = package.section(DebugSection::UnitIndex);
  const auto number = [&](u64 offset, unsigned size) {
    u64 value = 0;
    index.read_number(offset, size, package.order(), value);
    return value;
  };
  u64 version = number(0, 4);
  if (version != 2) version = number(0, 2);  // DWARF 5: a two-byte version, then padding
  const u64 columns = number(4, 4), units = number(8, 4), slots = number(12, 4);
  if (slots == 0 || (slots & (slots - 1)) != 0 || columns > 16 || slots > index.size() / 12) return {};
  const u64 hashes = 16, rows = hashes + slots * 8, table = rows + slots * 4;
  const u64 step = ((id >> 32) & (slots - 1)) | 1;
  u64 slot = id & (slots - 1), row = 0;
  for (u64 tries = 0; tries < slots; ++tries, slot = (slot + step) & (slots - 1)) {
    row = number(rows + slot * 4, 4);
    if (row == 0 || number(hashes + slot * 8, 8) == id) break;
  }
  if (row == 0 || row > units) return {};
  std::vector<Contribution> result;
  for (u64 column = 0; column < columns; ++column) {
    const auto section = section_of_column(static_cast<u32>(number(table + column * 4, 4)), static_cast<u32>(version));
    if (!section) continue;
    const u64 offset_at = table + (row * columns + column) * 4;
    result.push_back({*section, number(offset_at, 4), number(offset_at + units * columns * 4, 4)});
  }
  return result;
}

}  // namespace

std::optional<DwarfUnit> find_split_unit(const DwarfFile& file, const DwarfUnit& skeleton, const UnitRoot& root) {
  if (!file.section(DebugSection::UnitIndex).empty()) {
    const std::vector<Contribution> parts = contributions_of(file, root.dwo_id);
    const auto entries = std::ranges::find(parts, DebugSection::Entries, &Contribution::section);
    if (entries == parts.end()) return std::nullopt;
    const auto header = read_unit_header(file, entries->offset);
    if (!header) return std::nullopt;
    DwarfUnit unit(file, *header);
    for (const Contribution& part : parts)
      if (part.section != DebugSection::Entries)
        unit.set_section(part.section, file.section(part.section).part(part.offset, part.size));
    unit.set_skeleton(skeleton, root);
    UnitRoot split_root;
    return unit.open(split_root) ? std::optional(unit) : std::nullopt;
  }
  for (const UnitHeader& header : file.units()) {
    if (header.type != DwarfUnitType::SplitCompile && header.type != DwarfUnitType::Compile) continue;
    DwarfUnit unit(file, header);
    unit.set_skeleton(skeleton, root);
    UnitRoot split_root;
    if (unit.open(split_root) && split_root.dwo_id == root.dwo_id) return unit;
  }
  return std::nullopt;
}

}  // namespace peregrine
