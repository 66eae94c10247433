#include "machine/resolver/code_reader.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/types.h"
#include "machine/process/moment.h"

namespace peregrine {

const std::optional<CodeImage>& CodeReader::image(DsoId dso) {
  const auto [at, fresh] = images_.try_emplace(dso.value);
  if (fresh) {
    if (auto opened = CodeImage::open(dsos_, dso)) at->second = std::move(*opened);
  }
  return at->second;
}

std::size_t CodeReader::read(const Frame& frame, std::span<std::byte> out) {
  if (!frame.dso) return 0;
  const std::optional<CodeImage>& from = image(frame.dso);
  if (!from) return 0;
  const auto address = from->virtual_address(frame.address);
  const auto offset = address ? from->file_offset(*address) : std::nullopt;
  if (!offset || *offset >= from->file().file_size()) return 0;
  const std::span<std::byte> there = out.first(std::min<u64>(out.size(), from->file().file_size() - *offset));
  return from->file().read_into(*offset, there) ? there.size() : 0;
}

Isa CodeReader::isa(DsoId dso) {
  if (!dso) return Isa::Unknown;
  const std::optional<CodeImage>& from = image(dso);
  return from ? isa_of_elf(from->file().machine(), from->file().is_64()) : Isa::Unknown;
}

}  // namespace peregrine
