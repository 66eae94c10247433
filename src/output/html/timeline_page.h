// A timeline as one self-contained HTML page: lanes of CPUs, tasks, events, devices and cgroups over time. Uses no
// network; its script (html/timeline) unpacks the blocks that are visible.
//
//   head (JSON) · overview · script · stacks (JSON) · lanes of each block · fields of each block
//
// The script runs before the blocks are parsed, so a page of any size shows its overview at once.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline.h"
#include "base/types.h"
#include "output/html/packed_text.h"
#include "output/sink.h"

namespace peregrine {

struct TimelinePageText {
  std::string title, subtitle;
  std::string made_by;                                     // program and version
  std::vector<std::pair<std::string, std::string>> facts;  // of the recording, in order
  std::vector<std::string> notes;                          // what is missing, one sentence each
};

// Compresses blocks as they come, within a limit on the size of the page. Past three quarters of it, the fields of
// events are left out, and past all of it the blocks: the overview still shows these times. The page has at least its
// head, overview and script.
class TimelinePacker : public TimelineBlockSink {
 public:
  explicit TimelinePacker(u64 most_bytes) : most_bytes_(most_bytes) {}
  void take(TimelineBlock& block) override;
  // Call once, after the last block: packs the overview and the stacks, and leaves room for the page without blocks.
  // `text`: at least as long as the page's.
  void pack_rest(const Timeline& timeline, const TimelinePageText& text);
  // Leaves out the last fields, and if that is not enough the last blocks.
  void leave_room(u64 bytes);

  struct Packed {
    u64 first = 0;  // of the block
    std::optional<PackedText> lanes, fields;
  };
  const std::vector<Packed>& blocks() const { return blocks_; }
  const PackedText& overview() const { return overview_; }
  const PackedText& stacks() const { return stacks_; }
  // Of the blocks on the page.
  u64 bytes() const { return bytes_; }
  // Where details end, in ns since the start; nothing if they are complete.
  std::optional<u64> fields_end() const { return fields_end_; }
  std::optional<u64> lanes_end() const { return lanes_end_; }

 private:
  void drop(std::optional<PackedText> Packed::* part, std::optional<u64>& end);

  u64 most_bytes_, bytes_ = 0;
  std::vector<Packed> blocks_;
  PackedText overview_, stacks_;
  std::optional<u64> fields_end_, lanes_end_;
};

// `packed`: after pack_rest().
void print_timeline_page(Sink& out, const Timeline& timeline, const TimelinePacker& packed,
                         const TimelinePageText& text);

// The members of the page's head, without braces.
std::string timeline_json(const Timeline& timeline, const TimelinePacker& packed, const TimelinePageText& text);
// The overview as packed columns: for each kind of sum the number of lanes, and for each lane its first slot, the
// number of slots, and a column. Times are in 255ths of a slot.
std::string overview_columns(const TimelineOverview& overview);

}  // namespace peregrine
