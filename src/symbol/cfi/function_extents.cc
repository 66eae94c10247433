#include "symbol/cfi/function_extents.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>

#include "symbol/cfi/cfi_section.h"
#include "symbol/cfi/loaded_cfi.h"

namespace peregrine {

std::vector<FunctionExtent> function_extents(const ElfFile& file) {
  std::vector<FunctionExtent> extents;
  if (file.type() == ET_REL) return extents;
  const auto frames = load_eh_frame(file);
  if (!frames) return extents;
  CfiSection(frames->source).each([&](const CfiCie&, const CfiFde& fde) {
    if (fde.start == 0) return;  // the linker dropped this code
    const auto start = file.file_offset(fde.start);
    if (start && fde.size <= file.file_size() - std::min(*start, file.file_size()))
      extents.push_back({*start, *start + fde.size});
  });
  std::ranges::sort(extents);
  std::size_t kept = 0;
  for (const FunctionExtent& extent : extents) {
    if (kept > 0 && extent.start < extents[kept - 1].end) continue;
    extents[kept++] = extent;
  }
  extents.resize(kept);
  return extents;
}

}  // namespace peregrine
