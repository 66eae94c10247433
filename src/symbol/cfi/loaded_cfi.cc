#include "symbol/cfi/loaded_cfi.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "base/types.h"
#include "symbol/cfi/cfi_reader.h"
#include "symbol/compression/section_contents.h"

namespace peregrine {
namespace {

struct Section {
  std::vector<std::byte> bytes;
  u64 address = 0;
};

CfiSource source_of(const ElfFile& file, CfiFormat format, const Section& section) {
  CfiSource source;
  source.format = format;
  source.order = file.order();
  source.address_size = file.is_64() ? 8 : 4;
  source.bases.section = section.address;
  for (const std::string_view name : {".got.plt", ".got"}) {
    const ElfSection* got = file.find_section(name);
    if (source.bases.data == 0 && got != nullptr) source.bases.data = got->address;
  }
  if (const ElfSection* text = file.find_section(".text")) source.bases.text = text->address;
  return source;
}

std::optional<Section> load_section(const ElfFile& file, std::string_view name) {
  const ElfSection* section = file.find_section(name);
  if (section == nullptr || section->type == SHT_NOBITS) return std::nullopt;
  auto bytes = section_contents(file, *section);
  if (!bytes) return std::nullopt;
  return Section{std::move(*bytes), section->address};
}

// .eh_frame_hdr begins with a version, three encodings and the address of .eh_frame, but not its size. Therefore this
// reads to the end of the segment; a zero length ends the section earlier.
std::optional<Section> load_eh_frame_by_segment(const ElfFile& file) {
  constexpr u64 kHeaderSize = 64;
  for (const ElfSegment& segment : file.segments()) {
    if (segment.type != PT_GNU_EH_FRAME) continue;
    auto header = file.read(segment.offset, std::min(segment.file_size, kHeaderSize));
    if (!header) return std::nullopt;
    CfiReader reader(*header, file.order(), file.is_64() ? 8 : 4);
    const u8 version = reader.get8();
    const u8 encoding = reader.get8();
    reader.skip(2);
    const std::optional<u64> start = reader.pointer(encoding, PointerBases{segment.address, 0, segment.address, 0});
    if (version != 1 || !start) return std::nullopt;
    for (const ElfSegment& load : file.segments()) {
      if (load.type != PT_LOAD || *start < load.address || *start - load.address >= load.file_size) continue;
      const u64 skipped = *start - load.address;
      auto bytes = file.read(load.offset + skipped, load.file_size - skipped);
      if (bytes) return Section{std::move(*bytes), *start};
    }
  }
  return std::nullopt;
}

std::optional<LoadedCfi> loaded(const ElfFile& file, CfiFormat format, std::optional<Section> section) {
  if (!section) return std::nullopt;
  LoadedCfi result{.bytes = {}, .source = source_of(file, format, *section)};
  result.bytes = std::move(section->bytes);
  result.source.bytes = result.bytes;
  return result;
}

}  // namespace

std::optional<LoadedCfi> load_eh_frame(const ElfFile& file) {
  auto section = load_section(file, ".eh_frame");
  return loaded(file, CfiFormat::EhFrame, section ? std::move(section) : load_eh_frame_by_segment(file));
}

std::optional<LoadedCfi> load_debug_frame(const ElfFile& file) {
  auto section = load_section(file, ".debug_frame");
  return loaded(file, CfiFormat::DebugFrame, section ? std::move(section) : load_section(file, ".zdebug_frame"));
}

}  // namespace peregrine
