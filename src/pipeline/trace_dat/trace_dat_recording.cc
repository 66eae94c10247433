#include "pipeline/trace_dat/trace_dat_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <array>
#include <cstddef>
#include <expected>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "base/file/content_kind.h"
#include "base/types.h"
#include "data/trace_dat/trace_dat.h"
#include "data/writer/copy_writer.h"
#include "pipeline/bundle/private_folder.h"
#include "pipeline/trace_dat/recording_header.h"
#include "pipeline/trace_dat/recording_samples.h"
#include "pipeline/trace_dat/ring_event_fields.h"
#include "pipeline/trace_dat/trace_contents.h"
#include "pipeline/trace_dat/trace_events.h"
#include "pipeline/trace_dat/unpacked_pages.h"

namespace peregrine {
namespace {

Result<bool> is_trace_dat(const Fd& file) {
  std::array<std::byte, 16> start{};
  const auto got = pread_full(file.get(), start.data(), start.size(), 0);
  if (!got) return std::unexpected(got.error());
  return content_kind(Bytes(start).first(*got)) == ContentKind::TraceDat;
}

Result<Fd> kept_symbols(std::string_view kallsyms, const std::string& temporary) {
  if (kallsyms.empty()) return Fd();
  auto file = make_unnamed_file(temporary);
  if (!file) return file;
  PEREGRINE_TRY(write_all(file->get(), kallsyms.data(), kallsyms.size()));
  return file;
}

Result<TraceDatRecording> convert(const Fd& file, const std::string& name, const std::string& temporary,
                                  UnpackBudget& budget) {
  auto trace = data::read_trace_dat(file.get());
  if (!trace) return std::unexpected(std::move(trace.error()));
  const auto pages = unpacked_pages(file.get(), *trace, temporary, budget);
  if (!pages) return std::unexpected(pages.error());
  const RingEventFields fields(trace->tracing);
  TraceEvents survey(pages->pages, *trace, fields);
  const auto contents = survey_events(survey, *trace, fields);
  if (!contents) return std::unexpected(contents.error());

  auto recording = make_unnamed_file(temporary);
  if (!recording) return std::unexpected(std::move(recording.error()));
  Fd copy(::fcntl(recording->get(), F_DUPFD_CLOEXEC, 3));
  if (!copy) return fail_errno(name);
  data::CopyWriter writer(std::move(copy), "a temporary file for events", false);
  const RecordingHeader header = recording_header(*trace, *contents);
  PEREGRINE_TRY(writer.begin(header.evlist, {}));
  PEREGRINE_TRY(writer.append(header.side_band));
  TraceEvents events(pages->pages, *trace, fields);
  PEREGRINE_TRY(write_samples(events, fields, header.evlist, budget, writer));
  PEREGRINE_TRY(write_features(header, writer));
  auto symbols = kept_symbols(trace->tracing.kallsyms, temporary);
  if (!symbols) return std::unexpected(std::move(symbols.error()));
  return TraceDatRecording{
      .recording = std::move(*recording), .kallsyms = std::move(*symbols), .damaged_pages = survey.damaged_pages()};
}

}  // namespace

Result<std::optional<TraceDatRecording>> trace_dat_recording(const Fd& file, const std::string& name,
                                                             const std::string& temporary, UnpackBudget& budget) {
  const auto is_one = is_trace_dat(file);
  if (!is_one) return std::unexpected(is_one.error());
  if (!*is_one) return std::nullopt;
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) return fail_errno(name);
  auto made = convert(file, name, temporary, budget);
  if (!made) {
    Error error = std::move(made.error());
    if (!error.message.starts_with(name + ": ")) error.message = fmt::format("{}: {}", name, error.message);
    return std::unexpected(std::move(error));
  }
  const std::array times{status.st_atim, status.st_mtim};  // keep the time of the trace
  ::futimens(made->recording.get(), times.data());
  return std::optional<TraceDatRecording>(std::move(*made));
}

}  // namespace peregrine
