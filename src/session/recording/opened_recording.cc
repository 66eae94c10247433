#include "session/recording/opened_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <expected>

#include "base/file/content_kind.h"
#include "base/judged_file.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "data/header/file_header.h"
#include "data/header/recording_magic.h"
#include "data/reader/recording_file.h"
#include "pipeline/bundle/packed_recording.h"
#include "pipeline/bundle/spooled_input.h"
#include "pipeline/bundle/tar_reader.h"
#include "pipeline/bundle/unpack_budget.h"
#include "pipeline/trace_dat/trace_dat_recording.h"

namespace peregrine {

namespace {

TrustedOwner trusted_owner(bool force) { return force ? TrustedOwner::Anyone : TrustedOwner::SelfOrRoot; }

Result<OpenedRecording> open_with_kernel(data::RecordingFile file) {
  Fd kallsyms = std::move(file.kallsyms), kcore = std::move(file.kcore);
  auto reader = data::Reader::open(std::move(file));
  if (!reader) return std::unexpected(std::move(reader.error()));
  OpenedRecording recording(std::move(*reader));
  recording.kallsyms = std::move(kallsyms);
  recording.kcore = std::move(kcore);
  return recording;
}

Result<OpenedRecording> open_inside(data::RecordingFile file, const std::string& temporary_folder) {
  const std::string path = file.name;
  auto bundle = Bundle::open(std::move(file.main), path, temporary_folder);
  if (!bundle) return std::unexpected(std::move(bundle.error()));
  if (bundle->recording().empty()) {
    return std::unexpected(
        Error{ErrorKind::Malformed, fmt::format("{}: an archive without a recording", path)}.with_hint(
            "put it next to its perf.data, as perf.data.tar.bz2"));
  }
  auto recorded = data::open_recording_file(bundle->recording(), TrustedOwner::Anyone);
  if (!recorded) return std::unexpected(std::move(recorded.error()));
  auto recording = open_with_kernel(std::move(*recorded));
  if (!recording && bundle->recording_is_cut())  // the error would name one of our files
    return fail(ErrorKind::Malformed, "{}: truncated archive within its recording", path);
  if (recording) recording->bundle = std::move(*bundle);
  return recording;
}

void warn_about_pages(u64 damaged, const std::string& name, SessionListener& listener) {
  if (damaged == 0) return;
  listener.warning(fmt::format("'{}' has {}: events after the damage are missing", name,
                               counted(damaged, "damaged ring-buffer page")));
}

// The file, or what is packed in it.
Result<OpenedRecording> open_file(data::RecordingFile file, const OpenRequest& request, SessionListener& listener) {
  if (!file.regular() || file.folder) return open_with_kernel(std::move(file));
  const std::string name = file.name;
  if (is_tar(file.main.get(), name)) return open_inside(std::move(file), request.temporary_folder);
  UnpackBudget budget(name, static_cast<u64>(file.status.st_size), request.temporary_folder);
  auto unpacked = unpack_recording(file.main, name, request.temporary_folder, budget);
  if (!unpacked) return std::unexpected(std::move(unpacked.error()));
  if (*unpacked) file.main = std::move(**unpacked);
  auto trace = trace_dat_recording(file.main, name, request.temporary_folder, budget);
  if (!trace) return std::unexpected(std::move(trace.error()));
  if (*trace) {
    file.main = std::move((*trace)->recording);
    file.kallsyms = std::move((*trace)->kallsyms);
    warn_about_pages((*trace)->damaged_pages, name, listener);
  }
  return open_with_kernel(std::move(file));
}

// Only the pipe layout of perf.data can be read without seeking.
bool needs_seeking(Bytes start) {
  if (content_kind(start) != ContentKind::Other) return true;
  if (start.size() < data::kPipeHeaderSize || !data::begins_recording(start)) return false;
  const u64 size = load<u64>(start.data() + sizeof(u64));
  return size != data::kPipeHeaderSize && std::byteswap(size) != data::kPipeHeaderSize;
}

Result<OpenedRecording> open_standard_input(const OpenRequest& request, SessionListener& listener) {
  data::RecordingFile file;
  file.name = request.path;
  file.main = Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!file.main || ::fstat(file.main.get(), &file.status) != 0) return fail_errno("standard input");
  bool is_ready = file.regular() && file.status.st_size != 0;
  if (S_ISFIFO(file.status.st_mode)) {
    const auto start = peek_pipe(file.main);
    if (!start) return std::unexpected(start.error());
    is_ready = needs_seeking(*start);
    if (is_ready) {
      auto spooled = spool_input(file.main, file.name, request.temporary_folder);
      if (!spooled) return std::unexpected(std::move(spooled.error()));
      file.main = std::move(*spooled);
      if (::fstat(file.main.get(), &file.status) != 0) return fail_errno("standard input");
    }
  }
  if (is_ready) return open_file(std::move(file), request, listener);
  auto reader = data::Reader::open(request.path);
  if (!reader) return std::unexpected(std::move(reader.error()));
  return OpenedRecording(std::move(*reader));
}

}  // namespace

Result<Bundle> open_archive(const OpenRequest& request) {
  auto file = data::open_file_beside(request.path, trusted_owner(request.force));
  if (!file) return std::unexpected(std::move(file.error()));
  return Bundle::open(std::move(*file), request.path, request.temporary_folder);
}

Result<OpenedRecording> open_recording(const OpenRequest& request, SessionListener& listener) {
  if (request.path == "-") return open_standard_input(request, listener);
  auto file = data::open_recording_file(request.path, trusted_owner(request.force));
  if (!file) return std::unexpected(std::move(file.error()));
  if (file->regular() && file->status.st_size == 0)
    return fail(ErrorKind::Malformed, "zero-sized data ({}), nothing to do!", request.path);
  return open_file(std::move(*file), request, listener);
}

}  // namespace peregrine
