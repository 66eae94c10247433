// Side-band of the kernel: the map of its text, and of its modules.
//
// The text map is named "[kernel.kallsyms]_text" and its page offset is the address of _text, from which readers learn
// how far the kernel was moved. /proc/kallsyms costs 36 ms to read whole: only its first pages are read.
#pragma once
#include <optional>

#include "base/build_id.h"
#include "base/bytes.h"
#include "sys/root.h"

namespace peregrine {

struct KernelText {
  u64 start = 0, end = 0;
};
// Empty when kptr_restrict hides addresses.
std::optional<KernelText> kernel_text(const Root& root);

// With a build-id it becomes an MMAP2 that carries it (--buildid-mmap).
void synthesize_kernel_map(const KernelText& text, const BuildId& id, std::size_t trailer_size, ByteWriter& out);
// One MMAP per module with its file below /lib/modules, "[NAME]" when it is not found there.
void synthesize_module_maps(const Root& root, bool build_ids, std::size_t trailer_size, ByteWriter& out);

}  // namespace peregrine
