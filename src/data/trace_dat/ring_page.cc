#include "data/trace_dat/ring_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <expected>

#include "event/field/trace_format.h"

namespace peregrine::data {
namespace {

constexpr u32 kDeltaBits = 27, kDeltaMask = (u32{1} << kDeltaBits) - 1;
constexpr u32 kWord = 4;
// Types of events; smaller ones are a length in words, and 0 means that the length follows.
constexpr u32 kPadding = 29, kTimeExtend = 30, kTimeStamp = 31, kLongestShort = 28;
constexpr u32 kCommitMask = kDeltaMask, kMissed = u32{1} << 31, kMissedCounted = u32{1} << 30;
constexpr u64 kStampMask = (u64{1} << 59) - 1;  // the part of an absolute time that an event can store

// The upper bits are those of the time before. Only if it has any, a smaller time means that the lower bits wrapped;
// else events are slightly out of order.
u64 absolute_time(u64 low, u64 before) {
  if (before <= kStampMask) return low;
  const u64 time = (before & ~kStampMask) | low;
  return time < before ? time + kStampMask + 1 : time;
}

u32 header_word(u32 type, u32 delta, ByteOrder order) {
  return order == ByteOrder::Little ? type | delta << 5 : type << kDeltaBits | delta;
}

u64 load_long(const std::byte* at, u32 size, ByteOrder order) {
  return size == 8 ? load<u64>(at, order) : load<u32>(at, order);
}

void store_long(std::byte* at, u32 size, u64 value, ByteOrder order) {
  if (size == 8)
    store(at, value, order);
  else
    store(at, static_cast<u32>(value), order);
}

std::size_t padded(std::size_t size) { return (size + kWord - 1) / kWord * kWord; }

}  // namespace

Result<RingLayout> parse_ring_layout(std::string_view header_page, u32 long_size, ByteOrder order) {
  RingLayout layout{.commit_size = long_size == 4 ? 4u : 8u, .order = order};
  layout.data_offset = layout.commit_offset + layout.commit_size;
  if (header_page.empty()) return layout;
  const auto format =
      parse_trace_format("", fmt::format("name: page\nID: 0\nformat:\n{}\nprint fmt: \"\"\n", header_page));
  const TraceField* commit = format ? format->find("commit") : nullptr;
  const TraceField* data = format ? format->find("data") : nullptr;
  if (commit == nullptr || data == nullptr)
    return fail(ErrorKind::Malformed, "header_page does not describe the pages of the ring buffer");
  layout = {.commit_offset = commit->offset, .commit_size = commit->size, .data_offset = data->offset, .order = order};
  if ((layout.commit_size != 4 && layout.commit_size != 8) || layout.commit_offset < 8 || layout.commit_offset > 64 ||
      layout.data_offset < layout.commit_offset + layout.commit_size || layout.data_offset > 128)
    return fail(ErrorKind::Malformed, "header_page describes overlapping or distant fields");
  return layout;
}

std::string ring_layout_text(u32 long_size, u32 page_size) {
  const u32 data = 8 + long_size;
  return fmt::format(
      "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n\tfield: local_t "
      "commit;\toffset:8;\tsize:{};\tsigned:1;\n"
      "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n\tfield: char data;\toffset:{};\tsize:{};\tsigned:0;\n",
      long_size, data, page_size - data);
}

RingPage::RingPage(Bytes page, const RingLayout& layout) : page_(page), order_(layout.order) {
  if (page.size() < layout.data_offset) {
    damaged_ = !page.empty();
    return;
  }
  time_ = load<u64>(page.data(), order_);
  const u64 commit = load_long(page.data() + layout.commit_offset, layout.commit_size, order_);
  at_ = layout.data_offset;
  const u64 size = commit & kCommitMask;
  damaged_ = size > page.size() - at_;
  end_ = damaged_ ? page.size() : at_ + static_cast<std::size_t>(size);
  if ((commit & kMissed) == 0) return;
  lost_ = 0;
  if ((commit & kMissedCounted) != 0 && page.size() - end_ >= layout.commit_size)
    lost_ = load_long(page.data() + end_, layout.commit_size, order_);
}

bool RingPage::stop_damaged() {
  damaged_ = true;
  at_ = end_;
  return false;
}

bool RingPage::next(RingEvent& event) {
  while (end_ - at_ >= kWord) {
    const u32 word = load<u32>(page_.data() + at_, order_);
    const u32 type = order_ == ByteOrder::Little ? word & 31 : word >> kDeltaBits;
    const u32 delta = order_ == ByteOrder::Little ? word >> 5 : word & kDeltaMask;
    if (type == kPadding && delta == 0) break;  // the rest of the page is empty
    at_ += kWord;
    std::size_t size = std::size_t{type} * kWord;
    if (type == 0 || type > kLongestShort) {
      if (end_ - at_ < kWord) return stop_damaged();
      const u32 second = load<u32>(page_.data() + at_, order_);
      at_ += kWord;
      if (type == kTimeExtend) {
        time_ += extended(delta, second);
        continue;
      }
      if (type == kTimeStamp) {
        time_ = absolute_time(extended(delta, second) & kStampMask, time_);
        continue;
      }
      if (second < kWord) return stop_damaged();
      size = padded(std::size_t{second} - kWord);
    }
    time_ += delta;
    if (size > end_ - at_) return stop_damaged();
    event = {.time = time_, .data = page_.subspan(at_, size)};
    at_ += size;
    if (type != kPadding) return true;
  }
  at_ = end_;
  return false;
}

RingPageWriter::RingPageWriter(const RingLayout& layout, u32 page_size)
    : layout_(layout), page_(page_size), at_(layout.data_offset) {}

bool RingPageWriter::can_hold(std::size_t size) const {
  // A time extension, the header and a length; the number of lost events.
  constexpr std::size_t kAround = 4 * kWord;
  return padded(size) + kAround + layout_.commit_size <= page_.size() - layout_.data_offset;
}

void RingPageWriter::put32(u32 value) {
  store(page_.data() + at_, value, layout_.order);
  at_ += sizeof value;
}

void RingPageWriter::begin_page(u64 time) {
  std::ranges::fill(page_, std::byte{});
  at_ = layout_.data_offset;
  time_ = time;
  finished_ = false;
  store(page_.data(), time, layout_.order);
}

bool RingPageWriter::add(u64 time, Bytes data) {
  if (finished_) begin_page(time);
  const u64 delta = time - time_;
  const std::size_t size = padded(data.size());
  const bool extend = delta > kDeltaMask, is_long = size == 0 || size > std::size_t{kLongestShort} * kWord;
  const std::size_t needed = size + (extend ? 2 * kWord : 0) + (is_long ? 2 * kWord : kWord);
  if (needed + layout_.commit_size > page_.size() - at_) return false;
  if (extend) {
    put32(header_word(kTimeExtend, static_cast<u32>(delta & kDeltaMask), layout_.order));
    put32(static_cast<u32>(delta >> kDeltaBits));
  }
  put32(header_word(is_long ? 0 : static_cast<u32>(size / kWord), extend ? 0 : static_cast<u32>(delta), layout_.order));
  if (is_long) put32(static_cast<u32>(size) + kWord);
  if (!data.empty()) std::memcpy(page_.data() + at_, data.data(), data.size());
  at_ += size;
  time_ = time;
  return true;
}

void RingPageWriter::add_lost(u64 count, u64 time) {
  lost_ += count;
  time_ = std::max(time_, time);
}

Bytes RingPageWriter::finish() {
  if (finished_) begin_page(time_);
  u64 commit = at_ - layout_.data_offset;
  if (lost_ != 0) {
    store_long(page_.data() + at_, layout_.commit_size, lost_, layout_.order);
    commit |= kMissed | kMissedCounted;
  }
  store_long(page_.data() + layout_.commit_offset, layout_.commit_size, commit, layout_.order);
  lost_ = 0;
  at_ = layout_.data_offset;
  finished_ = true;
  return page_;
}

}  // namespace peregrine::data
