#include "pipeline/decode/coresight/etm_decoders.h"

#include <algorithm>
#include <cstddef>
#include <expected>
#include <set>
#include <utility>
#include <vector>

#include "auxtrace/coresight/etm_decoder.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine {

using auxtrace::EtmDecoder;
using auxtrace::EtmRegisters;

Result<EtmDecoder*> EtmDecoders::choose(bool formatted, u32 cpu, auxtrace::EtmSink& sink) {
  sink_ = &sink;
  const auto& units = facts_.units;
  const auto own = std::ranges::find(units, cpu, &CoreSightUnit::cpu);
  // An unframed trace of an unknown processor: most likely all processors are alike, so use the first.
  const std::size_t at = own == units.end() ? 0 : static_cast<std::size_t>(own - units.begin());
  const u32 key = formatted ? kFrames : static_cast<u32>(at);
  if (const auto known = by_unit_.find(key); known != by_unit_.end()) {
    if (!known->second) return std::unexpected(*refused_);
    return known->second.get();
  }
  std::vector<EtmRegisters> registers;
  std::set<u32> ids;
  for (std::size_t i = 0; i < units.size(); ++i) {
    if ((formatted || i == at) && ids.insert(units[i].registers.trace_id).second)
      registers.push_back(units[i].registers);
  }
  auto decoder = EtmDecoder::open(registers, formatted, *this);
  if (!decoder) {
    by_unit_[key] = nullptr;
    refused_ = decoder.error();
    return std::unexpected(std::move(decoder.error()));
  }
  return (by_unit_[key] = std::move(*decoder)).get();
}

}  // namespace peregrine
