#include "cmd/recording/trace_choice.h"

#include "cmd/recording/temporary_folder.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/decode/spooled_recording.h"

namespace peregrine::cmd {

Result<> TraceChoice::take(const Use& use) {
  decode = !use.negated;
  if (use.negated) return {};
  auto parsed = parse_itrace(use.value);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  asked = use.value.empty() ? std::nullopt : std::optional(*parsed);
  return {};
}

ItraceOptions usual_itrace() {
  ItraceOptions itrace = default_itrace(true);
  itrace.branches = false;
  itrace.callchain = itrace.add_callchain = true;
  return itrace;
}

TraceChoice memory_traces() {
  ItraceOptions itrace;
  itrace.memory = true;
  return {.asked = itrace};
}

namespace {

// As in linux-perf: of Arm SPE and CoreSight all commands make the same; of Intel BTS, script makes calls.
ItraceOptions usual_without_callers(TraceType type, const ItraceOptions& usual) {
  return type == TraceType::IntelBts && !usual.instructions ? usual : default_itrace(true);
}

}  // namespace

Result<> spool_piped_traces(OpenedRecording& recording, Invocation& call) {
  if (!needs_spooling(recording)) return {};
  auto file = make_unnamed_file(temporary_folder());
  if (!file) return std::unexpected(std::move(file.error()));
  auto spooled = spool_recording(recording, std::move(*file));
  if (!spooled) return std::unexpected(std::move(spooled.error()));
  warn_about_losses(call, {}, recording.account());
  static_cast<data::Reader&>(recording) = std::move(*spooled);
  return {};
}

Result<> decode_recording(OpenedRecording& recording, const TraceChoice& choice, const ItraceOptions& usual,
                          const SymbolOptions& symbols, Invocation& call) {
  if (!choice.decode) return {};
  PEREGRINE_TRY(spool_piped_traces(recording, call));
  if (!recording.header().has(data::FeatureId::Auxtrace)) return {};
  auto traces = find_traces(recording);
  if (!traces) return std::unexpected(std::move(traces.error()));
  if (traces->pieces.empty()) return {};
  if (const auto decodable = check_decodable(*traces); !decodable) {
    call.messages.warning(decodable.error().message, decodable.error().hint);
    return {};
  }
  const bool callers = traces->type == TraceType::IntelPt;
  DecodeOptions options{.itrace = choice.asked.value_or(callers ? usual : usual_without_callers(traces->type, usual)),
                        .places = {},
                        .facts = traces->type != TraceType::ArmSpe};
  options.places = symbol_places(symbols, call, recording);
  auto stream =
      DecodedStream::start(std::move(static_cast<data::Reader&>(recording)), std::move(*traces), std::move(options));
  if (!stream) return std::unexpected(std::move(stream.error()));
  auto reader = (*stream)->open();
  if (!reader) {
    const auto& outcome = (*stream)->finish();
    return std::unexpected(outcome ? std::move(reader.error()) : outcome.error());
  }
  static_cast<data::Reader&>(recording) = std::move(*reader);
  recording.decoded = std::move(*stream);
  return {};
}

void tell_decoding(OpenedRecording& recording, Invocation& call) {
  if (!recording.decoded) return;
  const auto& outcome = recording.decoded->finish();
  if (!outcome) return call.messages.warning(outcome.error().message, outcome.error().hint);
  for (const std::string& note : outcome->notes) call.messages.warning(note);
  for (const TraceNote& note : outcome->warnings) call.messages.warning(note.text, note.hint);
  warn_about_losses(call, {}, recording.decoded->account());
}

}  // namespace peregrine::cmd
