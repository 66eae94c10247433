#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace peregrine {

namespace {

// Edits as a matrix of three rows, kept between words: swaps look two rows back.
class EditMatrix {
 public:
  // `most` + 1 when it is more than that, which is known before the matrix is full.
  unsigned distance(std::string_view a, std::string_view b, unsigned most) {
    if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) > most) return most + 1;
    least_above_ = 0;
    before_.assign(b.size() + 1, 0);
    above_.resize(b.size() + 1);
    row_.resize(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) above_[j] = static_cast<unsigned>(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
      const unsigned least_before = least_above_;
      fill_row(a, b, i);
      if (std::min(least_before, least_above_) > most) return most + 1;
    }
    return above_[b.size()];
  }

 private:
  void fill_row(std::string_view a, std::string_view b, std::size_t i) {
    unsigned least = row_[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const unsigned replace = above_[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row_[j] = std::min({replace, above_[j] + 1, row_[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row_[j] = std::min(row_[j], before_[j - 2] + 1);
      least = std::min(least, row_[j]);
    }
    before_.swap(above_);
    above_.swap(row_);
    least_above_ = least;
  }

  std::vector<unsigned> before_, above_, row_;
  unsigned least_above_ = 0;
};

constexpr std::size_t kLongest = 256;  // no name is longer, and the work grows with the square

}  // namespace

unsigned edit_distance(std::string_view a, std::string_view b) {
  return EditMatrix().distance(a, b, static_cast<unsigned>(std::max(a.size(), b.size())));
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  if (word.size() > kLongest) return best;
  const auto limit = static_cast<unsigned>(word.size() / 3 + 1);
  unsigned best_distance = limit + 1;
  EditMatrix matrix;
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > kLongest) continue;
    unsigned distance = matrix.distance(word, candidate, best_distance - 1);
    if (word.size() >= 3 && candidate.starts_with(word)) distance = std::min(distance, limit);
    if (distance >= candidate.size()) continue;  // nothing of the candidate is left
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
    if (best_distance == 0) break;
  }
  return best;
}

}  // namespace peregrine
