// AnnotateView: one function's instructions with their costs, and its source between them or, on a wide screen, next to
// them.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analysis/annotate/code_flow.h"
#include "analysis/annotate/listing.h"
#include "analysis/annotate/symbol_hits.h"
#include "analysis/browse/queries.h"
#include "base/result.h"
#include "base/types.h"
#include "output/tui/screen/canvas.h"
#include "output/tui/screen/list_cursor.h"
#include "output/tui/screen/screen.h"
#include "output/tui/screen/settings.h"
#include "output/tui/screen/view.h"

namespace peregrine::tui {

class AnnotateView : public View {
 public:
  // `again`: returns the code again after the profile has changed. `settings` must outlive this.
  AnnotateView(AnnotatedCode code, std::function<Result<AnnotatedCode>()> again, const ReportSettings& settings);
  void draw(Canvas& canvas) override;
  Answer key(const Key& key) override;
  void renew() override;
  // Moves the cursor to the first instruction at or after that offset in the function.
  void go_to_offset(u64 offset);

 private:
  enum class Column : u8 { Percent, Period, Samples };
  struct Line {
    std::size_t instruction = 0;  // index in the listing
    std::size_t source = kNone;   // index in its source rows; kNone: the instruction itself
  };
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Cycles: the mean of the runs that end at an instruction, or minimum and maximum.
  enum class Cycles : u8 { Mean, Bounds };
  // Where to show offsets: at jump targets, also at calls, or everywhere.
  enum class Offsets : u8 { Targets, Calls, All };

  // annotate_view.cc
  void make_lines();
  void find_targets();
  void go_to(std::size_t instruction);
  void go_to_hottest(std::size_t place);
  void find_hottest();
  double share(std::size_t instruction, std::size_t event) const;
  std::string cost(std::size_t instruction, std::size_t event) const;
  std::string flow_text(std::size_t instruction) const;
  unsigned flow_width() const;
  std::string label(std::size_t instruction) const;
  std::string text_of(std::size_t instruction) const;
  void draw_instruction(Canvas& canvas, unsigned y, std::size_t instruction, unsigned width) const;
  void draw_source(Canvas& canvas, unsigned x, unsigned y, const SourceRow& row, const std::string& place) const;
  void draw_beside(Canvas& canvas, unsigned left) const;
  void draw_heading(Canvas& canvas) const;
  std::size_t target_of(std::size_t instruction) const;

  // annotate_keys.cc
  Answer letter(char32_t letter);
  bool look(char32_t letter);
  bool count(char32_t letter);
  void toggle_source();
  void print();
  void toggle_types();
  Answer search();
  bool search_from(std::size_t start, bool backwards);

  AnnotatedCode code_;
  CodeFlow flow_;
  std::function<Result<AnnotatedCode>()> again_;
  const ReportSettings& settings_;
  std::vector<Line> lines_;
  std::vector<u32> jumps_to_;         // by instruction: number of jumps to it
  std::vector<std::size_t> hottest_;  // instructions, hottest first
  std::size_t hot_place_ = 0;
  ListCursor cursor_;
  std::size_t height_ = 20;
  Column column_ = Column::Percent;
  PercentType type_;
  Offsets offsets_ = Offsets::Targets;
  Cycles cycles_ = Cycles::Mean;
  bool source_ = true, addresses_ = false, numbers_ = true, raw_ = false, beside_ = false, arrows_ = true,
       jump_counts_ = false, files_ = false, types_ = false;
  std::string wanted_, status_;
};

}  // namespace peregrine::tui
