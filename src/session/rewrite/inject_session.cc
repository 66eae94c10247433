#include "session/rewrite/inject_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <expected>
#include <utility>

#include "base/build_id.h"
#include "base/fd.h"
#include "base/judged_file.h"
#include "base/number/parse_number.h"
#include "base/number/real_number.h"
#include "base/text/trim.h"
#include "base/text/words.h"
#include "base/types.h"
#include "data/feature/features.h"
#include "data/reader/reader.h"
#include "data/reader/recording_file.h"
#include "data/writer/copy_writer.h"
#include "output/text/format/printable.h"
#include "pipeline/decode/decoding.h"
#include "pipeline/decode/trace/recorded_traces.h"
#include "pipeline/decode/trace_decoder.h"
#include "pipeline/recording/place/recording_entry.h"
#include "pipeline/recording/place/recording_place.h"
#include "pipeline/rewrite/build_id_injection.h"
#include "session/recording/trace_choice.h"
#include "sys/root.h"

namespace peregrine {

namespace {

// Where the finished copy goes; no value: standard output.
Result<std::optional<RecordingPlace>> claim_copy(const std::string& path) {
  if (path == "-") return std::optional<RecordingPlace>();
  auto place = RecordingPlace::claim(path, RecordingPlace::Shape::File);
  if (!place) return std::unexpected(std::move(place.error()));
  return std::optional<RecordingPlace>(std::move(*place));
}

Result<data::CopyWriter> open_copy(const std::string& path, const std::optional<RecordingPlace>& place) {
  if (place) {
    auto file = place->file();
    if (!file) return std::unexpected(std::move(file.error()));
    struct stat status{};
    if (::fstat(file->get(), &status) != 0) return fail_errno(path);
    return data::CopyWriter(std::move(*file), path, !S_ISREG(status.st_mode));
  }
  Fd out(::dup(STDOUT_FILENO));
  if (!out) return fail_errno("standard output");
  return data::CopyWriter(std::move(out), "standard output", true);
}

Result<RewriteSummary> decode_into(const InjectDecoding& request, OpenedRecording& recording, data::CopyWriter writer,
                                   SessionListener& listener) {
  PEREGRINE_TRY(spool_piped_traces(recording, request.symbols.temporary_folder, listener));
  auto traces = find_traces(recording);
  if (!traces) return std::unexpected(std::move(traces.error()));
  if (traces->pieces.empty()) return fail(ErrorKind::Unsupported, "{}: no hardware trace to decode", recording.path());
  DecodeOptions decoding{.itrace = request.itrace, .places = symbol_places(request.symbols, recording, listener)};
  auto decoded = decode_traces(recording, *traces, std::move(writer), decoding);
  if (!decoded) return std::unexpected(std::move(decoded.error()));
  for (const TraceNote& note : decoded->warnings) listener.warning(note.text, note.hint);
  return RewriteSummary{.injected = {}, .notes = std::move(decoded->notes)};
}

// The file that was opened and checked. Its path may lead to a different file by now.
Result<Fd> open_for_writing(const data::RecordingFile& judged) {
  Fd file(::open(judged.name.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return fail_errno(judged.name);
  if (!is_same(status, judged.status) || judged.folder)
    return fail(ErrorKind::Unsupported, "{}: the file was replaced in the meantime", judged.name);
  return file;
}

// Devices and pipes can be read and written at the same time.
bool are_same_recording(const std::string& one, const std::string& other) {
  struct stat first{}, second{};
  return ::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0 && is_same(first, second) &&
         (S_ISREG(first.st_mode) || S_ISDIR(first.st_mode));
}

}  // namespace

Result<std::vector<KnownBuildId>> read_known_build_ids(const std::string& source) {
  constexpr std::string_view kFile = "file://";
  constexpr std::size_t kLimit = std::size_t{64} << 20;
  std::string text = source;
  const bool file = source.starts_with(kFile);
  if (file) {
    auto read = read_regular_file(source.substr(kFile.size()), kLimit);
    if (!read) return std::unexpected(std::move(read.error()));
    text = std::move(*read);
  }
  std::vector<KnownBuildId> known;
  for (const std::string& pair : split_words(text, file ? '\n' : ',')) {
    const std::string_view trimmed = trim(pair);
    if (trimmed.empty()) continue;
    const auto space = trimmed.find(' ');
    const auto id = BuildId::parse(trimmed.substr(0, space));
    if (!id || space == trimmed.npos) {
      return std::unexpected(Error{ErrorKind::Usage, "Couldn't parse known build ids.",
                                   fmt::format("expected a build-id, a space and a path, found '{}'", trimmed)});
    }
    known.push_back({*id, std::string(trim(trimmed.substr(space)))});
  }
  return known;
}

Result<GuestData> parse_guest_data(std::string_view text) {
  const std::vector<std::string> parts = split_words(text, ',');
  const auto invalid = [](std::string_view what) {
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("--guest-data: {}", what)}.with_hint("expected PATH,PID[,OFFSET[,SCALE]]"));
  };
  if (parts.size() < 2 || parts.size() > 4 || parts[0].empty()) return invalid("missing path or pid");
  const auto pid = to_number(parts[1]);
  if (!pid || *pid == 0 || *pid > ~u32{0}) return invalid(fmt::format("invalid pid '{}'", parts[1]));
  const auto offset = parts.size() > 2 ? to_number(parts[2]) : u64{0};
  if (!offset) return invalid(fmt::format("invalid time offset '{}'", parts[2]));
  const auto scale = parts.size() > 3 ? parse_real(parts[3]) : 1.0;
  if (!scale || !(*scale > 0)) return invalid(fmt::format("invalid time scale '{}'", parts[3]));
  return GuestData{.path = parts[0],
                   .options = {.pid = static_cast<u32>(*pid), .time_offset = *offset, .time_scale = *scale}};
}

Result<> check_copy_place(const std::string& output, const std::string& input, const std::string& guest) {
  if (output == "-") return {};
  if (are_same_recording(input == "-" ? "/dev/stdin" : input, output))
    return fail(ErrorKind::Usage, "{} is both input and output", output);
  // Renames the existing output file to OUTPUT.old, replacing any earlier one.
  if (::access(output.c_str(), F_OK) == 0 && are_same_recording(input, output + ".old"))
    return std::unexpected(
        Error{ErrorKind::Usage, fmt::format("{} would be replaced by {}: it is the input", input, output)}.with_hint(
            "name another output"));
  if (!guest.empty() && are_same_recording(guest, output))
    return fail(ErrorKind::Usage, "{} is both the guest's recording and output", output);
  return {};
}

void report_rewrite(const RewriteSummary& summary, bool verbose, SessionListener& listener) {
  if (verbose) {
    for (const data::BuildIdEntry& entry : summary.injected)
      listener.verbatim(fmt::format("build id event received for {}: {} [{}]\n", printable(entry.name), entry.id.hex(),
                                    entry.id.size));
  }
  for (const std::string& note : summary.notes) listener.warning(note);
  if (!verbose) return;
  for (const std::string& detail : summary.details) listener.note(detail);
}

Result<RewriteSummary> inject_recording(const InjectRequest& request, OpenedRecording& recording,
                                        SessionListener& listener) {
  auto place = claim_copy(request.output);
  if (!place) return std::unexpected(std::move(place.error()));
  auto writer = open_copy(request.output, *place);
  if (!writer) return std::unexpected(std::move(writer.error()));
  auto summary = request.decoding ? decode_into(*request.decoding, recording, std::move(*writer), listener)
                                  : rewrite(Root(), recording, std::move(*writer), request.edits);
  if (!summary) return std::unexpected(std::move(summary.error()));
  if (*place) PEREGRINE_TRY((*place)->take());
  return summary;
}

Result<VmTimeOutcome> replace_vm_times(const std::string& path, const VmTimeOptions& options, bool force) {
  auto opened = data::open_recording_file(path, force ? TrustedOwner::Anyone : TrustedOwner::SelfOrRoot);
  if (!opened) return VmTimeOutcome{.not_opened = std::move(opened.error())};
  Fd file;
  if (!options.dry_run) {
    auto writable = open_for_writing(*opened);
    if (!writable) return std::unexpected(std::move(writable.error()));
    file = std::move(*writable);
  }
  auto reader = data::Reader::open(std::move(*opened));
  if (!reader) return VmTimeOutcome{.not_opened = std::move(reader.error())};
  auto found = correlate_vm_times(*reader, options, file.get());
  if (!found) return std::unexpected(std::move(found.error()));
  return VmTimeOutcome{.times = std::move(*found)};
}

void print_vm_times(const VmTimes& times, Sink& out, SessionListener& listener) {
  for (const std::string& error : times.errors) listener.verbatim(fmt::format("ERROR: {}\n", error));
  for (const VmTimes::Guest& guest : times.guests)
    out.format("VMCS: {:#x}  TSC Offset {:#x}\n", guest.vmcs, guest.ticks);
  for (const VmTimes::Guest& guest : times.guests)
    if (guest.is_converted && times.errors.empty())
      listener.note(fmt::format("times of VMCS {:#x} are already host times: left unchanged", guest.vmcs));
  if (times.packets == 0) listener.warning("the trace has no guest times");
}

}  // namespace peregrine
