#include "session/recording/trace_choice.h"

#include <expected>
#include <utility>

#include "data/feature/feature_rows.h"
#include "data/reader/reader.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/decode/decoded_stream.h"
#include "pipeline/decode/decoding.h"
#include "pipeline/decode/spooled_recording.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace_decoder.h"
#include "session/recording/losses.h"

namespace peregrine {

Result<> TraceChoice::take(std::string_view value, bool negated) {
  decode = !negated;
  if (negated) return {};
  auto parsed = parse_itrace(value);
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  requested = value.empty() ? std::nullopt : std::optional(*parsed);
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
  return {.requested = itrace};
}

namespace {

// As in linux-perf: all commands get the same samples of Arm SPE and CoreSight; `script` gets calls of Intel BTS.
ItraceOptions usual_without_callers(TraceType type, const ItraceOptions& usual) {
  return type == TraceType::IntelBts && !usual.instructions ? usual : default_itrace(true);
}

}  // namespace

Result<> spool_piped_traces(OpenedRecording& recording, const std::string& temporary_folder,
                            SessionListener& listener) {
  if (!needs_spooling(recording)) return {};
  auto file = make_unnamed_file(temporary_folder);
  if (!file) return std::unexpected(std::move(file.error()));
  auto spooled = spool_recording(recording, std::move(*file));
  if (!spooled) return std::unexpected(std::move(spooled.error()));
  warn_about_losses(listener, {}, recording.account());
  static_cast<data::Reader&>(recording) = std::move(*spooled);
  return {};
}

Result<> decode_recording(OpenedRecording& recording, const DecodingRequest& request, SessionListener& listener) {
  if (!request.choice.decode) return {};
  PEREGRINE_TRY(spool_piped_traces(recording, request.symbols.temporary_folder, listener));
  if (!recording.header().has(data::FeatureId::Auxtrace)) return {};
  auto traces = find_traces(recording);
  if (!traces) return std::unexpected(std::move(traces.error()));
  if (traces->pieces.empty()) return {};
  if (const auto decodable = check_decodable(*traces); !decodable) {
    listener.warning(decodable.error().message, decodable.error().hint);
    return {};
  }
  const ItraceOptions usual =
      traces->type == TraceType::IntelPt ? request.usual : usual_without_callers(traces->type, request.usual);
  DecodeOptions options{.itrace = request.choice.requested.value_or(usual),
                        .places = symbol_places(request.symbols, recording, listener),
                        .facts = traces->type != TraceType::ArmSpe};
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

void tell_decoding(OpenedRecording& recording, SessionListener& listener) {
  if (!recording.decoded) return;
  const auto& outcome = recording.decoded->finish();
  if (!outcome) return listener.warning(outcome.error().message, outcome.error().hint);
  for (const std::string& note : outcome->notes) listener.warning(note);
  for (const TraceNote& note : outcome->warnings) listener.warning(note.text, note.hint);
  warn_about_losses(listener, {}, recording.decoded->account());
}

}  // namespace peregrine
