#include "machine/dso/own_vdso.h"

#include <cstddef>
#include <cstring>
#include <expected>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/text/text_cursor.h"
#include "base/types.h"

namespace peregrine {

Result<std::vector<std::byte>> own_vdso() {
  auto maps = read_file("/proc/self/maps");
  if (!maps) return std::unexpected(std::move(maps.error()));
  const std::size_t name = maps->find("[vdso]");
  if (name == std::string::npos) return fail(ErrorKind::NotFound, "this process has no vdso");
  const std::size_t line = maps->rfind('\n', name) + 1;  // npos + 1 is 0
  TextCursor range(std::string_view(*maps).substr(line, name - line));
  const auto begin = range.take_number<u64>(16);
  if (!begin || !range.take('-')) return fail(ErrorKind::Malformed, "/proc/self/maps: no [vdso] range");
  const u64 start = *begin, end = range.take_number<u64>(16).value_or(0);
  if (end <= start || end - start > (1u << 20))
    return fail(ErrorKind::Malformed, "/proc/self/maps: invalid [vdso] range");
  std::vector<std::byte> image(end - start);
  const void* const place = reinterpret_cast<const void*>(start);  // NOLINT(performance-no-int-to-ptr): from maps
  std::memcpy(image.data(), place, image.size());
  return image;
}

Result<std::vector<std::byte>> vdso_image(std::string_view name) {
  return name == kVdso32Name ? vdso_of_32_bit_programs() : own_vdso();
}

}  // namespace peregrine
