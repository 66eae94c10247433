// CtfTraceWriter: writes a recording as a CTF trace folder (Common Trace Format) for babeltrace2, Trace Compass, and
// LTTng's viewers: `metadata`, and `perf_stream_N` per CPU.
//
// For a replay with one worker. Streams are written during the replay (ctf_stream.h), the metadata at the end, since a
// pipe announces events late. Records without a CPU go to CPU 0. Names, order and numbers of fields are those of
// linux-perf's `data convert --to-ctf`.
#pragma once
#include <bitset>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "data/reader/reader.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "output/ctf/ctf_event.h"
#include "output/ctf/ctf_stream.h"
#include "output/ctf/tsdl.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class CtfTraceWriter : public ReplaySink {
 public:
  struct Options {
    std::string prefix;  // prefix of each path: "FOLDER/" or "FOLDER/PREFIX"; the folder exists
    CtfUuid uuid{}, clock_uuid{};
    CtfClock clock;
    bool all = false;                                 // include side-band
    std::function<std::vector<std::string>()> names;  // of the events known so far
  };
  // `reader` must outlive this.
  CtfTraceWriter(const data::Reader& reader, Options options) : reader_(reader), options_(std::move(options)) {}

  // Records that the replay must show.
  std::bitset<128> shown() const;

  void begin_batch() override;
  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  void side_band(const ReplaySideBand& record, Resolver& resolver, unsigned worker) override;
  bool end_batch() override;

  // Writes the rest of the streams and the metadata. Errors: write errors; Malformed, the recording's formats are
  // invalid, so the trace has its tracepoints as raw data.
  Result<> finish();

  u64 samples() const { return samples_; }
  u64 others() const { return others_; }
  u64 bytes() const { return bytes_; }  // of the input records
  u64 moved() const;                    // records out of order: CtfStream::moved()

 private:
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
  u32 side_band_id_ = 0;  // first of their classes
  std::map<u32, CtfStream> streams_;
  CtfStream* last_stream_ = nullptr;
  u32 last_cpu_ = 0;
  u64 samples_ = 0, others_ = 0, bytes_ = 0;
  std::optional<Error> error_;  // of the formats
};

}  // namespace peregrine
