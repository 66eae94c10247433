#include "symbol/elf/build_id.h"

#include <elf.h>

#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <utility>

#include "base/fd.h"
#include "base/types.h"
#include "symbol/elf/elf_file.h"

namespace peregrine {

BuildId find_build_id_note(Bytes notes, ByteOrder order, u64 alignment) {
  const std::size_t unit = alignment == 8 ? 8 : 4;
  ByteReader reader(notes, order);
  while (reader.left() >= 12) {
    const u32 name_size = reader.get32();
    const u32 value_size = reader.get32();
    const u32 type = reader.get32();
    const std::string_view name = reader.text(name_size);
    const auto pad = [&] {
      const std::size_t past = reader.offset() % unit;
      if (past != 0 && reader.left() >= unit - past) reader.skip(unit - past);
    };
    pad();
    const Bytes value = reader.take(value_size);
    if (!reader.ok()) break;
    if (type == NT_GNU_BUILD_ID && name_size == 4 && name == "GNU") return BuildId::from_bytes(value);
    pad();
  }
  return {};
}

Result<BuildId> read_build_id(const std::string& path) {
  auto file = ElfFile::open(path);
  if (!file) return std::unexpected(std::move(file.error()));
  const BuildId id = file->build_id();
  if (!id) return fail(ErrorKind::NotFound, "{}: no build-id", path);
  return id;
}

Result<BuildId> read_build_id_notes(const std::string& path) {
  constexpr std::size_t kLimit = std::size_t{1} << 20;
  auto notes = read_file(path, kLimit);
  if (!notes) return std::unexpected(std::move(notes.error()));
  const BuildId id = find_build_id_note(std::as_bytes(std::span(*notes)), kHostOrder);
  if (!id) return fail(ErrorKind::NotFound, "{}: no build-id", path);
  return id;
}

}  // namespace peregrine
