#include "session/recording/device_names.h"

#include <algorithm>

#include "analysis/field/traced_value.h"
#include "data/feature/feature_rows.h"
#include "data/header/evlist.h"
#include "sys/kernel/host.h"

namespace peregrine {

std::vector<BlockDevice> recorded_block_devices(const data::Reader& reader, const Root& root) {
  const auto& recorded = reader.header().features.hostname;
  if (!recorded || *recorded != read_host(root).hostname) return {};
  return read_block_devices(root);
}

PrintNames device_names(const std::vector<BlockDevice>& devices) {
  PrintNames names;
  for (const BlockDevice& device : devices) names.words.push_back({device.number, device.name});
  return names;
}

PrintNames recorded_device_names(const TraceFormats& formats, const data::Reader& reader, const Root& root) {
  const auto is_needed = [&](const data::Event& event) {
    const TraceFormat* const format = formats.format(event.attr.config);
    return format != nullptr && has_device(*format);
  };
  if (std::ranges::none_of(reader.evlist(), is_needed)) return {};
  return device_names(recorded_block_devices(reader, root));
}

}  // namespace peregrine
