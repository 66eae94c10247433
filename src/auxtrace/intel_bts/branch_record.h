// BtsRecord: one branch of an Intel BTS trace in the 64-bit format: from, to, flags (Branch Trace Store: Intel SDM
// volume 3, "BTS and DS Save Area").
#pragma once
#include <cstddef>

#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::auxtrace {

struct BtsRecord {
  static constexpr std::size_t kSize = 24;
  u64 from = 0, to = 0;  // 0: outside the traced code
  bool predicted = false;

  // A record without addresses is unused space.
  bool is_empty() const { return from == 0 && to == 0; }
};

// `bytes`: at least kSize.
BtsRecord decode_bts_record(Bytes bytes);

// How many bytes at the start of `piece` repeat the end of `before`: snapshots copy the whole buffer, part of which may
// be in the previous one. Whole records only; linear time.
std::size_t bts_overlap(Bytes before, Bytes piece);

}  // namespace peregrine::auxtrace
