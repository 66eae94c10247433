// ScriptFrames: the line that each frame of a resolver gets, made once and copied from then on.
//
//   "\t           f82ad read+0xd (/usr/lib/x86_64-linux-gnu/libc.so.6)\n"
//
// Belongs to one worker and its resolver. User frames show the address inside their dso, kernel frames and those in no
// map the address itself. Lines of frames in no map are written anew each time: a stack walk gone wrong finds very
// many.
#pragma once
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "machine/resolver/resolver.h"
#include "machine/source/source_table.h"
#include "output/text/field/script_fields.h"
#include "output/text/format/script_text.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

// Which address a frame shows: where the program has it, where its binary has it, or one beside the other. As
// linux-perf does: the latter in call chains, the former without.
enum class ScriptAddresses : u8 { AsPerf, Absolute, Relative, Both };

class ScriptFrames {
 public:
  // What is said of the source of a frame.
  struct Source {
    SourceTable* table = nullptr;  // null: nothing
    bool inlined = false;          // lines for the functions inlined there
    SourceTable::Place place = SourceTable::Place::Exact;
  };
  // `fields`: which of sym, symoff, dso and srcline are wanted (script_field bits).
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
  // A line of a chain whose address is shown as `addresses` says; `ip` is the absolute one. Not kept: several programs
  // have the same frame at different addresses.
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
  static constexpr u32 kTail = 17;  // behind the tab and the address
  struct Line {
    const char* text = nullptr;  // in a block, ScriptText::kSlack readable bytes behind it
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
  std::string line_;                                       // the one being made
  ScriptAddresses addresses_ = ScriptAddresses::Relative;  // of its frame, whose ip follows
  u64 ip_ = 0;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* block_next_ = nullptr;
  std::size_t block_left_ = 0;
};

// The frame of an address that the sample mentions. It may lie in the other half than the code that touched it: the
// kernel reads user memory, a branch leads from one into the other.
const Frame& frame_anywhere(Resolver& resolver, const ReplaySample& sample, u64 address);
// "read+0xd", "read" or "[unknown]".
void append_symbol(std::string& out, Resolver& resolver, const Frame& frame, bool with_offset);
// "/usr/lib/libc.so.6" or "[unknown]".
// The path; `with_offset`: and the address inside it, but for the kernel's.
void append_dso(std::string& out, const Resolver& resolver, const Frame& frame, bool with_offset = false);

}  // namespace peregrine
