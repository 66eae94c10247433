// RecordingOutput: the perf.data of a recording in progress: writes events and ids, appends records, and finally the
// build-id pass and features. take_place() makes it replace the previous recording (recording_place.h); if destroyed
// before, it leaves nothing behind.
//
// With FileContents::ring_files or FileRequest::kernel_copy it is a directory: PATH/data is the perf.data file,
// PATH/data.N has the records of ring N. Different threads may then drain() different rings; everything else is
// single-threaded.
#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/file/output_place.h"
#include "base/result.h"
#include "base/types.h"
#include "capture/sampling/recorder.h"
#include "data/feature/features.h"
#include "data/header/evlist.h"
#include "data/reader/reader.h"
#include "data/writer/writer.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/recording/output/disk_sync.h"
#include "pipeline/recording/output/host_features.h"
#include "pipeline/recording/place/recording_place.h"
#include "sys/root.h"

namespace peregrine {

// When to flush a recording to disk.
enum class DiskSyncing : u8 {
  Never,        // leave it to the kernel
  AtEnd,        // before record exits
  EverySecond,  // also while recording
};

// Which build-ids to look up when a recording ends, and where to keep the files.
struct BuildIdRequest {
  std::optional<bool> skip;  // -B; unset: only while the output is switched
  bool all = false;          // --buildid-all: also of files without samples
  std::string cache;         // folder; "" with -N
};

// The file of a recording: a perf.data file, a folder of such files, or a pipe.
struct FileRequest {
  std::string path = "perf.data";  // "-": a pipe on standard output
  int pipe_fd = -1;                // or this descriptor, which is borrowed
  int compression_level = 0;       // -z; levels above kMaxCompressionLevel are reduced to it
  int write_blocks = 0;            // --aio: blocks in flight, at most kMaxWriteBlocks of which are used
  bool kernel_copy = false;        // --kcore: into kcore_dir; makes a folder
  bool sample_times = false;       // --timestamp-boundary: determine times even without build-ids
  DiskSyncing disk_sync = DiskSyncing::AtEnd;
  BuildIdRequest build_ids;
  std::string version;                    // of this program
  std::vector<std::string> command_line;  // of the whole program
};

inline constexpr int kMaxCompressionLevel = 22;
inline constexpr int kMaxWriteBlocks = 4;

// What the other parts of a recording require of its file.
struct FileContents {
  std::size_t ring_files = 0;  // --threads: number of data.N files; makes a folder
  bool build_ids = true;       // looks up build-ids
  std::optional<int> clockid;  // clock of the samples' times
  FetchDebug fetch_debug;      // --debuginfod: for the files in the build-id cache
};

class RecordingOutput {
 public:
  // Writes everything before the first record, next to PATH.
  static Result<RecordingOutput> create(const Root& root, const FileRequest& file, FileContents contents,
                                        const EventList& events, const Recorder& recorder, EventSources& sources);
  // Updates the events with data that became known since create(): addresses of breakpoints.
  Result<> settle_events(const EventList& events, const Recorder& recorder);
  // Call once the recording has begun: gives it its name, and renames the previous one to PATH.old.
  Result<> take_place();
  bool is_pipe() const { return file_.path == "-"; }
  // Whether it can be renamed: it is not a pipe or device.
  bool has_name() const { return place_ && place_->has_name(); }
  // nullptr for a pipe.
  const OutputPlace* place() const { return place_ ? &place_->place() : nullptr; }
  data::Writer& writer() { return writer_; }
  const data::Evlist& evlist() const { return evlist_; }

  // Appends the ring's contents, counts them and returns the space to the kernel. False if it was empty.
  Result<bool> drain(std::size_t index, Ring& ring);
  // Flushes one ring's records to its file. For directories only.
  Result<> flush(std::size_t index) { return ring_files_[index].checkpoint(); }
  u64 ring_file_size(std::size_t index) const { return ring_files_[index].data_size(); }
  // Bytes of records in all files. Do not call while other threads drain.
  u64 data_size() const;
  // Record bytes before and after compression, in all files.
  data::WriteAccount account() const;
  // Starts flushing to disk, if the recording requests it.
  void request_sync() {
    if (disk_sync_) disk_sync_->request();
  }
  // Call after take_place(): runs the build-id pass and writes the features, which completes the file. Appends problems
  // that do not affect the file.
  Result<> finish(std::vector<std::string>& warnings);
  // After finish(): processes with user code samples; nothing if the file was not scanned.
  const std::optional<std::set<u32>>& sampled_processes() const { return sampled_processes_; }

 private:
  RecordingOutput(Root root, FileRequest file, FileContents contents, std::optional<RecordingPlace> place,
                  data::Writer writer)
      : root_(std::move(root)),
        file_(std::move(file)),
        contents_(std::move(contents)),
        place_(std::move(place)),
        writer_(std::move(writer)) {}
  Result<> create_ring_files();
  std::vector<int> files() const;
  bool is_folder() const { return contents_.ring_files > 0 || file_.kernel_copy; }
  HostFeatureRequest host_request() const;
  Result<> sync() const;
  Result<data::Reader> reopen() const;
  Result<> add_build_ids(std::vector<std::string>& warnings);

  Root root_;
  FileRequest file_;
  FileContents contents_;
  std::optional<RecordingPlace> place_;  // empty for a pipe
  data::Writer writer_;
  std::vector<data::Writer> ring_files_;
  std::vector<Fd> kernel_copy_;  // the files of kcore_dir, then the folder; open until synced
  data::Evlist evlist_;
  data::Features features_;
  std::optional<std::set<u32>> sampled_processes_;
  std::unique_ptr<DiskSync> disk_sync_;  // DiskSyncing::EverySecond, after take_place()
};

}  // namespace peregrine
