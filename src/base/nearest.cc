#include "base/nearest.h"

#include <algorithm>
#include <array>
#include <vector>

namespace peregrine {

namespace {

constexpr unsigned kFar = 1u << 30;

// Edit-distance matrix, reduced to three rows because swaps look two rows back; reused between words. Only cells near
// the diagonal can hold a distance of at most `most`, so the others count as far.
class EditMatrix {
 public:
  // Returns `most` + 1 if the distance exceeds `most`.
  unsigned distance(std::string_view a, std::string_view b, unsigned most) {
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
    before_.assign(b.size() + 1, kFar);
    above_.assign(b.size() + 1, kFar);
    row_.assign(b.size() + 1, kFar);
    for (std::size_t j = 0; j <= std::min<std::size_t>(b.size(), most); ++j) above_[j] = static_cast<unsigned>(j);
    unsigned least_above = 0;
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const unsigned least = fill_row(a, b, i, most);
      if (std::min(least_above, least) > most) return most + 1;
      least_above = least;
      before_.swap(above_);
      above_.swap(row_);
    }
    return std::min(above_[b.size()], most + 1);
  }

 private:
  // Returns the minimum of the row.
  unsigned fill_row(std::string_view a, std::string_view b, std::size_t i, unsigned most) {
    const std::size_t first = i > most ? i - most : 1, last = std::min(b.size(), i + most);
    row_[first - 1] = first == 1 ? static_cast<unsigned>(i) : kFar;
    unsigned least = row_[first - 1];
    for (std::size_t j = first; j <= last; ++j) {
      unsigned cell = std::min({above_[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), above_[j] + 1, row_[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) cell = std::min(cell, before_[j - 2] + 1);
      row_[j] = cell;
      least = std::min(least, cell);
    }
    if (last < b.size()) row_[last + 1] = kFar;
    return least;
  }

  std::vector<unsigned> before_, above_, row_;
};

// Letter counts of a word. Letters that only one of two words has give a cheap lower bound for their distance.
class Letters {
 public:
  explicit Letters(std::string_view word) : size_(word.size()) {
    for (const char c : word) ++count_[static_cast<unsigned char>(c)];
  }
  std::size_t least_distance(std::string_view other) {
    std::size_t common = 0;
    for (const char c : other) common += count_[static_cast<unsigned char>(c)]-- > 0 ? 1 : 0;
    for (const char c : other) ++count_[static_cast<unsigned char>(c)];
    return std::max(size_, other.size()) - common;
  }

 private:
  std::array<int, 256> count_{};
  std::size_t size_;
};

constexpr std::size_t kLongest = 256;  // longer than any name; the cost is quadratic

}  // namespace

unsigned edit_distance(std::string_view a, std::string_view b) {
  return EditMatrix().distance(a, b, static_cast<unsigned>(std::max(a.size(), b.size())));
}

unsigned most_edits(std::size_t letters) { return letters <= 5 ? 1 : letters <= 8 ? 2 : 3; }

namespace {

// `prefixes`: a candidate that starts with a word of at least three letters counts as at most `limit` edits away.
std::optional<std::string_view> nearest_of(std::string_view word, std::span<const std::string_view> candidates,
                                           unsigned limit, bool prefixes) {
  std::optional<std::string_view> best;
  if (word.size() > kLongest) return best;
  unsigned best_distance = limit + 1;
  EditMatrix matrix;
  Letters letters(word);
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongest || (!prefixes && candidate == word)) continue;
    const bool begins = prefixes && word.size() >= 3 && candidate.starts_with(word);
    if (!begins && letters.least_distance(candidate) >= best_distance) continue;
    unsigned distance = matrix.distance(word, candidate, best_distance - 1);
    if (begins) distance = std::min(distance, limit);
    if (distance >= candidate.size()) continue;  // every letter would have to change
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
    if (best_distance == 0) break;
  }
  return best;
}

}  // namespace

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  return nearest_of(word, candidates, most_edits(word.size()), true);
}

std::optional<std::string_view> nearest_within(unsigned limit, std::string_view word,
                                               std::span<const std::string_view> candidates) {
  return nearest_of(word, candidates, limit, false);
}

}  // namespace peregrine
