// HistCollector::Facts: answers the sort keys' queries about a sample from the collector's tables.
#include <cstddef>

#include "analysis/data_type/data_type_table.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/collector/collector.h"
#include "analysis/hist/collector/collector_worker.h"
#include "analysis/hist/collector/place_frames.h"
#include "base/types.h"
#include "pipeline/replay/call_site.h"

namespace peregrine {

HistFrameId HistCollector::Facts::function() {
  return collector_.leaf_frame(worker_, resolver_, hit_frame(replayed(), resolver_));
}

HistFrameId HistCollector::Facts::place() {
  return worker_.branch_frames.find(worker_.hists.frames(), resolver_, hit_frame(replayed(), resolver_));
}

HistFrameId HistCollector::Facts::call_site() {
  return collector_.leaf_frame(worker_, resolver_, peregrine::call_site(replayed(), resolver_));
}

HistFrameId HistCollector::Facts::data(u64 address) {
  return data_frame(worker_.hists.frames(), resolver_, replayed().context, address);
}

u32 HistCollector::Facts::trace_text() {
  return collector_.request_.traces->find(replayed(), resolver_, worker_.traces);
}

u32 HistCollector::Facts::field(std::size_t index) {
  return collector_.request_.fields->value(index, replayed(), resolver_, worker_.fields);
}

DataTypeTable::Texts HistCollector::Facts::data_type() {
  return collector_.data_type(worker_, replayed(), resolver_).texts;
}

}  // namespace peregrine
