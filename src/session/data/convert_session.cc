#include "session/data/convert_session.h"

#include <fmt/format.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <expected>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file/output_file.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "output/text_file.h"
#include "session/recording/sample_choice.h"
#include "session/recording/trace_choice.h"

namespace peregrine {
namespace {

Result<ConvertedSamples> converted_samples(const ConvertRequest& request, OpenedRecording& recording,
                                           SessionListener& listener) {
  PEREGRINE_TRY(decode_recording(
      recording, {.choice = TraceChoice(), .usual = usual_itrace(), .symbols = request.symbols}, listener));
  auto times = choose_times(request.times, recording);
  if (!times) return std::unexpected(std::move(times.error()));
  return ConvertedSamples{
      .reader = recording, .times = std::move(*times), .places = symbol_places(request.symbols, recording, listener)};
}

void tell_conversion(std::string_view input, std::string_view kind, std::string_view place, u64 bytes,
                     std::string_view counts, SessionListener& listener) {
  listener.verbatim(fmt::format("[ perf data convert: Converted '{}' into {} data '{}' ]\n", input, kind, place));
  listener.verbatim(fmt::format("[ perf data convert: Converted and wrote {:.3f} MB ({}) ]\n",
                                static_cast<double>(bytes) / 1024.0 / 1024.0, counts));
}

// No value: write the document to standard output.
Result<std::optional<OutputFile>> create_document(const ConvertRequest& request) {
  if (request.json == "-") return std::optional<OutputFile>();
  auto opened = create_whole_file(request.json, {.existing = request.force ? Existing::Truncate : Existing::Refuse});
  if (opened) return std::optional<OutputFile>(std::move(*opened));
  if (opened.error().system_errno == EEXIST && opened.error().hint.empty())
    opened.error().hint = "--force overwrites it";
  return std::unexpected(std::move(opened.error()));
}

Result<> convert_into_json(const ConvertRequest& request, OpenedRecording& recording, Sink& standard_output,
                           SessionListener& listener) {
  auto samples = converted_samples(request, recording, listener);
  if (!samples) return std::unexpected(std::move(samples.error()));
  auto file = create_document(request);
  if (!file) return std::unexpected(std::move(file.error()));
  const int descriptor = *file ? (*file)->fd() : STDOUT_FILENO;
  Sink to_file(descriptor);
  Sink& out = *file ? to_file : standard_output;
  const auto done = convert_to_json(std::move(*samples), *file ? request.json : "", out, listener);
  if (!done) return std::unexpected(done.error());
  tell_decoding(recording, listener);
  PEREGRINE_TRY(flush_file(out, shown_path(request.json)));
  if (!done->outcome) return std::unexpected(done->outcome.error());
  const off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  if (*file) PEREGRINE_TRY((*file)->finish());
  tell_conversion(request.input, "JSON", shown_path(request.json), end < 0 ? 0 : static_cast<u64>(end),
                  fmt::format("{} samples", done->samples), listener);
  return {};
}

Result<> convert_into_ctf(const ConvertRequest& request, OpenedRecording& recording, SessionListener& listener) {
  auto samples = converted_samples(request, recording, listener);
  if (!samples) return std::unexpected(std::move(samples.error()));
  const auto done = convert_to_ctf(request.ctf, std::move(*samples), listener);
  if (!done) return std::unexpected(done.error());
  tell_decoding(recording, listener);
  if (!done->outcome) return std::unexpected(done->outcome.error());
  if (done->moved != 0)
    listener.warning(counted(done->moved, "out-of-order record got the time of its predecessor",
                             "out-of-order records got the times of their predecessors"));
  const std::string others = done->others == 0 ? "" : fmt::format(", {} non-samples", done->others);
  tell_conversion(request.input, "CTF", request.ctf.folder, done->bytes,
                  fmt::format("{} samples{}", done->samples, others), listener);
  return {};
}

}  // namespace

Result<> convert_recording(const ConvertRequest& request, OpenedRecording& recording, Sink& standard_output,
                           SessionListener& listener) {
  return request.json.empty() ? convert_into_ctf(request, recording, listener)
                              : convert_into_json(request, recording, standard_output, listener);
}

}  // namespace peregrine
