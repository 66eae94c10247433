// BlockView: code blocks between two branches by cycles (report --total-cycles); Enter shows a block's code with its
// instructions per cycle.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/row/block_rows.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class BlockView : public View {
 public:
  // Both must outlive this.
  BlockView(Queries& queries, const ReportSettings& settings, std::size_t table);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  void renew() override { ask(); }

 private:
  void ask();
  Answer open_code();
  Answer search();
  bool search_from(std::size_t start);

  Queries& queries_;
  const ReportSettings& settings_;
  std::size_t table_;
  struct Line {
    BlockRow block;
    u32 row = 0;  // of the table
  };
  std::vector<Line> lines_;
  u64 runs_ = 0;
  ListCursor cursor_;
  std::size_t height_ = 20;
  std::string wanted_, status_;
};

}  // namespace peregrine::tui
