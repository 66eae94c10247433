#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace peregrine {

unsigned edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual matrix: swaps look two rows back.
  std::vector<unsigned> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<unsigned>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<unsigned>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const unsigned replace = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replace, above[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(above);
    above.swap(row);
  }
  return above[b.size()];
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  const auto limit = static_cast<unsigned>(word.size() / 3 + 1);
  unsigned best_distance = limit + 1;
  for (std::string_view candidate : candidates) {
    if (candidate.empty() || candidate.size() > 4096) continue;
    unsigned distance = edit_distance(word, candidate);
    if (word.size() >= 3 && candidate.starts_with(word)) distance = std::min(distance, limit);
    if (distance >= candidate.size()) continue;  // nothing of the candidate is left
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

}  // namespace peregrine
