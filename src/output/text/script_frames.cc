#include "output/text/script_frames.h"

#include <fmt/format.h>

#include <iterator>

namespace peregrine {

void append_symbol(std::string& out, Resolver& resolver, const Frame& frame, bool with_offset) {
  if (!frame.symbol) {
    out += "[unknown]";
    return;
  }
  out += resolver.symbol_name(frame);
  if (with_offset) fmt::format_to(std::back_inserter(out), "+0x{:x}", resolver.symbol_offset(frame));
}

std::string_view dso_text(const Resolver& resolver, const Frame& frame) {
  return frame.dso ? std::string_view(resolver.machine().dsos().at(frame.dso).name) : "[unknown]";
}

ScriptFrames::Line ScriptFrames::make_line(Resolver& resolver, FrameId id) {
  const Frame& frame = resolver.at(id);
  Line line;
  line.offset = static_cast<u32>(arena_.size());
  fmt::format_to(std::back_inserter(arena_), "\t{:16x}", frame.address);
  if ((fields_ & script_field::Sym) != 0) {
    arena_ += ' ';
    append_symbol(arena_, resolver, frame, (fields_ & script_field::SymOff) != 0);
  }
  if ((fields_ & script_field::Dso) != 0) fmt::format_to(std::back_inserter(arena_), " ({})", dso_text(resolver, frame));
  arena_ += '\n';
  line.length = static_cast<u32>(arena_.size()) - line.offset;
  // Whole blocks are copied from the last line too.
  arena_.reserve(arena_.size() + 4 * ScriptText::kSlack);
  if (lines_.size() < resolver.frame_count()) lines_.resize(resolver.frame_count() + resolver.frame_count() / 2);
  lines_[id.value] = line;
  return line;
}

}  // namespace peregrine
