#include "pipeline/recording/output/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <expected>
#include <span>
#include <utility>

#include "base/bytes.h"
#include "base/fd.h"
#include "base/file/output_place.h"
#include "base/file/read_failures.h"
#include "base/result.h"
#include "base/text/counted.h"
#include "base/types.h"
#include "capture/perf_event/ring_buffer.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "data/reader/recording_file.h"
#include "event/tracepoint/tracing_data.h"
#include "machine/dso/own_vdso.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/build_id/hit_dsos.h"
#include "pipeline/recording/output/kernel_copy.h"
#include "pipeline/recording/output/recorded_event.h"

namespace peregrine {
namespace {

bool is_regular(int fd) {
  struct stat64 status{};
  return ::fstat64(fd, &status) == 0 && S_ISREG(status.st_mode);
}

Result<std::optional<RecordingPlace>> claim_place(const FileRequest& file, bool folder) {
  if (file.path == "-") return std::optional<RecordingPlace>();
  using Shape = RecordingPlace::Shape;
  auto place = RecordingPlace::claim(file.path, folder ? Shape::Folder : Shape::File);
  if (!place) return std::unexpected(std::move(place.error()));
  return std::optional<RecordingPlace>(std::move(*place));
}

int compression_level(const FileRequest& file) { return std::clamp(file.compression_level, 0, kMaxCompressionLevel); }

// Creates a file in a folder that still has its draft name; errors show the final name.
Result<data::Writer> create_in(const RecordingPlace& place, const FileRequest& file, const std::string& name,
                               const data::WriterOptions& how) {
  const std::string shown = fmt::format("{}/{}", file.path, name);
  Fd fd(::openat(place.folder(), name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kPrivateMode));
  if (!fd) return fail_errno(shown);
  return data::Writer::open_fd(std::move(fd), shown, how);
}

Result<data::Writer> open_writer(const FileRequest& file, bool folder, const std::optional<RecordingPlace>& place) {
  data::WriterOptions writer;
  writer.compression_level = compression_level(file);
  writer.write_blocks = static_cast<std::size_t>(std::clamp(file.write_blocks, 0, kMaxWriteBlocks));
  if (!place) {
    writer.pipe = true;
    Fd out(::fcntl(file.pipe_fd >= 0 ? file.pipe_fd : STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!out) return fail_errno("standard output");
    return data::Writer::open_fd(std::move(out), "standard output", writer);
  }
  if (folder) return create_in(*place, file, "data", writer);
  auto opened = place->file();
  if (!opened) return std::unexpected(std::move(opened.error()));
  return data::Writer::open_fd(std::move(*opened), file.path, writer);
}

}  // namespace

Result<RecordingOutput> RecordingOutput::create(const Root& root, const FileRequest& file, FileContents contents,
                                                const EventList& events, const Recorder& recorder,
                                                EventSources& sources) {
  const bool folder = contents.ring_files > 0 || file.kernel_copy;
  auto place = claim_place(file, folder);
  if (!place) return std::unexpected(std::move(place.error()));
  auto writer = open_writer(file, folder, *place);
  if (!writer) return std::unexpected(std::move(writer.error()));
  RecordingOutput output(root, file, std::move(contents), std::move(*place), std::move(*writer));
  PEREGRINE_TRY(output.create_ring_files());
  if (file.kernel_copy) {
    auto copy = copy_kernel(root, output.place_->folder(), "kcore_dir");
    if (!copy) return std::unexpected(std::move(copy.error()));
    output.kernel_copy_ = std::move(*copy);
  }
  add_recorded_events(events, recorder.ids(), output.evlist_, output.features_);
  auto& features = output.features_;
  if (std::ranges::any_of(events, &EventSpec::is_tracepoint)) {
    auto tracing = gather_tracing_data(sources, events);
    if (!tracing) return std::unexpected(std::move(tracing.error()));
    features.tracing_data = encode_tracing_data(*tracing);
  }
  if (const int level = compression_level(file); level > 0) {
    features.compression = data::CompressionParameters{
        1, 1, static_cast<u32>(level), 0,
        static_cast<u32>(recorder.ring_bytes() + static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)))};
  }
  if (output.is_pipe()) {
    gather_host_features(root, output.host_request(), features);
    features.sample_times = data::SampleTimes{};  // still unknown, but linux-perf sends it too
  }
  PEREGRINE_TRY(output.writer_.begin(output.evlist_, features));
  return output;
}

HostFeatureRequest RecordingOutput::host_request() const {
  return {file_.version, file_.command_line, contents_.clockid, true};
}

Result<> RecordingOutput::settle_events(const EventList& events, const Recorder& recorder) {
  evlist_ = data::Evlist();
  add_recorded_events(events, recorder.ids(), evlist_, features_);
  return writer_.settle_attrs(evlist_);
}

Result<> RecordingOutput::create_ring_files() {
  if (contents_.ring_files == 0) return {};
  features_.dir_version = 1;
  data::WriterOptions writer;
  writer.records_only = true;
  writer.compression_level = compression_level(file_);
  for (std::size_t index = 0; index < contents_.ring_files; ++index) {
    auto file = create_in(*place_, file_, fmt::format("data.{}", index), writer);
    if (!file) return std::unexpected(std::move(file.error()));
    ring_files_.push_back(std::move(*file));
  }
  return {};
}

u64 RecordingOutput::data_size() const {
  u64 size = writer_.data_size();
  for (const auto& file : ring_files_) size += file.data_size();
  return size;
}

data::WriteAccount RecordingOutput::account() const {
  data::WriteAccount sum = writer_.account();
  for (const auto& file : ring_files_) {
    sum.bytes += file.account().bytes;
    sum.record_bytes += file.account().record_bytes;
    sum.compressed_bytes += file.account().compressed_bytes;
  }
  return sum;
}

Result<bool> RecordingOutput::drain(std::size_t index, Ring& ring) {
  const RingSpan span = ring.buffer.available();
  if (span.empty()) return false;
  tally_records(span, ring.tally);
  const Bytes pieces[] = {span.first, span.second};
  data::Writer& writer = ring_files_.empty() ? writer_ : ring_files_[index];
  PEREGRINE_TRY(writer.append(std::span(pieces, span.second.empty() ? 1 : 2)));
  // Only now may the kernel overwrite the bytes: append() has written or copied them.
  ring.buffer.consume(span.size());
  return true;
}

Result<> RecordingOutput::take_place() {
  if (!place_) return {};
  PEREGRINE_TRY(place_->take());
  if (file_.disk_sync != DiskSyncing::EverySecond || disk_sync_) return {};
  auto started = DiskSync::start(files(), file_.path);
  if (!started) return std::unexpected(std::move(started.error()));
  disk_sync_ = std::move(*started);
  return {};
}

std::vector<int> RecordingOutput::files() const {
  std::vector<int> files{writer_.fd()};
  for (const auto& file : ring_files_) files.push_back(file.fd());
  return files;
}

// Syncs the files before their names, so that a name never leads to missing data.
Result<> RecordingOutput::sync() const {
  if (!place_ || file_.disk_sync == DiskSyncing::Never) return {};
  std::vector<int> written = files();
  for (const Fd& file : kernel_copy_) written.push_back(file.get());
  for (const int file : written) {
    const bool failed = ::fsync(file) != 0 && errno != EINVAL && errno != EROFS;  // not on a disk
    if (failed) return fail_errno(fmt::format("{}: cannot flush the recording to disk", file_.path));
  }
  return place_->sync();
}

// Opens the recording through its own descriptors, since the path may lead elsewhere by now.
Result<data::Reader> RecordingOutput::reopen() const {
  data::RecordingFile recording{.name = file_.path, .main = {}, .status = {}, .folder = is_folder()};
  std::vector<Fd> copies;
  for (const int file : files()) {
    copies.emplace_back(::fcntl(file, F_DUPFD_CLOEXEC, 3));
    if (!copies.back()) return fail_errno(file_.path);
  }
  recording.main = std::move(copies.front());
  if (::fstat(recording.main.get(), &recording.status) != 0) return fail_errno(file_.path);
  copies.erase(copies.begin());
  recording.further = std::move(copies);
  return data::Reader::open(std::move(recording));
}

Result<> RecordingOutput::add_build_ids(std::vector<std::string>& warnings) {
  features_.sample_times = data::SampleTimes{};
  if ((!contents_.build_ids && !file_.sample_times) || !is_regular(writer_.fd())) return {};
  PEREGRINE_TRY(writer_.checkpoint());
  auto reader = reopen();
  if (!reader) return std::unexpected(std::move(reader.error()));
  auto summary = find_hit_dsos(*reader);
  if (!summary) return std::unexpected(std::move(summary.error()));
  features_.sample_times = data::SampleTimes{summary->first_time, summary->last_time};
  sampled_processes_ = std::move(summary->processes);
  if (!contents_.build_ids) return {};
  // The vdso has no file that could be found later, so it is always kept, as in linux-perf.
  std::erase_if(summary->dsos,
                [&](const HitDso& dso) { return !dso.hit && !file_.build_ids.all && !is_vdso_name(dso.name); });
  ReadFailures failures;
  const auto found = read_build_ids(root_, summary->dsos, &failures);
  for (const ReadFailure& one : failures.list())
    warnings.push_back(
        fmt::format("cannot read '{}': {}; its build-id is missing", one.path, std::strerror(one.error)));
  const std::size_t failed = add_to_build_id_cache(root_, file_.build_ids.cache, found, contents_.fetch_debug);
  if (failed > 0)
    warnings.push_back(fmt::format("cannot add {} to {}", counted(failed, "file"), file_.build_ids.cache));
  std::vector<data::BuildIdEntry> ids;
  for (const FoundBuildId& one : found) ids.push_back(one.entry);
  if (!ids.empty()) features_.build_ids = std::move(ids);
  return {};
}

Result<> RecordingOutput::finish(std::vector<std::string>& warnings) {
  for (auto& file : ring_files_) PEREGRINE_TRY(file.finish({}));
  if (!is_pipe()) {
    gather_host_features(root_, host_request(), features_);
    if (auto added = add_build_ids(warnings); !added) warnings.push_back("build-ids: " + added.error().message);
  }
  if (features_.compression) {
    const auto account = this->account();
    if (account.compressed_bytes != 0) {
      features_.compression->ratio = static_cast<u32>(account.record_bytes / account.compressed_bytes);
    }
  }
  PEREGRINE_TRY(writer_.finish(features_));
  if (disk_sync_) {
    auto synced = disk_sync_->finish();
    disk_sync_.reset();
    if (!synced) return synced;
  }
  if (place_ && place_->has_name() && !place_->is_in_place())
    warnings.push_back(
        fmt::format("'{}' was moved, replaced or removed during the recording and no longer contains it", file_.path));
  return sync();
}

}  // namespace peregrine
