// Side-band of the kernel: the maps of its text and its modules.
//
// The text map is named "[kernel.kallsyms]_text" and its page offset is the address of _text, from which readers derive
// how far the kernel was relocated. Reads only the first pages of /proc/kallsyms, since reading all takes 36 ms.
#pragma once
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/build_id.h"
#include "base/bytes.h"
#include "base/types.h"
#include "sys/root.h"

namespace peregrine {

struct KernelText {
  u64 start = 0, end = 0;
};
// Empty if kptr_restrict hides addresses.
std::optional<KernelText> kernel_text(const Root& root);

// A map of the kernel or of a module.
struct KernelMap {
  u64 start = 0, size = 0, offset = 0;
  std::string_view name;
  BuildId id = {};  // empty: a plain MMAP
};
void put_kernel_map(const KernelMap& map, std::size_t trailer_size, ByteWriter& out);

// With a build-id, writes an MMAP2 that contains it (--buildid-mmap).
void synthesize_kernel_map(const KernelText& text, const BuildId& id, std::size_t trailer_size, ByteWriter& out);
// One MMAP per module with its file below /lib/modules, or "[NAME]" if not found there.
void synthesize_module_maps(const Root& root, bool build_ids, std::size_t trailer_size, ByteWriter& out);

}  // namespace peregrine
