#include "data/trace_dat/ring_page.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "support/byte_buffer.h"

namespace peregrine::data {
namespace {

using support::ByteBuffer;
using support::Endian;

constexpr u32 kPage = 256;

// A page as the kernel fills it, in either byte order.
class PageByHand {
 public:
  explicit PageByHand(Endian endian, u64 time = 1000) : events_(endian), time_(time) {}

  PageByHand& header(u32 type, u32 delta) {
    events_.put32(events_.endian() == Endian::Little ? type | delta << 5 : type << 27 | delta);
    return *this;
  }
  PageByHand& word(u32 value) {
    events_.put32(value);
    return *this;
  }
  std::vector<std::byte> bytes(u64 flags = 0, u64 lost = 0) const {
    ByteBuffer page(events_.endian());
    page.put64(time_).put64(events_.size() | flags).append(events_.bytes()).put64(lost);
    page.zeros(kPage - page.size());
    return page.bytes();
  }
  RingLayout layout() const {
    return {.order = events_.endian() == Endian::Little ? ByteOrder::Little : ByteOrder::Big};
  }

 private:
  ByteBuffer events_;
  u64 time_;
};

std::vector<std::pair<u64, std::size_t>> events_of(RingPage page) {
  std::vector<std::pair<u64, std::size_t>> events;
  RingEvent event;
  while (page.next(event)) events.emplace_back(event.time, event.data.size());
  return events;
}

using Events = std::vector<std::pair<u64, std::size_t>>;

TEST(RingPage, ReadsEveryKindOfEventInBothByteOrders) {
  for (const Endian endian : {Endian::Little, Endian::Big}) {
    PageByHand page(endian);
    page.header(2, 5).word(1).word(2);              // 8 bytes, 5 ns later
    page.header(0, 1).word(4 + 6).word(3).word(4);  // a length of 6, padded
    page.header(30, 3).word(1);                     // 2^27 + 3 ns
    page.header(1, 0).word(5);
    page.header(29, 7).word(8).word(0);  // discarded
    page.header(1, 1).word(6);
    page.header(31, 9).word(2);  // the time is 2^28 + 9
    page.header(1, 0).word(7);
    const auto bytes = page.bytes();
    const u64 extended = 1006 + (u64{1} << 27) + 3;
    EXPECT_EQ(events_of(RingPage(bytes, page.layout())),
              (Events{{1005, 8}, {1006, 8}, {extended, 4}, {extended + 8, 4}, {(u64{1} << 28) + 9, 4}}));
  }
}

// The kernel adds the upper bits of the page's time only if it has any.
TEST(RingPage, AbsoluteTimesMayBeSlightlyEarlier) {
  PageByHand page(Endian::Little, 1000);
  page.header(31, 999).word(0).header(1, 2).word(1);
  const auto bytes = page.bytes();
  EXPECT_EQ(events_of(RingPage(bytes, page.layout())), (Events{{1001, 4}}));
  constexpr u64 kTop = u64{1} << 59;
  PageByHand wrapped(Endian::Little, kTop + 1000);
  wrapped.header(31, 999).word(0).header(1, 2).word(1);
  const auto later = wrapped.bytes();
  EXPECT_EQ(events_of(RingPage(later, wrapped.layout())), (Events{{2 * kTop + 1001, 4}}));
}

TEST(RingPage, StopsWhereTheRestIsEmpty) {
  PageByHand page(Endian::Little);
  page.header(1, 0).word(1).header(29, 0).word(0);
  const auto bytes = page.bytes();
  RingPage read(bytes, page.layout());
  RingEvent event;
  EXPECT_TRUE(read.next(event));
  EXPECT_FALSE(read.next(event));
  EXPECT_FALSE(read.damaged());
}

TEST(RingPage, KnowsHowManyEventsWereLost) {
  PageByHand page(Endian::Little);
  page.header(1, 0).word(1);
  constexpr u64 kMissed = u64{1} << 31, kCounted = u64{1} << 30;
  EXPECT_EQ(RingPage(page.bytes(), page.layout()).lost(), std::nullopt);
  EXPECT_EQ(RingPage(page.bytes(kMissed), page.layout()).lost(), 0u);
  EXPECT_EQ(RingPage(page.bytes(kMissed | kCounted, 12), page.layout()).lost(), 12u);
}

TEST(RingPage, ADamagedPageEndsAtTheDamage) {
  PageByHand page(Endian::Little);
  page.header(1, 0).word(1).header(28, 0).word(2);  // 112 bytes, but the page ends
  const auto bytes = page.bytes();
  RingPage read(bytes, page.layout());
  RingEvent event;
  EXPECT_TRUE(read.next(event));
  EXPECT_FALSE(read.next(event));
  EXPECT_TRUE(read.damaged());
  EXPECT_FALSE(read.next(event));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    RingPage cut(Bytes(bytes).first(size), page.layout());
    while (cut.next(event)) EXPECT_LE(event.data.size(), size);
  }
}

TEST(RingLayout, ComesFromHeaderPage) {
  for (const u32 long_size : {4u, 8u}) {
    const auto layout = parse_ring_layout(ring_layout_text(long_size, 4096), long_size, ByteOrder::Big);
    ASSERT_TRUE(layout);
    EXPECT_EQ(layout->commit_size, long_size);
    EXPECT_EQ(layout->data_offset, 8 + long_size);
    EXPECT_EQ(layout->order, ByteOrder::Big);
    EXPECT_EQ(parse_ring_layout("", long_size, ByteOrder::Big)->data_offset, 8 + long_size);
  }
  EXPECT_FALSE(parse_ring_layout("other text", 8, ByteOrder::Little));
  EXPECT_FALSE(
      parse_ring_layout("\tfield: long commit;\toffset:0;\tsize:8;\tsigned:1;\n"
                        "\tfield: char data;\toffset:4;\tsize:9;\tsigned:1;\n",
                        8, ByteOrder::Little));
}

TEST(RingPageWriter, WritesWhatRingPageReads) {
  for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
    for (const u32 long_size : {4u, 8u}) {
      const RingLayout layout{.commit_size = long_size, .data_offset = 8 + long_size, .order = order};
      RingPageWriter writer(layout, kPage);
      EXPECT_TRUE(writer.empty());
      const std::vector<std::byte> data(130, std::byte{7});
      writer.add_lost(1, 4000);
      writer.add_lost(2, 4500);
      EXPECT_TRUE(writer.add(5000, Bytes(data).first(6)));
      EXPECT_TRUE(writer.add(5001, Bytes(data).first(112)));
      EXPECT_TRUE(writer.add(u64{1} << 40, Bytes(data).first(4)));
      EXPECT_FALSE(writer.add(u64{1} << 41, data));
      const auto page = writer.finish();
      EXPECT_TRUE(writer.empty());
      EXPECT_EQ(RingPage(page, layout).lost(), 3u);
      EXPECT_EQ(events_of(RingPage(page, layout)), (Events{{5000, 8}, {5001, 112}, {u64{1} << 40, 4}}));
      EXPECT_TRUE(writer.add(u64{1} << 41, data));
      const auto second = writer.finish();
      EXPECT_EQ(RingPage(second, layout).lost(), std::nullopt);
      EXPECT_EQ(events_of(RingPage(second, layout)), (Events{{u64{1} << 41, 132}}));
      EXPECT_TRUE(writer.can_hold(200));
      EXPECT_FALSE(writer.can_hold(kPage));
    }
  }
}

TEST(RingPageWriter, LostEventsNeedNoOtherEvent) {
  const RingLayout layout;
  RingPageWriter writer(layout, kPage);
  const std::vector<std::byte> data(8, std::byte{7});
  EXPECT_TRUE(writer.add(5000, data));
  writer.finish();
  EXPECT_FALSE(writer.has_lost());
  writer.add_lost(9, 6000);
  EXPECT_TRUE(writer.has_lost() && writer.empty());
  const Bytes page = writer.finish();
  EXPECT_EQ(RingPage(page, layout).lost(), 9u);
  EXPECT_EQ(events_of(RingPage(page, layout)), Events{});
  EXPECT_EQ(RingPage(page, layout).time(), 6000u);
  EXPECT_FALSE(writer.has_lost());
}

}  // namespace
}  // namespace peregrine::data
