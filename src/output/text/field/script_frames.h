// ScriptFrames: caches the output line of each frame of a resolver.
//
//   "\t           f82ad read+0xd (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
//
// Belongs to one worker and its resolver. User frames show the dso address; kernel frames and unmapped frames show the
// absolute one. Lines of unmapped frames are not cached, since broken stack walks produce very many.
#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.h"
#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// The address shown for a frame: absolute, relative to its binary, or both. AsPerf: like linux-perf, relative in call
// chains, otherwise absolute.
enum class ScriptAddresses : u8 { AsPerf, Absolute, Relative, Both };

class ScriptFrames {
 public:
  // Source information to add to frames.
  struct Source {
    SourceTable* table = nullptr;  // null: none
    bool inlined = false;          // add lines for inlined functions
    SourceTable::Place place = SourceTable::Place::Exact;
  };
  // `fields`: which of sym, symoff, dso and srcline (script_field bits).
  ScriptFrames(u64 fields, const Source& source) : fields_(fields), source_(source) {}

  // A line of a chain, and the same without address and newline, for a sample that has only an ip.
  void put_line(ScriptText& out, Resolver& resolver, FrameId frame) {
    if (frame.value < lines_.size() && lines_[frame.value].text != nullptr) {
      const Line line = lines_[frame.value];
      out.room(line.length);
      out.put_padded(line.text, line.length);
    } else {
      put_new(out, resolver, frame, 0);
    }
  }
  // A chain's line with its address as in `addresses`; `ip` is the absolute one. Not cached, since a frame may have
  // different addresses in several programs.
  void put_line_at(ScriptText& out, Resolver& resolver, FrameId frame, u64 ip, ScriptAddresses addresses);
  void put_tail(ScriptText& out, Resolver& resolver, FrameId frame) {
    if (frame.value < lines_.size() && lines_[frame.value].text != nullptr) {
      const Line line = lines_[frame.value];
      out.room(line.length);
      out.put_padded(line.text + kTail, line.length - kTail - 1);
    } else {
      put_new(out, resolver, frame, kTail);
    }
  }

 private:
  static constexpr u32 kTail = 17;  // after the tab and the address
  struct Line {
    const char* text = nullptr;  // in a block, followed by ScriptText::kSlack readable bytes
    u32 length = 0;
  };
  void put_new(ScriptText& out, Resolver& resolver, FrameId frame, u32 from);
  void format_line(Resolver& resolver, const Frame& frame);
  void format_address(const Frame& frame);
  void format_inlined(Resolver& resolver, const Frame& frame);
  void format_source_line(Resolver& resolver, const Frame& frame, SourceTextId line);
  const char* keep(std::string_view text);

  u64 fields_;
  Source source_;
  std::vector<InlinedFunction> inlined_;
  std::vector<Line> lines_;                                // by FrameId
  std::string line_;                                       // under construction
  ScriptAddresses addresses_ = ScriptAddresses::Relative;  // of its frame; ip_ too
  u64 ip_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* block_next_ = nullptr;
  std::size_t block_left_ = 0;
};

// The frame of an address in a sample. It may be in the other half of the address space than the code: the kernel reads
// user memory, and branches cross between them.
const Frame& frame_anywhere(Resolver& resolver, const ReplaySample& sample, u64 address);
// "read+0xd", "read" or "[unknown]".
void append_symbol(std::string& out, Resolver& resolver, const Frame& frame, bool with_offset);
// "/usr/lib/libc.so.6" or "[unknown]". `with_offset`: adds the dso address, except for the kernel's.
void append_dso(std::string& out, const Resolver& resolver, const Frame& frame, bool with_offset = false);

}  // namespace peregrine
