// RecordingOutput: the perf.data of a recording in progress: old file put aside, events and ids written, records
// appended, and at the end the build-id pass and the features.
//
// With `ring_files` or `kernel_copy` it is a directory: PATH/data is the perf.data file, PATH/data.N has the records of
// ring N. drain()
// of different rings may then run in different threads; everything else is for one.
#pragma once
#include <string>
#include <vector>

#include "capture/recorder.h"
#include "data/writer.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/build_id/build_id_store.h"
#include "pipeline/recording/host_features.h"
#include "sys/root.h"

namespace peregrine {

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
  HostFeatureRequest host;
  bool directory() const { return ring_files > 0 || kernel_copy; }
};

// perf.data → perf.data.old, when there is something worth keeping. Whether there was.
Result<bool> put_aside(const std::string& path);
// Takes back the file or folder that was written, and puts the old one into its place.
void take_back(const std::string& path, bool old_put_aside);

class RecordingOutput {
 public:
  // Writes everything that comes before the first record. A file that is there and not empty becomes PATH.old.
  static Result<RecordingOutput> create(const Root& root, OutputOptions options, const EventList& events,
                                        const Recorder& recorder, EventSources& sources);
  // The same events with what has become known of them since create(): where breakpoints are.
  Result<> settle_events(const EventList& events, const Recorder& recorder);
  bool is_pipe() const { return options_.path == "-"; }
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
  // Nothing was recorded: the file goes, and the old one comes back.
  void discard();
  // The build-id pass and the features; then the file is complete. Problems that do not matter to the file are
  // appended.
  Result<> finish(std::vector<std::string>& warnings);

 private:
  RecordingOutput(Root root, OutputOptions options, data::Writer writer)
      : root_(std::move(root)), options_(std::move(options)), writer_(std::move(writer)) {}
  std::string main_file() const { return options_.directory() ? options_.path + "/data" : options_.path; }
  Result<> create_ring_files();
  Result<> add_build_ids(std::vector<std::string>& warnings);

  Root root_;
  OutputOptions options_;
  data::Writer writer_;
  std::vector<data::Writer> ring_files_;
  data::Evlist evlist_;
  data::Features features_;
  bool old_put_aside_ = false;
};

}  // namespace peregrine
