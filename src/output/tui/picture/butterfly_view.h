// ButterflyView: one function between those that call it and those that it calls; Enter goes to one of them.
#pragma once
#include <string>
#include <vector>

#include "analysis/browse/queries.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class ButterflyView : public View {
 public:
  // `queries` outlives it.
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
  std::vector<std::string> way_;  // the functions so far; the last one is shown
  Butterfly shown_;
  ListCursor cursor_;  // over callers, then callees
};

}  // namespace peregrine::tui
