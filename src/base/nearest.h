// nearest: finds the known word that a mistyped one probably stands for.
#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace peregrine {

// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
unsigned edit_distance(std::string_view a, std::string_view b);

// Edits within which a word still looks like a mistyped one: 1 up to five letters, 2 up to eight, 3 beyond. From three
// letters on that is at most a third of the word.
unsigned most_edits(std::size_t letters);

// The candidate nearest to `word` within most_edits(), or one that starts with the word, if that has three letters or
// more. Nothing when none is that near: a wild guess misleads. The first of equals wins.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace peregrine
