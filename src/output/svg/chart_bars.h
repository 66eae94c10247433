// ChartBars: one lane of bars in a time chart. Adjacent bars narrower than a cell, a width invisible even when zoomed,
// are merged into one bar that sums them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "analysis/chart/time_chart.h"
#include "base/types.h"
#include "output/sink.h"

namespace peregrine {

// The look of a kind of bar: its CSS class, and its name in legend and sums.
struct BarLook {
  std::string_view style, word;
};

// Converts times to positions: the whole time is a fixed number of units.
class ChartScale {
 public:
  static constexpr double kUnits = 1'000'000;
  static constexpr u64 kCells = 8192;

  explicit ChartScale(const TimeChart& chart)
      : first_(chart.first), length_(chart.length() == 0 ? 1 : chart.length()) {}
  double x(u64 time) const {
    return time <= first_ ? 0 : static_cast<double>(time - first_) * kUnits / static_cast<double>(length_);
  }
  u64 since_start(u64 time) const { return time <= first_ ? 0 : time - first_; }
  u64 cell() const { return length_ / kCells; }
  u64 length() const { return length_; }

 private:
  u64 first_, length_;
};

struct Bar {
  ChartSpan span;
  const BarLook* look = nullptr;
  double top = 0, height = 0;
};

class ChartBars {
 public:
  // Bars are drawn at least `least` ns wide.
  ChartBars(Sink& out, const ChartScale& scale, u64 least = 0) : out_(out), scale_(scale), least_(least) {}
  ~ChartBars() { flush(); }
  ChartBars(const ChartBars&) = delete;
  ChartBars& operator=(const ChartBars&) = delete;

  // Call in time order. `title` makes the bar's text if it is not merged.
  template <class Title>
  void add(const Bar& bar, Title title) {
    if (bar.span.length() > scale_.cell()) {
      flush();
      return print(bar, title());
    }
    if (count_ != 0 && bar.span.until > group_.span.from + scale_.cell()) flush();
    if (count_++ == 0) {
      group_ = bar;
      lone_ = title();
    }
    join(bar);
  }

 private:
  struct Sum {
    const BarLook* look;
    u64 length;
  };
  void join(const Bar& bar);
  void flush();
  void print(const Bar& bar, std::string_view title);

  Sink& out_;
  const ChartScale& scale_;
  u64 least_;
  Bar group_;
  u64 count_ = 0;
  std::string lone_;  // title of the first bar in the group
  std::vector<Sum> sums_;
};

}  // namespace peregrine
