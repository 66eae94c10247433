// StatVersus: compares the counts of two commands that ran alternately, pair by pair.
//
// A pair is a run of the first command (A) and the adjacent run of the second (B), so that drift (temperature, caches,
// neighbours) affects both. The ratio is the geometric mean of B ÷ A over the pairs; its interval is Student's t over
// the logarithms of these ratios (T. Kalibera and R. Jones, "Rigorous Benchmarking in Reasonable Time", ISMM 2013; with
// logarithms "twice" and "half" are equally far from "same"). A quantity that was 0 in any run has no ratio: its
// differences are tested instead. Holm's method (S. Holm, 1979) decides for all quantities together which differences
// are real: the probability that any is a fluke stays below 5 %. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "analysis/stat/stat_table.h"
#include "base/types.h"

namespace peregrine {

struct VersusRow {
  std::string name;  // event, metric, or "seconds elapsed"
  std::string unit;
  bool whole = false;  // integers, shown without decimals
  u64 pairs = 0;
  double mean_a = 0, mean_b = 0;
  std::optional<double> ratio;  // B ÷ A; empty if any run had 0
  // 95 % interval of the ratio, or else of the difference B - A. Empty below two pairs.
  std::optional<double> low, high;
  double chance = 1;  // probability of such a difference by chance
  bool is_real = false;
};

class StatVersus {
 public:
  // Tables of one run each, with the same events, summed over everything.
  void add_pair(const StatTable& a, const StatTable& b);
  u64 pairs() const { return pairs_; }
  std::vector<VersusRow> rows() const;
  // Events that did not count in every run and are therefore not compared.
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
