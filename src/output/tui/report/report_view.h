// ReportView: the rows of a profile, each with its tree of callers or callees, to browse, fold and filter. All numbers
// come from the queries.
//
//   Samples: 19K of event 'cpu-clock', Event count (approx.): 19879879860
//   all > comm bash > libc.so.6                                             the zooms and filters, if any
//     Children      Self  Command  Shared Object  Symbol
//   -   78.63%     4.09%  bash     libc.so.6      [.] main
//        - 37.68% work
//   ?: keys  Enter: row menu  /: find                                       or what was just done
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/browse/queries.h"
#include "analysis/hist/chain/hist_frame.h"
#include "analysis/hist/row/call_graph.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class ReportView : public View {
 public:
  // Both must outlive this.
  ReportView(Queries& queries, ReportSettings& settings, std::size_t table);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  void renew() override;

 private:
  struct Line {
    u32 row = 0;    // in page_->rows
    u32 node = 0;   // in its graph; 0: the row itself
    u32 frame = 0;  // in the node
    unsigned depth = 0;
  };
  struct Opened {
    CallGraph graph;
    std::unordered_set<u64> nodes;  // by the path of names to them
  };

  // report_view.cc
  void draw_trail(Canvas& canvas, unsigned y);
  void draw_header(Canvas& canvas, unsigned y) const;
  void draw_status(Canvas& canvas) const;
  void draw_line(Canvas& canvas, unsigned y, const Line& line) const;
  void draw_row(Canvas& canvas, unsigned y, const Line& line) const;
  void draw_node(Canvas& canvas, unsigned y, const Line& line) const;
  void measure(unsigned width);
  bool has_trail() const;
  unsigned head_rows() const;

  // report_lines.cc
  void ask_page();
  void make_lines();
  void add_node_lines(u32 row, const Opened& opened, u32 parent, u64 path, unsigned depth);
  u64 key_of_row(u32 at) const;
  static u64 path_of(u64 parent, std::string_view name);
  std::string frame_name(const CallGraph& graph, u32 frame) const;
  Opened* opened_at(u32 row);
  const Opened* opened_at(u32 row) const;
  u64 path_of_line(const Line& line) const;
  bool has_chains(u32 at) const;
  bool can_open(const Line& line) const;
  bool is_open(const Line& line) const;
  void toggle(const Line& line);
  void open_all_of(u32 row, bool on);
  void open_everything(bool on);
  const Line* line() const { return lines_.empty() ? nullptr : &lines_[cursor_.at]; }
  HistFrameId frame_of(const Line& line) const;

  // report_keys.cc
  Answer letter(char32_t letter);
  bool fold(char32_t letter);
  std::optional<Answer> narrow(char32_t letter);
  std::optional<Answer> leave_for(char32_t letter);
  void write(char32_t letter);
  Answer menu();
  Answer annotate();
  Answer zoom(Zoom step);
  Answer zoom_dso();
  Answer zoom_part(Zoom::Kind kind);
  Answer zoom_symbol();
  Answer zoom_out();
  Answer undo();
  Answer find();
  Answer set_limit();
  Answer switch_table(int step);
  Answer switch_file();
  Answer sort_by_member(u32 member);
  Answer show_callers();
  void remember();
  void say(std::string text) { status_ = std::move(text); }

  Queries& queries_;
  ReportSettings& settings_;
  BrowseLook look_;
  std::vector<BrowseLook> before_;  // for undo
  const BrowsePage* page_ = nullptr;
  std::vector<Line> lines_;
  std::unordered_map<u64, Opened> opened_;  // by key_of_row
  std::unordered_map<u32, u64> row_keys_;   // of rows that are open
  ListCursor cursor_;
  std::size_t height_ = 20;
  unsigned top_ = 2;
  std::vector<unsigned> widths_;
  unsigned measured_for_ = 0;
  bool headers_ = true, verbose_ = false;
  std::string status_;
};

// Help common to all views.
std::string help_text(bool live);

}  // namespace peregrine::tui
