#include "base/bytes.h"
#include "data/feature/codec.h"
#include "data/feature/features.h"

namespace peregrine::data {

// SAMPLE_TIME: u64 time of the first sample, u64 of the last, in ns.
bool decode_sample_time(ByteReader& in, Features& features) {
  SampleTimes times;
  times.first = in.get64();
  times.last = in.get64();
  if (in.ok()) features.sample_times = times;
  return in.ok();
}

bool encode_sample_time(const Features& features, ByteWriter& out) {
  if (!features.sample_times) return false;
  out.put64(features.sample_times->first).put64(features.sample_times->last);
  return true;
}

}  // namespace peregrine::data
