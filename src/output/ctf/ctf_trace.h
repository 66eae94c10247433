// CtfTraceWriter: a recording as a folder that readers of the Common Trace Format open: babeltrace2, Trace Compass,
// trace viewers of LTTng. It holds `metadata` and, for each CPU, `perf_stream_N`.
//
// For a replay of one worker. Streams are written while the replay runs (ctf_stream.h), the metadata at its end: a pipe
// tells of its events as it goes. Records without a CPU are of CPU 0. Names, order and numbers of fields are those of
// linux-perf's `data convert --to-ctf`.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "output/ctf/ctf_event.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class CtfTraceWriter : public ReplaySink {
 public:
  struct Options {
    std::string prefix;  // of each file's path: "FOLDER/" or "FOLDER/PREFIX"; the folder exists
    CtfUuid uuid{}, clock_uuid{};
    CtfClock clock;
    bool all = false;                                 // side-band, too
    std::function<std::vector<std::string>()> names;  // of the events that the recording has by now
  };
  // `reader` outlives this.
  CtfTraceWriter(const data::Reader& reader, Options options) : reader_(reader), options_(std::move(options)) {}

  // What the replay has to show to it.
  std::bitset<128> shown() const;

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  bool end_batch() override;

  // Writes what is left of the streams, and the metadata. Errors: what could not be written; Malformed, the recording's
  // formats, whose tracepoints are in the trace as raw data.
  Result<> finish();

  u64 samples() const { return samples_; }
  u64 others() const { return others_; }
  u64 bytes() const { return bytes_; }  // of the records that went in
  u64 moved() const;                    // records that stand behind later ones: CtfStream::moved()

 private:
  // Larger numbers are of no CPU: the kernel has no more.
  static constexpr u32 kCpus = 8192;

  const CtfSamplePlan& plan(u32 event);
  CtfStream& stream(u32 cpu);
  CtfTrace metadata() const;

  const data::Reader& reader_;
  Options options_;
  TraceFormats formats_;
  bool formats_known_ = false, begun_ = false;
  std::vector<std::string> names_;
  std::vector<std::optional<CtfSamplePlan>> plans_;  // by event
  std::vector<CtfEventClass> classes_;
  u32 side_band_id_ = 0;  // of the first of their classes
  std::map<u32, CtfStream> streams_;
  CtfStream* last_stream_ = nullptr;
  u32 last_cpu_ = 0;
  u64 samples_ = 0, others_ = 0, bytes_ = 0;
  std::optional<Error> error_;  // of the formats
};

}  // namespace peregrine
