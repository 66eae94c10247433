// The colours of flame graphs: by kind of code, by binary, one hue by name, or by change against a base.
//
// Kinds are distinguishable with colour blindness and, by lightness, in print; shades depend only on names, so that
// pictures can be compared. Pure.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/hist/picture/flame_tree.h"
#include "analysis/hist/picture/stack_profile.h"
#include "base/types.h"

namespace peregrine {

enum class FlameColors : u8 { Kind, Dso, Hot, Blue, Green, Grey };
// Accepts kFlameColorWords.
std::optional<FlameColors> flame_colors(std::string_view word);
inline constexpr std::string_view kFlameColorWords = "kind, dso, hot, blue, green or grey";

struct CodeLook {
  CodeKind kind;
  std::string_view word;
  unsigned hue, saturation, lightness;  // of the lightest shade, excluding kShades
};
// Okabe and Ito's palette, lightened.
inline constexpr std::array kCodeLooks{
    CodeLook{CodeKind::Comm, "process", 0, 0, 84},        CodeLook{CodeKind::Application, "program", 202, 77, 74},
    CodeLook{CodeKind::Library, "library", 164, 52, 68},  CodeLook{CodeKind::Inlined, "inlined", 215, 28, 77},
    CodeLook{CodeKind::Jit, "JIT", 327, 45, 78},          CodeLook{CodeKind::Kernel, "kernel", 41, 92, 66},
    CodeLook{CodeKind::Module, "module", 26, 85, 62},     CodeLook{CodeKind::Unresolved, "no symbol", 0, 0, 58},
    CodeLook{CodeKind::Narrow, "too narrow", 55, 40, 86},
};

// A box's fill: "hsl(202,77%,74%)".
std::string flame_fill(const FlameBox& box, FlameColors colors);
// For comparisons: `share` and `share_before` of the whole, 0 to 1.
std::string change_fill(double share, double share_before);
std::string hsl(unsigned hue, unsigned saturation, unsigned lightness);

}  // namespace peregrine
