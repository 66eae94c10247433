// RingPage and RingPageWriter: one page of the kernel's ring buffer, as trace_pipe_raw delivers it and trace.dat stores
// it.
//
//   u64 time | commit, a long: size of the events and two flags | events … | number of lost events
//
// An event begins with 32 bits: 5 for its length or type, 27 for the time since the event before it. The page header's
// layout is described by the file header_page, and the events' by header_event of tracefs. Pages are untrusted: each
// size is checked.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/result.h"
#include "base/types.h"

namespace peregrine::data {

// Pages are at most this large: 64 kB on some machines, and the kernel can be told to use larger ones.
inline constexpr u32 kLargestRingPage = u32{1} << 20;

struct RingLayout {
  u32 commit_offset = 8, commit_size = 8, data_offset = 16;
  ByteOrder order = kHostOrder;
};

// From the text of header_page. An empty text means the usual layout of kernels with longs of `long_size` bytes.
// Malformed: fields are missing or overlap.
Result<RingLayout> parse_ring_layout(std::string_view header_page, u32 long_size, ByteOrder order);
// The text of header_page for pages of this size, in the usual layout.
std::string ring_layout_text(u32 long_size, u32 page_size);

struct RingEvent {
  u64 time = 0;
  Bytes data;  // of the page; its size is a multiple of 4
};

class RingPage {
 public:
  RingPage() = default;
  // `page` must outlive this.
  RingPage(Bytes page, const RingLayout& layout);
  // False at the end of the page, or where a size exceeds it.
  bool next(RingEvent& event);
  // Of the event that next() returned last; before, that of the page.
  u64 time() const { return time_; }
  // How many events were lost before the first one of this page; 0 if the number is unknown, nothing if none was lost.
  std::optional<u64> lost() const { return lost_; }
  // Whether a size exceeded the page.
  bool damaged() const { return damaged_; }

 private:
  u64 extended(u32 delta, u32 high) const { return (u64{high} << 27) + delta; }
  bool stop_damaged();

  Bytes page_;
  ByteOrder order_ = kHostOrder;
  std::size_t at_ = 0, end_ = 0;
  u64 time_ = 0;
  std::optional<u64> lost_;
  bool damaged_ = false;
};

class RingPageWriter {
 public:
  RingPageWriter(const RingLayout& layout, u32 page_size);
  bool empty() const { return at_ == layout_.data_offset; }
  // Whether an event of this size fits into an empty page.
  bool can_hold(std::size_t size) const;
  // `time` must not precede the last one. The data is padded to a multiple of 4 bytes. Returns false and changes
  // nothing if the page has no room left.
  bool add(u64 time, Bytes data);
  // Before the first event of a page: events that were lost until `time`. Counts add up.
  void add_lost(u64 count, u64 time);
  bool has_lost() const { return lost_ != 0; }
  // The complete page, valid until the next add(), which begins another one. Without events, the page has only the
  // number of lost events.
  Bytes finish();

 private:
  void put32(u32 value);
  void begin_page(u64 time);

  RingLayout layout_;
  std::vector<std::byte> page_;
  std::size_t at_;
  u64 time_ = 0, lost_ = 0;
  bool finished_ = true;
};

}  // namespace peregrine::data
