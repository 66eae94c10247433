#include "analysis/annotate/line_times.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "analysis/annotate/symbol_hits.h"
#include "base/types.h"

namespace peregrine {

namespace {

constexpr u32 kNoLine = ~0u;

// Numbers the lines of all functions consecutively.
class LineNumbers {
 public:
  explicit LineNumbers(std::span<const HotFunction> functions) : functions_(functions) {
    for (u32 at = 0; at < functions.size(); ++at) {
      places_.emplace(functions[at].symbol, at);
      first_.push_back(count_);
      count_ += static_cast<u32>(functions[at].lines.size());
    }
  }
  u32 count() const { return count_; }
  // kNoLine if the offset is in no kept line.
  u32 find(const TimedHits::Place& at) const {
    const auto place = places_.find(at.symbol);
    if (place == places_.end()) return kNoLine;
    const std::vector<HotLine>& lines = functions_[place->second].lines;
    const auto after = std::ranges::upper_bound(lines, at.offset, {}, &HotLine::begin);
    if (after == lines.begin() || at.offset >= std::prev(after)->end) return kNoLine;
    return first_[place->second] + static_cast<u32>(after - lines.begin()) - 1;
  }

 private:
  std::span<const HotFunction> functions_;
  std::unordered_map<u32, u32> places_;  // by symbol
  std::vector<u32> first_;
  u32 count_ = 0;
};

// Chooses the slots that cover all steps. Step 0 means that the sample has no time.
void choose_slots(LineTimes& times, std::span<const TimedHits::Step> hits, const LineTimesRequest& request) {
  u64 first = ~u64{0}, last = 0;
  for (const TimedHits::Step& at : hits) {
    if (at.step == 0) continue;
    first = std::min(first, at.step);
    last = std::max(last, at.step);
  }
  if (first > last) return;
  times.start = first * request.step;
  // Rounds up without computing a sum that could overflow for a damaged time.
  times.slot_length = request.step * ((last - first) / request.slots + 1);
  times.slots = static_cast<u32>((last - first) * request.step / times.slot_length + 1);
}

// Hits ordered by series and line, with a counting sort.
class HitsByLine {
 public:
  HitsByLine(const TimedHits& hits, const LineNumbers& lines, const LineTimesRequest& request)
      : first_(std::size_t{lines.count()} * request.events.size() + 1) {
    std::vector<u32> line_of_place;
    for (const TimedHits::Place& place : hits.places) line_of_place.push_back(lines.find(place));
    std::vector<std::size_t> row_of_hit(hits.steps.size(), rows());
    for (std::size_t at = 0; at < row_of_hit.size(); ++at) {
      const auto series = std::ranges::find(request.events, hits.steps[at].event);
      const u32 line = line_of_place[hits.steps[at].place];
      if (series == request.events.end() || line == kNoLine) continue;
      row_of_hit[at] = static_cast<std::size_t>(series - request.events.begin()) * lines.count() + line;
      ++first_[row_of_hit[at] + 1];
    }
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    ordered_.resize(first_.back());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (std::size_t at = 0; at < row_of_hit.size(); ++at)
      if (row_of_hit[at] != rows()) ordered_[next[row_of_hit[at]]++] = &hits.steps[at];
  }
  std::size_t rows() const { return first_.size() - 1; }
  std::span<const TimedHits::Step* const> of(std::size_t row) const {
    return std::span(ordered_).subspan(first_[row], first_[row + 1] - first_[row]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<const TimedHits::Step*> ordered_;
};

void halve_slots(LineTimes& times) {
  times.slot_length *= 2;
  times.slots = (times.slots + 1) / 2;
  std::size_t kept = 0;
  for (std::size_t at = 0; at < times.weights.size(); ++at) {
    LineWeight weight = times.weights[at];
    weight.slot /= 2;
    LineWeight& last = times.weights[kept == 0 ? 0 : kept - 1];
    if (kept != 0 && last.series == weight.series && last.line == weight.line && last.slot == weight.slot) {
      last.samples += weight.samples;
      last.period += weight.period;
    } else {
      times.weights[kept++] = weight;
    }
  }
  times.weights.resize(kept);
}

}  // namespace

LineTimes line_times(std::span<const HotFunction> functions, const TimedHits& hits, const LineTimesRequest& request) {
  LineTimes times;
  choose_slots(times, hits.steps, request);
  if (times.slot_length == 0) return times;
  const LineNumbers lines(functions);
  const HitsByLine by_line(hits, lines, request);
  std::vector<Hits> sums(times.slots);
  for (std::size_t row = 0; row < by_line.rows(); ++row) {
    if (by_line.of(row).empty()) continue;
    for (const TimedHits::Step* hit : by_line.of(row)) {
      const u64 time = std::max(hit->step * request.step, times.start) - times.start;
      sums[time / times.slot_length] += hit->hits;
    }
    for (u32 slot = 0; slot < times.slots; ++slot) {
      const Hits own = std::exchange(sums[slot], {});
      if (own.samples != 0)
        times.weights.push_back({static_cast<u32>(row / lines.count()), static_cast<u32>(row % lines.count()), slot,
                                 own.samples, own.period});
    }
  }
  while (times.weights.size() > request.weights && times.slots > 2) halve_slots(times);
  return times;
}

}  // namespace peregrine
