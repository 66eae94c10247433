#include "pipeline/decode/coresight/coresight_decoder.h"

#include <fmt/format.h>

#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "auxtrace/itrace.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "pipeline/decode/coresight/coresight_facts.h"
#include "pipeline/decode/coresight/coresight_queue.h"
#include "pipeline/decode/coresight/etm_decoders.h"
#include "pipeline/decode/trace/call_stack.h"
#include "pipeline/decode/trace/machine_code.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace/trace_output.h"

namespace peregrine {
namespace {

class CoreSightDecoder final : public TraceDecoder {
 public:
  CoreSightDecoder(const TraceSources& sources, CoreSightFacts facts, u32 traced)
      : facts_(std::move(facts)),
        decoders_(facts_),
        code_(sources.machine, kKernelStart),
        session_{.reader = sources.reader,
                 .facts = facts_,
                 .decoders = decoders_,
                 .options = sources.itrace,
                 .code = code_,
                 .calls = calls_,
                 .out = sources.out} {
    per_cpu_ = facts_.per_cpu;
    untimed_ = true;
    add_events(sources, traced);
    add_queues(sources.traces, [&](std::vector<TracePiece> pieces) {
      return std::make_unique<CoreSightQueue>(session_, std::move(pieces));
    });
  }

  std::vector<TraceNote> notes() const override;

 private:
  void add_events(const TraceSources& sources, u32 traced);

  CoreSightFacts facts_;
  EtmDecoders decoders_;
  MachineCode code_;
  CallStack calls_;
  CoreSightSession session_;
  bool unsampled_ = false;  // instruction samples were requested per time
};

// The samples have no time, since the trace uses another clock than the recording.
void CoreSightDecoder::add_events(const TraceSources& sources, u32 traced) {
  using namespace abi::sample_bit;
  const ItraceOptions& options = sources.itrace;
  const abi::EventAttr& recorded = sources.reader.evlist()[traced].attr;
  abi::EventAttr attr = trace_sample_attr(recorded);
  if (per_cpu_) attr.sample_type |= recorded.sample_type & Cpu;
  if (options.branches) {
    abi::EventAttr its = attr;
    its.config = static_cast<u64>(abi::HardwareEvent::BranchInstructions);
    its.sample_type |= Addr | Period;
    session_.branches = sources.out.add_event(traced, "", its);
  }
  unsampled_ = options.instructions && options.unit != ItraceUnit::Instructions;
  if (!options.instructions || unsampled_) return;
  abi::EventAttr its = attr;
  its.config = static_cast<u64>(abi::HardwareEvent::Instructions);
  its.sample_type |= Period;
  its.sample_period = options.period;
  if (options.callchain) its.sample_type |= Callchain;
  if (options.last_branch) {
    its.sample_type |= BranchStack;
    its.branch_sample_type |= abi::branch_bit::HwIndex;
  }
  session_.instructions = sources.out.add_event(traced, "", its);
}

std::vector<TraceNote> CoreSightDecoder::notes() const {
  std::vector<TraceNote> notes;
  const auto add = [&](std::string text, std::string hint) { notes.push_back({std::move(text), std::move(hint)}); };
  if (unsampled_ && !session_.options.branches)
    add("instructions of a CoreSight trace cannot be sampled by time",
        "sample every 1,000th instruction: --itrace=i1000i");
  if (session_.facts.skipped != 0)
    add(fmt::format("decoding traces of {} is not supported", counted(session_.facts.skipped, "ETMv3 or PTM unit")),
        "");
  if (const auto& refused = session_.decoders.refused()) add(refused->message, refused->hint);
  if (session_.damaged != 0)
    add(fmt::format("{} damaged; decoded up to the damage",
                    counted(session_.damaged, "part of the CoreSight trace is", "parts of the CoreSight trace are")),
        "");
  if (session_.unread_bytes != 0)
    add(fmt::format("{} of the CoreSight trace could not be read", counted(session_.unread_bytes, "byte")),
        "the file is truncated");
  return notes;
}

}  // namespace

Result<std::unique_ptr<TraceDecoder>> make_coresight_decoder(const TraceSources& sources) {
  auto facts = CoreSightFacts::of(sources.traces);
  if (!facts)
    return fail(ErrorKind::Malformed, "{}: AUXTRACE_INFO does not describe CoreSight trace units",
                sources.reader.path());
  PEREGRINE_TRY(facts->read_records(sources.reader));
  const auto traced = traced_event(sources, facts->pmu_type);
  if (!traced) return std::unexpected(traced.error());
  return std::make_unique<CoreSightDecoder>(sources, std::move(*facts), *traced);
}

}  // namespace peregrine
