// mem -D: one line of fields per data access sample, for programs.
//
//   # PID, TID, IP, ADDR, LOCAL WEIGHT, DSRC, SYMBOL
//   20132,20144,0xffffffffa4470d46,0x55ffba5cda08,225,0x11868100242,[kernel.kallsyms]:___slab_alloc
#pragma once
#include <string>

#include "machine/resolver/resolver.h"
#include "output/sink.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

struct AccessStyle {
  std::string separator = " ";
  bool physical_address = false, data_page_size = false;
  bool hide_unresolved = false;  // skip samples without a symbol
};

// For a replay with one worker.
class AccessLines : public ReplaySink {
 public:
  AccessLines(AccessStyle style, Sink& out);

  void sample(const ReplaySample& sample, Resolver& resolver, unsigned worker) override;
  bool end_batch() override { return out_.ok(); }

 private:
  AccessStyle style_;
  Sink& out_;
};

}  // namespace peregrine
