// TimelineView: samples over time as a row of bars, for selecting a time range.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/browse/queries.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class TimelineView : public View {
 public:
  // `queries` must outlive this.
  explicit TimelineView(Queries& queries) : queries_(queries) {}
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;

 private:
  std::string span_text(std::size_t from, std::size_t to, std::string_view dash) const;

  Queries& queries_;
  std::vector<u64> parts_;
  ActivityTime time_;  // of all parts
  std::size_t at_ = 0;
  std::size_t from_ = ~std::size_t{0};  // start of the range; unset: no range yet
};

}  // namespace peregrine::tui
