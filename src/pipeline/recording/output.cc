#include "pipeline/recording/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "data/reader.h"
#include "event/tracing_data.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/build_id/hit_dsos.h"
#include "pipeline/recording/kernel_copy.h"
#include "pipeline/recording/recorded_event.h"

namespace peregrine {
namespace {

bool is_regular(const std::string& path) {
  struct stat64 status{};
  return ::stat64(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<data::Writer> open_writer(const OutputOptions& options) {
  data::WriterOptions writer;
  writer.compression_level = options.compression_level;
  writer.write_blocks = options.write_blocks;
  if (options.path == "-") {
    writer.pipe = true;
    Fd out(::fcntl(options.pipe_fd >= 0 ? options.pipe_fd : STDOUT_FILENO, F_DUPFD_CLOEXEC, 0));
    if (!out) return fail_errno("standard output");
    return data::Writer::open_fd(std::move(out), "standard output", writer);
  }
  if (!options.directory()) return data::Writer::create(options.path, writer);
  if (::mkdir(options.path.c_str(), 0700) != 0 && errno != EEXIST) return fail_errno(options.path);
  return data::Writer::create(options.path + "/data", writer);
}

}  // namespace

Result<bool> put_aside(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  const bool file = std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) > 0;
  if (!file && !std::filesystem::is_directory(status)) return false;
  const std::string old = path + ".old";
  std::filesystem::remove_all(old, error);
  if (::rename(path.c_str(), old.c_str()) != 0) return fail_errno(fmt::format("Can't remove old data: {}", old));
  return true;
}

void take_back(const std::string& path, bool old_put_aside) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status)) return;
  std::filesystem::remove_all(path, error);
  if (old_put_aside) std::filesystem::rename(path + ".old", path, error);
}

Result<RecordingOutput> RecordingOutput::create(const Root& root, OutputOptions options, const EventList& events,
                                                const Recorder& recorder, EventSources& sources) {
  bool old_put_aside = false;
  if (options.path != "-") {
    auto put = put_aside(options.path);
    if (!put) return std::unexpected(std::move(put.error()));
    old_put_aside = *put;
  }
  auto writer = open_writer(options);
  if (!writer) return std::unexpected(std::move(writer.error()));
  RecordingOutput output(root, std::move(options), std::move(*writer));
  output.old_put_aside_ = old_put_aside;
  PEREGRINE_TRY(output.create_ring_files());
  if (output.options_.kernel_copy) PEREGRINE_TRY(copy_kernel(root, output.options_.path + "/kcore_dir"));
  add_recorded_events(events, recorder.ids(), output.evlist_, output.features_);
  auto& features = output.features_;
  if (std::ranges::any_of(events, &EventSpec::is_tracepoint)) {
    auto tracing = gather_tracing_data(sources, events);
    if (!tracing) return std::unexpected(std::move(tracing.error()));
    features.tracing_data = encode_tracing_data(*tracing);
  }
  if (output.options_.compression_level > 0) {
    features.compression = data::CompressionParameters{
        1, 1, static_cast<u32>(output.options_.compression_level), 0,
        static_cast<u32>(recorder.ring_bytes() + static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)))};
  }
  if (output.is_pipe()) gather_host_features(root, output.options_.host, features);
  PEREGRINE_TRY(output.writer_.begin(output.evlist_, features));
  return output;
}

Result<> RecordingOutput::settle_events(const EventList& events, const Recorder& recorder) {
  evlist_ = data::Evlist();
  add_recorded_events(events, recorder.ids(), evlist_, features_);
  return writer_.settle_attrs(evlist_);
}

Result<> RecordingOutput::create_ring_files() {
  if (options_.ring_files == 0) return {};
  features_.dir_version = 1;
  data::WriterOptions writer;
  writer.records_only = true;
  writer.compression_level = options_.compression_level;
  for (std::size_t index = 0; index < options_.ring_files; ++index) {
    auto file = data::Writer::create(fmt::format("{}/data.{}", options_.path, index), writer);
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
  ring.buffer.consume(span.size());
  return true;
}

void RecordingOutput::discard() {
  if (!is_pipe() && is_regular(main_file())) take_back(options_.path, old_put_aside_);
}

Result<> RecordingOutput::add_build_ids(std::vector<std::string>& warnings) {
  features_.sample_times = data::SampleTimes{};
  if ((!options_.build_ids && !options_.sample_times) || !is_regular(main_file())) return {};
  PEREGRINE_TRY(writer_.checkpoint());
  auto reader = data::Reader::open(options_.path);
  if (!reader) return std::unexpected(std::move(reader.error()));
  auto summary = find_hit_dsos(*reader);
  if (!summary) return std::unexpected(std::move(summary.error()));
  features_.sample_times = data::SampleTimes{summary->first_time, summary->last_time};
  if (!options_.build_ids) return {};
  // The vdso has no file to come back to: linux-perf keeps it in any case.
  std::erase_if(summary->dsos,
                [&](const HitDso& dso) { return !dso.hit && !options_.all_build_ids && dso.name != "[vdso]"; });
  const auto found = read_build_ids(root_, summary->dsos);
  const std::size_t failed = add_to_build_id_cache(root_, options_.build_id_cache, found, options_.fetch_debug);
  if (failed > 0) warnings.push_back(fmt::format("{} files could not be added to {}", failed, options_.build_id_cache));
  std::vector<data::BuildIdEntry> ids;
  for (const FoundBuildId& one : found) ids.push_back(one.entry);
  if (!ids.empty()) features_.build_ids = std::move(ids);
  return {};
}

Result<> RecordingOutput::finish(std::vector<std::string>& warnings) {
  for (auto& file : ring_files_) PEREGRINE_TRY(file.finish({}));
  if (!is_pipe()) {
    gather_host_features(root_, options_.host, features_);
    if (auto added = add_build_ids(warnings); !added) warnings.push_back("build-ids: " + added.error().message);
  }
  if (features_.compression) {
    const auto account = this->account();
    if (account.compressed_bytes != 0) {
      features_.compression->ratio = static_cast<u32>(account.record_bytes / account.compressed_bytes);
    }
  }
  return writer_.finish(features_);
}

}  // namespace peregrine
