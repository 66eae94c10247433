#include "event/tracepoint/trace_formats.h"

#include <expected>
#include <utility>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"

namespace peregrine {

Result<TraceFormats> TraceFormats::decode(Bytes tracing_data) {
  auto decoded = decode_tracing_data(tracing_data);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  return TraceFormats(std::move(*decoded));
}

const TraceFormat* TraceFormats::format(u64 id) const {
  return id > 0xffffffff ? nullptr : data_.find(static_cast<u32>(id));
}

void TraceFormats::prepare(u64 id) {
  const TraceFormat* found = format(id);
  if (found == nullptr || compiled_.contains(id)) return;
  const TraceMachine machine{data_.order, data_.long_size, data_.page_size, data_.printk_formats};
  compiled_.emplace(id, PrintFormat(*found, machine));
}

const PrintFormat* TraceFormats::print_format(u64 id) const {
  const auto found = compiled_.find(id);
  return found == compiled_.end() ? nullptr : &found->second;
}

}  // namespace peregrine
