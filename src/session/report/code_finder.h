// CodeFinder: the code view of a function on a screen: its listing and samples.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "analysis/annotate/symbol_hits.h"
#include "analysis/annotate/symbol_listings.h"
#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "base/result.h"
#include "base/types.h"
#include "machine/dso/dso.h"
#include "machine/machine.h"
#include "machine/process/moment.h"

namespace peregrine {

class CodeFinder {
 public:
  // `machine` must outlive this.
  CodeFinder(const Machine& machine, ListingRequest request)
      : machine_(machine), listings_(machine, std::move(request)) {}

  SymbolListings& listings() { return listings_; }
  // The hits per symbol so far.
  void set_hits(RecordedHits hits) { hits_ = std::move(hits); }
  Result<AnnotatedCode> find(const HistFrame& frame, const std::vector<u32>& events);

 private:
  const Machine& machine_;
  SymbolListings listings_;
  RecordedHits hits_;
};

// "/usr/lib/libc.so.6", its build-id, and where its symbols came from or were searched for.
std::string describe_dso(const DsoTable& dsos, DsoId dso);

}  // namespace peregrine
