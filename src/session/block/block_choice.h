// Which events of block I/O a command wants: of some devices, and of blktrace's masks (-a). Pure.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/block/block_event.h"
#include "base/result.h"
#include "base/types.h"
#include "session/block/block_names.h"

namespace peregrine {

struct BlockChoice {
  std::vector<u32> devices;  // with the partitions of disks; empty: all
  u16 traits = 0;            // an event needs one of them; 0: all events

  bool takes(const BlockEvent& event) const;
};

// `devices`: the values of -d; `masks`: of -a, "read,sync" or one name each. Errors: NotFound, an unknown device;
// Usage, an unknown mask.
Result<BlockChoice> choose_block_events(std::span<const std::string> devices, std::span<const std::string> masks,
                                        const BlockNames& names);

// A filter of the kernel for the events of a tracepoint; "": none is needed. Nothing: the choice excludes all of them.
std::optional<std::string> kernel_filter(const BlockTracepoint& tracepoint, const BlockChoice& choice);

}  // namespace peregrine
