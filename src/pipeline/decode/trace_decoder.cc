#include "pipeline/decode/trace_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <expected>

#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "pipeline/decode/arm_spe/arm_spe_decoder.h"
#include "pipeline/decode/coresight/coresight_decoder.h"
#include "pipeline/decode/intel_bts/intel_bts_decoder.h"
#include "pipeline/decode/intel_pt/intel_pt_decoder.h"

namespace peregrine {

bool is_decoded(TraceType type) {
  return type == TraceType::IntelPt || type == TraceType::IntelBts || type == TraceType::CoreSight ||
         type == TraceType::ArmSpe;
}

Result<std::unique_ptr<TraceDecoder>> make_trace_decoder(const TraceSources& sources) {
  if (sources.traces.type == TraceType::IntelPt) return make_intel_pt_decoder(sources);
  if (sources.traces.type == TraceType::IntelBts) return make_intel_bts_decoder(sources);
  if (sources.traces.type == TraceType::CoreSight) return make_coresight_decoder(sources);
  if (sources.traces.type == TraceType::ArmSpe) return make_arm_spe_decoder(sources);
  return std::unexpected(not_decoded(sources.traces.type));
}

Error not_decoded(TraceType type) {
  return {ErrorKind::Unsupported, fmt::format("decoding traces of {} is not supported", trace_type_name(type)),
          "supported: Intel PT, Intel BTS, CoreSight ETMv4 and Arm SPE; showing the recorded samples"};
}

Result<u32> traced_event(const TraceSources& sources, u32 pmu_type) {
  const auto& events = sources.reader.evlist().events();
  const auto found =
      std::ranges::find_if(events, [&](const data::Event& event) { return event.attr.type == pmu_type; });
  if (found != events.end()) return static_cast<u32>(found - events.begin());
  return fail(ErrorKind::Malformed, "{}: trace of {} has no event", sources.reader.path(),
              trace_type_name(sources.traces.type));
}

}  // namespace peregrine
