// BtsRecord: one branch in an Intel BTS trace (Branch Trace Store: Intel SDM volume 3, "BTS and DS Save Area", in its
// 64-bit format): from, to, flags.
#pragma once
#include "base/bytes.h"

namespace peregrine::auxtrace {

struct BtsRecord {
  static constexpr std::size_t kSize = 24;
  u64 from = 0, to = 0;  // 0: outside of what is traced
  bool predicted = false;

  // A trace holds nothing but user code and the kernel's: a record without addresses is unused space.
  bool is_empty() const { return from == 0 && to == 0; }
};

// `bytes`: at least kSize.
BtsRecord decode_bts_record(Bytes bytes);

// How many bytes at the start of `piece` repeat the end of `before`: snapshots copy the whole buffer, of which a part
// may have been in the last one. Whole records only; takes time in proportion to both sizes.
std::size_t bts_overlap(Bytes before, Bytes piece);

}  // namespace peregrine::auxtrace
