// nearest: finds the known word that a mistyped one probably stands for.
#pragma once
#include <optional>
#include <span>
#include <string_view>

namespace peregrine {

// Edits (insert, delete, replace, swap of neighbours) that turn `a` into `b`.
unsigned edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`, or nothing when none is near enough to be worth saying: at most a third of the word
// plus one edit, or a candidate that starts with the word. The first of equals wins.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace peregrine
