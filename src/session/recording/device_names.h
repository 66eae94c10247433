// The block devices of a recording, and their names for fields of tracepoints that are devices.
#pragma once
#include <vector>

#include "data/reader/reader.h"
#include "event/print/print_names.h"
#include "event/tracepoint/trace_formats.h"
#include "sys/hardware/block_device.h"
#include "sys/root.h"

namespace peregrine {

// Those of the running system, if it is the recorded one by the header: a recording has numbers only.
std::vector<BlockDevice> recorded_block_devices(const data::Reader& reader, const Root& root);

PrintNames device_names(const std::vector<BlockDevice>& devices);
// Empty if the recording was made on another machine, or has no such fields.
PrintNames recorded_device_names(const TraceFormats& formats, const data::Reader& reader, const Root& root);

}  // namespace peregrine
