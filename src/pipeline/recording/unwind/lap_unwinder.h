// LapUnwinder: replaces recorded stacks by return addresses in the records of one lap over the rings.
//
//   in    SAMPLE  … chain: kernel frames            … registers … 8 kB of stack
//   out   SAMPLE  … chain: kernel frames, USER, pc, return addresses … registers: none, stack: none
//
// A separate machine follows the side-band, lap by lap in time order. A sample with code outside all known maps keeps
// its stack. Records stay in order. One thread at a time. `inject --convert-callchain` passes the batches of a
// recording as laps.
#pragma once
#include <vector>

#include "abi/record.h"
#include "abi/sample.h"
#include "abi/side_band.h"
#include "base/bytes.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "machine/dso/kept_files.h"
#include "machine/machine.h"
#include "machine/process/moment.h"
#include "machine/resolver/cfi_tables.h"
#include "machine/resolver/resolver.h"
#include "machine/resolver/stack_unwinder.h"
#include "unwind/unwinder.h"

namespace peregrine {

class LapUnwinder {
 public:
  // `kept`: cache of compiled call frame information.
  explicit LapUnwinder(data::Evlist evlist, KeptFiles kept = {});

  // Complete records only. Without `unwind` only follows the side-band. The result is `lap` itself, or a buffer valid
  // until the next call.
  Bytes rewrite(Bytes lap, bool unwind);
  const UnwindCounts& counts() const { return counts_; }
  u64 kept() const { return kept_; }  // number of stacks left unchanged

 private:
  struct Item {
    u64 time;
    u32 offset;
    Moment moment;
  };
  abi::RecordView view(Bytes lap, u32 offset) const;
  void list(Bytes lap);
  void follow(const abi::RecordView& record, Moment moment);
  const abi::SampleDecoder* decode_stack(const abi::RecordView& record);
  bool shorten(const abi::RecordView& record, Moment moment);

  data::Evlist evlist_;
  Machine machine_;
  CfiTables tables_;
  Resolver resolver_;
  StackUnwinder unwinder_;
  Moment next_ = 1;
  std::vector<Item> items_;
  std::vector<u32> by_time_;
  std::vector<u64> frames_;
  ByteWriter out_;
  abi::Sample sample_;
  abi::SampleScratch sample_scratch_;
  abi::SideBandScratch side_band_scratch_;
  UnwindCounts counts_;
  u64 kept_ = 0;
};

}  // namespace peregrine
