// TextCache: caches Python strings of recurring texts: comms, device names. Direct-mapped.
#pragma once
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/types.h"
#include "script/python/object.h"

namespace peregrine::script {

class TextCache {
 public:
  Ref find(std::string_view text) {
    Slot& slot = slots_[hash(text) % kSlots];
    if (slot.object && slot.text == text) return share(slot.object.get());
    slot.object = text_object(text);
    slot.text = text;
    return share(slot.object.get());
  }

 private:
  static constexpr std::size_t kSlots = 1024;
  struct Slot {
    std::string text;
    Ref object;
  };
  static std::size_t hash(std::string_view text) {
    u64 sum = 0xcbf29ce484222325u;
    for (const char c : text) sum = (sum ^ static_cast<u8>(c)) * 0x100000001b3u;
    return sum ^ sum >> 29;
  }
  std::array<Slot, kSlots> slots_;
};

}  // namespace peregrine::script
