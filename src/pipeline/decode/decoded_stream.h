// DecodedStream: a recording with hardware traces, read as if the samples that they tell of had been recorded.
//
//   Reader ─▶ decode_traces() on a thread ─▶ pipe ─▶ Reader
//
// Nothing is written to a disk, and memory stays bounded however much a trace unfolds to.
#pragma once
#include <atomic>
#include <memory>
#include <thread>

#include "pipeline/decode/decoding.h"

namespace peregrine {

class DecodedStream {
 public:
  // `original` at its beginning. Errors: those of check_decodable(), a system without pipes.
  static Result<std::unique_ptr<DecodedStream>> start(data::Reader original, RecordedTraces traces,
                                                      DecodeOptions options);
  DecodedStream(const DecodedStream&) = delete;
  DecodedStream& operator=(const DecodedStream&) = delete;
  // Ends the thread; what it had still to tell is dropped.
  ~DecodedStream();

  // The other end; once.
  Result<data::Reader> open();
  // Waits for the end of the recording, which the other end has read.
  const Result<DecodeSummary>& finish();
  // What was read of the original. After finish().
  const data::ReadAccount& account() const { return original_.account(); }

 private:
  DecodedStream(data::Reader original, RecordedTraces traces, DecodeOptions options);
  void run(Fd out);
  void drop_rest();

  data::Reader original_;
  RecordedTraces traces_;
  DecodeOptions options_;
  std::atomic<bool> stop_ = false;
  Fd in_, rest_;  // the end to read from; the same, to empty it
  Result<DecodeSummary> outcome_;
  std::thread thread_;
};

}  // namespace peregrine
