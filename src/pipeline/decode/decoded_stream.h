// DecodedStream: reads a recording with hardware traces as if the decoded samples had been recorded.
//
//   Reader ─▶ decode_traces() on a thread ─▶ pipe ─▶ Reader
//
// Nothing is written to disk, and memory is bounded however large the decoded trace is.
#pragma once
#include <atomic>
#include <memory>
#include <thread>

#include "base/fd.h"
#include "base/result.h"
#include "data/reader/reader.h"
#include "data/stream/account.h"
#include "pipeline/decode/decoding.h"
#include "pipeline/decode/trace/recorded_traces.h"

namespace peregrine {

class DecodedStream {
 public:
  // `original` must be at its start. Errors: those of check_decodable(); pipes cannot be created.
  static Result<std::unique_ptr<DecodedStream>> start(data::Reader original, RecordedTraces traces,
                                                      DecodeOptions options);
  DecodedStream(const DecodedStream&) = delete;
  DecodedStream& operator=(const DecodedStream&) = delete;
  // Ends the thread; drops its remaining output.
  ~DecodedStream();

  // The reading end; call once.
  Result<data::Reader> open();
  // Waits for the thread; call after reading to the end.
  const Result<DecodeSummary>& finish();
  // What was read of the original. Call after finish().
  const data::ReadAccount& account() const { return original_.account(); }

 private:
  DecodedStream(data::Reader original, RecordedTraces traces, DecodeOptions options);
  void run(Fd out);
  void drop_rest();

  data::Reader original_;
  RecordedTraces traces_;
  DecodeOptions options_;
  std::atomic<bool> stop_ = false;
  Fd in_, rest_;  // the reading end; a duplicate, used to drain it
  Result<DecodeSummary> outcome_;
  std::thread thread_;
};

}  // namespace peregrine
