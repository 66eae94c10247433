#include "event/syntax/modifier.h"

#include <algorithm>
#include <cstddef>

#include "abi/attr.h"
#include "base/types.h"

namespace peregrine {

namespace {

namespace flag = abi::attr_flag;
constexpr u64 kModeFlags = flag::ExcludeUser | flag::ExcludeKernel | flag::ExcludeHv;
constexpr u64 kHosts = flag::ExcludeHost | flag::ExcludeGuest;

struct Effect {
  u64 flags = 0;
  unsigned precise = 0;
  bool mode_chosen = false, host_chosen = false;

  // The first of u, k, h excludes all three modes; each letter then allows its mode again.
  void allow(u64 mode) {
    if (!mode_chosen) flags |= kModeFlags;
    mode_chosen = true;
    flags &= ~mode;
  }
  void allow_host(u64 host) {
    if (!host_chosen) flags |= kHosts;
    host_chosen = true;
    flags &= ~host;
  }
};

void apply(char letter, bool guest, Effect& effect, EventSpec& spec, bool leader) {
  switch (letter) {
    case 'u':
      if (!effect.mode_chosen) effect.flags |= kModeFlags;
      effect.mode_chosen = true;
      if (!effect.host_chosen && !guest) effect.flags |= flag::ExcludeGuest;
      effect.flags &= ~flag::ExcludeUser;
      break;
    case 'k':
      effect.allow(flag::ExcludeKernel);
      break;
    case 'h':
      effect.allow(flag::ExcludeHv);
      break;
    case 'G':
      effect.allow_host(flag::ExcludeGuest);
      break;
    case 'H':
      effect.allow_host(flag::ExcludeHost);
      break;
    case 'I':
      effect.flags |= flag::ExcludeIdle;
      break;
    case 'p':
      ++effect.precise;
      if (!effect.host_chosen) effect.flags |= flag::ExcludeGuest;  // precise sampling does not work in guests
      break;
    case 'P':
      spec.precise_max = true;
      break;
    case 'S':
      spec.sample_read = true;
      break;
    case 'D':
      if (leader) spec.attr.set(flag::Pinned);
      break;
    case 'e':
      if (leader) spec.attr.set(flag::Exclusive);
      break;
    case 'W':
      spec.weak_group = true;
      break;
    case 'b':
      spec.bpf_counter = true;
      break;
    case 'R':
      spec.retire_latency = true;
      break;
  }
}

}  // namespace

bool valid_modifiers(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kModifierLetters.find(text[i]) == std::string_view::npos) return false;
    if (text[i] != 'p' && text.find(text[i], i + 1) != std::string_view::npos) return false;
  }
  return std::count(text.begin(), text.end(), 'p') <= 3;
}

bool apply_modifiers(std::string_view text, bool fresh, bool guest, EventSpec& spec, bool leader) {
  constexpr u64 kMask = kModeFlags | kHosts | flag::ExcludeIdle;
  Effect effect;
  if (!fresh) {
    effect.flags = spec.attr.flags & kMask;
    effect.precise = spec.attr.precise_ip();
    effect.mode_chosen = (effect.flags & kModeFlags) != 0;
    effect.host_chosen = spec.exclude_guest_chosen;
    spec.sample_read = false;  // a group is read as a whole or not at all
  }
  for (const char letter : text) apply(letter, guest, effect, spec, leader);
  if (effect.precise > 3) return false;
  spec.attr.flags = (spec.attr.flags & ~kMask) | effect.flags;
  spec.attr.set_precise_ip(effect.precise);
  spec.exclude_guest_chosen = effect.host_chosen;
  return true;
}

}  // namespace peregrine
