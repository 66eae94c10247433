#include "pipeline/decode/intel_bts/intel_bts_decoder.h"

#include <expected>
#include <memory>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "auxtrace/itrace.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "pipeline/decode/intel_bts/intel_bts_facts.h"
#include "pipeline/decode/intel_bts/intel_bts_queue.h"
#include "pipeline/decode/trace/call_stack.h"
#include "pipeline/decode/trace/machine_code.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"

namespace peregrine {
namespace {

// BTS does not record the time of a branch, so the samples have none.
u32 add_branches(TraceOutput& out, const data::Evlist& evlist, u32 traced, const ItraceOptions& options) {
  using namespace abi::sample_bit;
  if (!options.branches) return IntelBtsSession::kNone;
  abi::EventAttr attr = trace_sample_attr(evlist[traced].attr);
  attr.config = static_cast<u64>(abi::HardwareEvent::BranchInstructions);
  attr.sample_type |= Addr | Period;
  return out.add_event(traced, "", attr);
}

class IntelBtsDecoder final : public TraceDecoder {
 public:
  IntelBtsDecoder(const TraceSources& sources, const IntelBtsFacts& facts, u32 traced)
      : code_(sources.machine, kKernelStart),
        session_{.reader = sources.reader,
                 .facts = facts,
                 .branches = add_branches(sources.out, sources.reader.evlist(), traced, sources.itrace),
                 .timeless = !sources.reader.evlist()[traced].attr.samples(abi::sample_bit::Time),
                 .options = sources.itrace,
                 .code = code_,
                 .calls = calls_,
                 .out = sources.out} {
    per_cpu_ = facts.per_cpu;
    timeless_ = session_.timeless;
    untimed_ = true;
    add_queues(sources.traces, [&](std::vector<TracePiece> pieces) {
      return std::make_unique<IntelBtsQueue>(session_, std::move(pieces));
    });
  }

 private:
  MachineCode code_;
  CallStack calls_;
  IntelBtsSession session_;
};

}  // namespace

Result<std::unique_ptr<TraceDecoder>> make_intel_bts_decoder(const TraceSources& sources) {
  const auto facts = IntelBtsFacts::of(sources.traces);
  if (!facts) return fail(ErrorKind::Malformed, "{}: AUXTRACE_INFO is too short for Intel BTS", sources.reader.path());
  const auto traced = traced_event(sources, facts->pmu_type);
  if (!traced) return std::unexpected(traced.error());
  return std::make_unique<IntelBtsDecoder>(sources, *facts, *traced);
}

}  // namespace peregrine
