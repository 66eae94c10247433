#include "pipeline/decode/arm_spe/arm_spe_decoder.h"

#include <fmt/format.h>

#include <expected>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/attr.h"
#include "auxtrace/arm_spe/samples.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "pipeline/decode/arm_spe/arm_spe_facts.h"
#include "pipeline/decode/arm_spe/arm_spe_queue.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {
namespace {

class ArmSpeDecoder final : public TraceDecoder {
 public:
  ArmSpeDecoder(const TraceSources& sources, const ArmSpeFacts& facts, u32 traced)
      : session_{.reader = sources.reader,
                 .machine = sources.machine,
                 .facts = facts,
                 .options = sources.itrace,
                 .out = sources.out} {
    per_cpu_ = facts.per_cpu;
    timeless_ = facts.timeless;
    add_events(sources, traced);
    add_queues(sources.traces, [&](std::vector<TracePiece> pieces) {
      return std::make_unique<ArmSpeQueue>(session_, std::move(pieces));
    });
  }

  std::vector<TraceNote> notes() const override;

 private:
  void add_events(const TraceSources& sources, u32 traced);

  ArmSpeSession session_;
  std::string warning_;  // options that SPE does not support
};

void ArmSpeDecoder::add_events(const TraceSources& sources, u32 traced) {
  const data::Event& recorded = sources.reader.evlist()[traced];
  SpeEvents made = spe_events(sources.itrace, recorded.attr, recorded.ids.empty() ? 0 : recorded.ids.front());
  warning_ = std::move(made.warning);
  for (SpeEvent& event : made.events) {
    if (!session_.facts.timeless) event.attr.sample_type |= abi::sample_bit::Time;
    session_.events.emplace_back(event.kind, sources.out.add_event(traced, std::string(event.name), event.attr));
  }
}

std::vector<TraceNote> ArmSpeDecoder::notes() const {
  std::vector<TraceNote> notes;
  const ArmSpeLosses& losses = session_.losses;
  const auto add = [&](std::string text, std::string hint) { notes.push_back({std::move(text), std::move(hint)}); };
  if (!warning_.empty())
    add(warning_.substr(0, warning_.size() - 1),
        "--itrace=i1i makes one sample per trace record; so does i0i, with period 0");
  if (!session_.facts.has_clock)
    add("no TIME_CONV record: times of the Arm SPE trace are unknown",
        "its samples appear where their thread exits, or at the end");
  if (per_cpu_ && !timeless_ && !session_.contexts)
    add("Arm SPE CONTEXT packets not found in the traces.",
        "threads are inferred from context switches and may be inaccurate; record as root with "
        "CONFIG_PID_IN_CONTEXTIDR");
  if (losses.bad_bytes != 0 || losses.damaged != 0)
    add(fmt::format("{} not part of a packet; {} damaged or truncated, and skipped",
                    counted(losses.bad_bytes, "byte of the Arm SPE trace is", "bytes of the Arm SPE trace are"),
                    counted(losses.damaged, "record is", "records are")),
        "`script -D` shows where");
  if (losses.unknown_packets != 0)
    add(fmt::format("{} an unknown index", counted(losses.unknown_packets, "packet of the Arm SPE trace has",
                                                   "packets of the Arm SPE trace have")),
        "`script -D` shows them");
  if (losses.unread_bytes != 0)
    add(fmt::format("{} of the Arm SPE trace could not be read", counted(losses.unread_bytes, "byte")),
        "the file is truncated");
  return notes;
}

}  // namespace

Result<std::unique_ptr<TraceDecoder>> make_arm_spe_decoder(const TraceSources& sources) {
  const auto facts = ArmSpeFacts::of(sources.reader, sources.traces);
  if (!facts) return fail(ErrorKind::Malformed, "{}: AUXTRACE_INFO is too short for Arm SPE", sources.reader.path());
  const auto traced = traced_event(sources, facts->pmu_type);
  if (!traced) return std::unexpected(traced.error());
  return std::make_unique<ArmSpeDecoder>(sources, *facts, *traced);
}

}  // namespace peregrine
