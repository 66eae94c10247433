// nearest: finds the known word that a mistyped one probably means.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace peregrine {

// Returns the number of edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
unsigned edit_distance(std::string_view a, std::string_view b);

// Returns the maximum number of edits in a plausible typo: 1 up to five letters, 2 up to eight, 3 beyond. For words of
// at least three letters, this is at most a third of the word.
unsigned most_edits(std::size_t letters);

// Returns the candidate nearest to `word` within most_edits(), or one that starts with `word` if that has at least
// three letters. Returns nothing if none is near enough, because a wild guess misleads. The first of equally near ones
// wins.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

// Returns the candidate nearest to `word` that is at most `limit` edits away and differs from it; the first of equally
// near ones wins. For sets so large that a prefix or a distant word would often match by chance.
std::optional<std::string_view> nearest_within(unsigned limit, std::string_view word,
                                               std::span<const std::string_view> candidates);

}  // namespace peregrine
