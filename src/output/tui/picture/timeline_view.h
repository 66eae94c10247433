// TimelineView: samples over time as a row of bars, and a range of them to look at alone.
#pragma once
#include <vector>

#include "analysis/browse/queries.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class TimelineView : public View {
 public:
  // `queries` outlives it.
  explicit TimelineView(Queries& queries) : queries_(queries) {}
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;

 private:
  Queries& queries_;
  std::vector<u64> parts_;
  std::size_t at_ = 0;
  std::size_t from_ = ~std::size_t{0};  // where the range begins; none yet
};

}  // namespace peregrine::tui
