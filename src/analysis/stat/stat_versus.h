// StatVersus: the counts of two commands that ran in turn, compared pair by pair.
//
// A pair is a run of the first command (A) and the run of the second (B) beside it, so that what drifts (temperature,
// caches, neighbours) meets both. The ratio is the geometric mean of B ÷ A over the pairs, its interval Student's t
// over the logarithms of those ratios (T. Kalibera and R. Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013,
// on intervals for ratios; logarithms make "twice" and "half" equally far from "same"). A quantity that was 0 in some
// run has no ratio: its differences are judged instead. Which differences are real is decided for all quantities
// together by Holm's method (S. Holm, 1979): the chance that any of them is a fluke stays below 5 %. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"

namespace peregrine {

struct VersusRow {
  std::string name;  // event, metric, or "seconds elapsed"
  std::string unit;
  bool whole = false;  // counts, shown without decimals
  u64 pairs = 0;
  double mean_a = 0, mean_b = 0;
  std::optional<double> ratio;  // B ÷ A; nothing where some run had 0
  // 95 % interval: of the ratio, or without one of the difference B - A. Nothing below two pairs.
  std::optional<double> low, high;
  double chance = 1;  // that a difference as large comes by itself
  bool is_real = false;
};

class StatVersus {
 public:
  // Tables of one run each, of the same events, summed over everything.
  void add_pair(const StatTable& a, const StatTable& b);
  u64 pairs() const { return pairs_; }
  std::vector<VersusRow> rows() const;
  // Events that did not count in every run, and so are not compared.
  std::vector<std::string> left_out() const;

 private:
  struct Quantity {
    std::string name, unit;
    bool whole = false;
    std::vector<double> a, b;
  };
  struct Reading {
    std::string name, unit;
    bool whole = false;
    double value = 0;
  };
  static std::vector<Reading> readings_of(const StatTable& table);
  std::vector<Quantity> quantities_;
  u64 pairs_ = 0;
};

}  // namespace peregrine
