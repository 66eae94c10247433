#include "pipeline/decode/intel_pt/intel_pt_decoder.h"

#include <fmt/format.h>

#include <expected>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "abi/record.h"
#include "abi/side_band.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "pipeline/decode/intel_pt/intel_pt_events.h"
#include "pipeline/decode/intel_pt/intel_pt_facts.h"
#include "pipeline/decode/intel_pt/intel_pt_queue.h"
#include "pipeline/decode/intel_pt/pebs_events.h"
#include "pipeline/decode/trace/call_stack.h"
#include "pipeline/decode/trace/machine_code.h"
#include "pipeline/decode/trace/recorded_samples.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"

namespace peregrine {
namespace {

class IntelPtDecoder final : public TraceDecoder {
 public:
  IntelPtDecoder(const TraceSources& sources, const IntelPtFacts& facts, u32 traced)
      : recorded_(sources.out.evlist(), traced, sources.itrace.callers, sources.itrace.add_callchain),
        pebs_(sources.reader.evlist(), sources.itrace.other),
        code_(sources.machine, kKernelStart),
        session_{.reader = sources.reader,
                 .facts = facts,
                 .events = IntelPtEvents::add(sources.out, sources.reader.evlist(), traced, facts, sources.itrace),
                 .options = sources.itrace,
                 .code = code_,
                 .calls = calls_,
                 .pebs = pebs_,
                 .out = sources.out} {
    per_cpu_ = facts.per_cpu;
    const u64 config = sources.reader.evlist()[traced].attr.config;
    add_queues(sources.traces, [&](std::vector<TracePiece> pieces) {
      return std::make_unique<IntelPtQueue>(session_, config, std::move(pieces));
    });
  }

  bool edit(const abi::RecordView& sample) override { return recorded_.edit(sample, calls_, session_.out.records()); }

  void learn(const abi::SideBand& record, u32 event) override {
    const auto* assigned = std::get_if<abi::AuxOutputHwIdRecord>(&record.body);
    if (assigned != nullptr) pebs_.assign(per_cpu_ ? record.id.cpu : kNoCpu, assigned->hw_id, event);
  }

  std::vector<TraceNote> notes() const override {
    if (pebs_.unassigned() == 0) return {};
    return {
        {fmt::format("{} without a matching event", counted(pebs_.unassigned(), "PEBS record in the Intel PT trace is",
                                                            "PEBS records in the Intel PT trace are")),
         "record a single aux-output event, or use Linux 5.16 (AUX_OUTPUT_HW_ID records)"}};
  }

 private:
  RecordedSamples recorded_;  // first: it must see only the recorded events
  PebsEvents pebs_;
  MachineCode code_;
  CallStack calls_;
  IntelPtSession session_;
};

}  // namespace

Result<std::unique_ptr<TraceDecoder>> make_intel_pt_decoder(const TraceSources& sources) {
  const auto facts = IntelPtFacts::of(sources.traces);
  if (!facts) return fail(ErrorKind::Malformed, "{}: AUXTRACE_INFO is too short for Intel PT", sources.reader.path());
  const auto traced = traced_event(sources, facts->pmu_type);
  if (!traced) return std::unexpected(traced.error());
  return std::make_unique<IntelPtDecoder>(sources, *facts, *traced);
}

}  // namespace peregrine
