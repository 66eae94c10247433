// RecordingOutput: the perf.data of a recording in progress: events and ids written, records appended, and at the end
// the build-id pass and the features. It takes the place of the recording before it in take_place()
// (recording_place.h); destroyed before that, it leaves nothing.
//
// With `ring_files` or `kernel_copy` it is a directory: PATH/data is the perf.data file, PATH/data.N has the records of
// ring N. drain()
// of different rings may then run in different threads; everything else is for one.
#pragma once
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "capture/sampling/recorder.h"
#include "data/writer/writer.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/recording/output/disk_sync.h"
#include "pipeline/recording/output/host_features.h"
#include "pipeline/recording/place/recording_place.h"
#include "sys/root.h"

namespace peregrine {

// When a recording reaches the disk, and not only the kernel's memory.
enum class DiskSyncing : u8 {
  Never,        // when the kernel sees fit
  AtEnd,        // complete, before record ends
  EverySecond,  // what was recorded so far, too
};

struct OutputOptions {
  std::string path = "perf.data";  // "-": a pipe on standard output
  int pipe_fd = -1;                // or on this one, which is borrowed
  int compression_level = 0;
  std::size_t write_blocks = 0;  // --aio
  std::size_t ring_files = 0;    // --threads: as many data.N, else 0
  bool kernel_copy = false;      // --kcore: into kcore_dir
  bool sample_times = false;     // --timestamp-boundary: look for them even without build-ids
  bool build_ids = true, all_build_ids = false;
  std::string build_id_cache;  // "": none
  FetchDebug fetch_debug;      // --debuginfod
  DiskSyncing disk_sync = DiskSyncing::AtEnd;
  HostFeatureRequest host;
  bool directory() const { return ring_files > 0 || kernel_copy; }
};

class RecordingOutput {
 public:
  // Writes everything that comes before the first record, beside PATH.
  static Result<RecordingOutput> create(const Root& root, OutputOptions options, const EventList& events,
                                        const Recorder& recorder, EventSources& sources);
  // The same events with what has become known of them since create(): where breakpoints are.
  Result<> settle_events(const EventList& events, const Recorder& recorder);
  // The recording has begun: it gets its name, and the one before becomes PATH.old.
  Result<> take_place();
  bool is_pipe() const { return options_.path == "-"; }
  // The file or folder can be renamed: it is no pipe and no device.
  bool has_name() const { return place_ && place_->has_name(); }
  // nullptr: a pipe.
  const OutputPlace* place() const { return place_ ? &place_->place() : nullptr; }
  data::Writer& writer() { return writer_; }
  const data::Evlist& evlist() const { return evlist_; }

  // Appends what the ring holds, counts it and gives it back to the kernel. False when it was empty.
  Result<bool> drain(std::size_t index, Ring& ring);
  // The records of one ring so far reach its file. For directories only.
  Result<> flush(std::size_t index) { return ring_files_[index].checkpoint(); }
  u64 ring_file_size(std::size_t index) const { return ring_files_[index].data_size(); }
  // Bytes of records in all files. Not while other threads drain.
  u64 data_size() const;
  // Records given, and what compression made of them, in all files.
  data::WriteAccount account() const;
  // What was written so far is on its way to the disk, if that is wanted while recording.
  void request_sync() {
    if (disk_sync_) disk_sync_->request();
  }
  // After take_place(): the build-id pass and the features; then the file is complete. Problems that do not matter to
  // the file are appended.
  Result<> finish(std::vector<std::string>& warnings);
  // After finish(): whose user code the file has samples of; nothing when the file was not looked through.
  const std::optional<std::set<u32>>& sampled_processes() const { return sampled_processes_; }

 private:
  RecordingOutput(Root root, OutputOptions options, std::optional<RecordingPlace> place, data::Writer writer)
      : root_(std::move(root)), options_(std::move(options)), place_(std::move(place)), writer_(std::move(writer)) {}
  Result<> create_ring_files();
  std::vector<int> files() const;
  Result<> sync() const;
  Result<data::Reader> reopen() const;
  Result<> add_build_ids(std::vector<std::string>& warnings);

  Root root_;
  OutputOptions options_;
  std::optional<RecordingPlace> place_;  // unset: a pipe
  data::Writer writer_;
  std::vector<data::Writer> ring_files_;
  std::vector<Fd> kernel_copy_;  // the files of kcore_dir, then the folder: open until they are on the disk
  data::Evlist evlist_;
  data::Features features_;
  std::optional<std::set<u32>> sampled_processes_;
  std::unique_ptr<DiskSync> disk_sync_;  // DiskSyncing::EverySecond, after take_place()
};

}  // namespace peregrine
