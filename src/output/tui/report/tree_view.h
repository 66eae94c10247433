// TreeView: the rows of a profile as a tree with a level per sort key (--hierarchy), to browse and fold.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/row/row_tree.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class TreeView : public View {
 public:
  // Both must outlive this.
  TreeView(Queries& queries, ReportSettings& settings, std::size_t table);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  void renew() override { ask(); }

 private:
  struct Line {
    u32 node = 0;
    u64 path = 0;  // hash of the path of texts; stable when a live profile changes
  };
  void ask();
  void make_lines();
  void add_lines(std::span<const u32> nodes, u64 path);
  u64 path_of(u64 parent, const RowNode& node) const;
  std::string text_of(const RowNode& node) const;
  std::string titles() const;
  double share(u32 node) const;
  bool is_open(const Line& line) const { return open_.contains(line.path); }
  void open_below(u32 node, u64 path);
  void close_below(u32 node, u64 path);
  void toggle();
  Answer letter(char32_t letter);
  Answer find();
  Answer set_limit();
  Answer switch_table(int step);

  Queries& queries_;
  ReportSettings& settings_;
  double limit_;     // for nodes: small rows still count in their parents
  BrowseLook look_;  // with no limit
  const BrowsePage* page_ = nullptr;
  const RowTree* tree_ = nullptr;
  std::vector<Line> lines_;
  std::unordered_set<u64> open_;  // hashes of open paths
  ListCursor cursor_;
  std::size_t height_ = 20;
  std::string status_;
};

}  // namespace peregrine::tui
