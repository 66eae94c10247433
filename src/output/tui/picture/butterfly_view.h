// ButterflyView: one function between its callers and callees; Enter goes to one of them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/browse/queries.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class ButterflyView : public View {
 public:
  // `queries` must outlive this.
  ButterflyView(Queries& queries, BrowseLook look, std::string symbol);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  void renew() override { ask(); }

 private:
  void ask();
  void draw_part(Canvas& canvas, unsigned y, const std::vector<NamedSum>& sums, std::size_t from,
                 std::size_t shown) const;
  const NamedSum* chosen() const;

  Queries& queries_;
  BrowseLook look_;
  std::vector<std::string> way_;  // functions visited; the last one is shown
  Butterfly shown_;
  ListCursor cursor_;  // over callers, then callees
};

}  // namespace peregrine::tui
