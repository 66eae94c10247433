// RecordingOutput: the perf.data of a recording in progress: old file put aside, events and ids written, records
// appended, and at the end the build-id pass and the features.
#pragma once
#include <string>
#include <vector>

#include "capture/recorder.h"
#include "data/writer.h"
#include "event/source.h"
#include "event/spec.h"
#include "pipeline/recording/host_features.h"
#include "sys/root.h"

namespace peregrine {

struct OutputOptions {
  std::string path = "perf.data";  // "-": a pipe on standard output
  int compression_level = 0;
  bool build_ids = true, all_build_ids = false;
  std::string build_id_cache;  // "": none
  HostFeatureRequest host;
};

class RecordingOutput {
 public:
  // Writes everything that comes before the first record. A file that is there and not empty becomes PATH.old.
  static Result<RecordingOutput> create(const Root& root, OutputOptions options, const EventList& events,
                                        const Recorder& recorder, EventSources& sources);
  bool is_pipe() const { return options_.path == "-"; }
  data::Writer& writer() { return writer_; }

  // Appends what the ring holds, counts it and gives it back to the kernel. False when it was empty.
  Result<bool> drain(Ring& ring);
  // Nothing was recorded: the file goes, and the old one comes back.
  void discard();
  // The build-id pass and the features; then the file is complete. Problems that do not matter to the file are
  // appended.
  Result<> finish(std::vector<std::string>& warnings);

 private:
  RecordingOutput(Root root, OutputOptions options, data::Writer writer)
      : root_(std::move(root)), options_(std::move(options)), writer_(std::move(writer)) {}
  void add_events(const EventList& events, const Recorder& recorder);
  Result<> add_build_ids(std::vector<std::string>& warnings);

  Root root_;
  OutputOptions options_;
  data::Writer writer_;
  data::Evlist evlist_;
  data::Features features_;
  bool old_put_aside_ = false;
};

}  // namespace peregrine
