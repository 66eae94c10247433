// ScriptFrames: the line that each frame of a resolver gets, made once and copied from then on.
//
//   "\t           f82ad read+0xd (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
//
// Belongs to one worker and its resolver. User frames show the address inside their dso, kernel frames and those in no map
// the address itself. Lines are followed by ScriptText::kSlack readable bytes.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "machine/resolver.h"
#include "output/text/script_fields.h"
#include "output/text/script_text.h"

namespace peregrine {

class ScriptFrames {
 public:
  // `fields`: which of sym, symoff and dso are wanted (script_field bits).
  explicit ScriptFrames(u64 fields = 0) : fields_(fields) { arena_.reserve(std::size_t{1} << 16); }

  // A line of a chain, and the same without address and newline, for a sample that has only an ip.
  void put_line(ScriptText& out, Resolver& resolver, FrameId frame) {
    const Line line = line_of(resolver, frame);
    out.room(line.length);
    out.put_padded(arena_.data() + line.offset, line.length);
  }
  void put_tail(ScriptText& out, Resolver& resolver, FrameId frame) {
    const Line line = line_of(resolver, frame);
    out.room(line.length);
    out.put_padded(arena_.data() + line.offset + kTail, line.length - kTail - 1);
  }

 private:
  static constexpr u32 kTail = 17;  // behind the tab and the address
  struct Line {
    u32 offset = 0;
    u32 length = 0;
  };
  Line line_of(Resolver& resolver, FrameId frame) {
    if (frame.value < lines_.size() && lines_[frame.value].length != 0) return lines_[frame.value];
    return make_line(resolver, frame);
  }
  Line make_line(Resolver& resolver, FrameId frame);

  u64 fields_;
  std::vector<Line> lines_;  // by FrameId
  std::string arena_;
};

// "read+0xd", "read" or "[unknown]".
void append_symbol(std::string& out, Resolver& resolver, const Frame& frame, bool with_offset);
// "/usr/lib/libc.so.6" or "[unknown]".
std::string_view dso_text(const Resolver& resolver, const Frame& frame);

}  // namespace peregrine
