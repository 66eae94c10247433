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

#include "base/file/content_kind.h"
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

void warn_about_moved(u64 moved, SessionListener& listener) {
  if (moved != 0)
    listener.warning(counted(moved, "out-of-order record got the time of its predecessor",
                             "out-of-order records got the times of their predecessors"));
}

Result<OutputFile> create_file(const std::string& path, bool force, ContentKind written = ContentKind::Other) {
  auto opened =
      create_whole_file(path, {.existing = force ? Existing::Truncate : Existing::Refuse, .written = written});
  if (!opened && opened.error().system_errno == EEXIST && opened.error().hint.empty())
    opened.error().hint = "--force overwrites it";
  return opened;
}

// No value: write the document to standard output.
Result<std::optional<OutputFile>> create_document(const ConvertRequest& request) {
  if (request.document == "-") return std::optional<OutputFile>();
  auto opened = create_file(request.document, request.force);
  if (opened) return std::optional<OutputFile>(std::move(*opened));
  return std::unexpected(std::move(opened.error()));
}

std::string_view kind_of_document(const ConvertRequest& request) {
  if (!request.timeline) return "JSON";
  return *request.timeline == TimelineFormat::Chrome ? "Chrome trace" : "Perfetto";
}

Result<> convert_into_document(const ConvertRequest& request, OpenedRecording& recording, Sink& standard_output,
                               SessionListener& listener) {
  auto samples = converted_samples(request, recording, listener);
  if (!samples) return std::unexpected(std::move(samples.error()));
  auto file = create_document(request);
  if (!file) return std::unexpected(std::move(file.error()));
  const int descriptor = *file ? (*file)->fd() : STDOUT_FILENO;
  Sink to_file(descriptor);
  Sink& out = *file ? to_file : standard_output;
  const std::string name = *file ? request.document : "";
  const auto done = request.timeline ? convert_to_timeline(*request.timeline, std::move(*samples), name, out, listener)
                                     : convert_to_json(std::move(*samples), name, out, listener);
  if (!done) return std::unexpected(done.error());
  tell_decoding(recording, listener);
  PEREGRINE_TRY(flush_file(out, shown_path(request.document)));
  if (!done->outcome) return std::unexpected(done->outcome.error());
  const off_t end = ::lseek(descriptor, 0, SEEK_CUR);
  if (*file) PEREGRINE_TRY((*file)->finish());
  tell_conversion(request.input, kind_of_document(request), shown_path(request.document),
                  end < 0 ? 0 : static_cast<u64>(end), fmt::format("{} samples", done->samples), listener);
  return {};
}

Result<> convert_into_ctf(const ConvertRequest& request, OpenedRecording& recording, SessionListener& listener) {
  auto samples = converted_samples(request, recording, listener);
  if (!samples) return std::unexpected(std::move(samples.error()));
  const auto done = convert_to_ctf(request.ctf, std::move(*samples), listener);
  if (!done) return std::unexpected(done.error());
  tell_decoding(recording, listener);
  if (!done->outcome) return std::unexpected(done->outcome.error());
  warn_about_moved(done->moved, listener);
  const std::string others = done->others == 0 ? "" : fmt::format(", {} non-samples", done->others);
  tell_conversion(request.input, "CTF", request.ctf.folder, done->bytes,
                  fmt::format("{} samples{}", done->samples, others), listener);
  return {};
}

Result<> convert_into_trace_dat(const ConvertRequest& request, OpenedRecording& recording, SessionListener& listener) {
  if (request.trace_dat.file == "-")
    return std::unexpected(
        Error{ErrorKind::Usage, "cannot write trace.dat to standard output: its beginning is written last"}.with_hint(
            "--to-trace-dat FILE writes a file"));
  auto samples = converted_samples(request, recording, listener);
  if (!samples) return std::unexpected(std::move(samples.error()));
  auto file = create_file(request.trace_dat.file, request.force, ContentKind::TraceDat);
  if (!file) return std::unexpected(std::move(file.error()));
  const auto done =
      convert_to_trace_dat(request.trace_dat, file->fd(), std::move(*samples), recording.kallsyms.get(), listener);
  if (!done) return std::unexpected(done.error());
  tell_decoding(recording, listener);
  if (!done->outcome) return std::unexpected(done->outcome.error());
  const off_t end = ::lseek(file->fd(), 0, SEEK_END);
  PEREGRINE_TRY(file->finish());
  if (done->unwritten != 0)
    listener.warning(fmt::format("left out {} of other events: trace.dat has tracepoints only",
                                 counted(done->unwritten, "sample", "samples")));
  if (done->too_large != 0)
    listener.warning(counted(done->too_large, "sample exceeds a page of the ring buffer and was left out",
                             "samples exceed a page of the ring buffer and were left out"));
  warn_about_moved(done->moved, listener);
  tell_conversion(request.input, "trace.dat", request.trace_dat.file, end < 0 ? 0 : static_cast<u64>(end),
                  fmt::format("{} samples", done->samples), listener);
  return {};
}

}  // namespace

Result<> convert_recording(const ConvertRequest& request, OpenedRecording& recording, Sink& standard_output,
                           SessionListener& listener) {
  if (!request.trace_dat.file.empty()) return convert_into_trace_dat(request, recording, listener);
  return request.document.empty() ? convert_into_ctf(request, recording, listener)
                                  : convert_into_document(request, recording, standard_output, listener);
}

}  // namespace peregrine
