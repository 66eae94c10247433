#include "output/svg/flame_color.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"

namespace peregrine {
namespace {

constexpr unsigned kShades = 12;

struct NamedColors {
  std::string_view word;
  FlameColors colors;
};
constexpr NamedColors kColorNames[] = {{"kind", FlameColors::Kind},   {"dso", FlameColors::Dso},
                                       {"hot", FlameColors::Hot},     {"blue", FlameColors::Blue},
                                       {"green", FlameColors::Green}, {"grey", FlameColors::Grey}};

u32 hash_of(std::string_view text) {
  u32 hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash >> 8;
}

const CodeLook& look_of(CodeKind kind) {
  const auto found = std::ranges::find(kCodeLooks, kind, &CodeLook::kind);
  return found == kCodeLooks.end() ? kCodeLooks[0] : *found;
}

}  // namespace

std::optional<FlameColors> flame_colors(std::string_view word) {
  const auto found = std::ranges::find(kColorNames, word, &NamedColors::word);
  return found == std::end(kColorNames) ? std::nullopt : std::optional(found->colors);
}

std::string hsl(unsigned hue, unsigned saturation, unsigned lightness) {
  return fmt::format("hsl({},{}%,{}%)", hue, saturation, lightness);
}

std::string flame_fill(const FlameBox& box, FlameColors colors) {
  const u32 hash = hash_of(box.name);
  const bool floor = box.kind == CodeKind::All || box.kind == CodeKind::Comm;
  switch (floor ? FlameColors::Kind : colors) {
    case FlameColors::Dso:
      return hsl(hash_of(box.dso) % 24 * 15, 55, 70 + hash % kShades);
    case FlameColors::Hot:
      return hsl(hash % 55, 85, 58 + hash / 64 % kShades);
    case FlameColors::Blue:
      return hsl(195 + hash % 30, 65, 64 + hash / 64 % kShades);
    case FlameColors::Green:
      return hsl(95 + hash % 50, 50, 60 + hash / 64 % kShades);
    case FlameColors::Grey:
      return hsl(0, 0, 70 + hash % (kShades * 2));
    case FlameColors::Kind:
      break;
  }
  const CodeLook& look = look_of(box.kind);
  return hsl(look.hue, look.saturation, look.lightness + (floor ? 0 : hash % kShades));
}

std::string change_fill(double share, double share_before) {
  // Colours reach full strength at a change of 10% of the total.
  const double change = std::clamp((share - share_before) / 0.1, -1.0, 1.0);
  const auto faded = static_cast<unsigned>(std::lround(92 - 34 * std::sqrt(std::abs(change))));
  if (std::abs(change) < 0.005) return hsl(0, 0, 90);
  return change > 0 ? hsl(26, 90, faded) : hsl(205, 75, faded);
}

}  // namespace peregrine
