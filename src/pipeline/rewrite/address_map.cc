#include "pipeline/rewrite/address_map.h"

#include <algorithm>
#include <iterator>

namespace peregrine {
namespace {

constexpr u64 kMapPage = 4096, kInMapPage = kMapPage - 1;
constexpr u64 kLowEnd = u64{1} << 32;
constexpr u64 kLongest = u64{1} << 44;  // longest mapping; addresses beyond it are mapped page by page
// Addresses that ASLR never moves, since the ABI fixes them: the null page, error numbers and context markers at the
// top, the vsyscall page of x86.
constexpr u64 kLastMapPage = ~kInMapPage, kVsyscall = 0xffffffffff600000u;

bool is_fixed(u64 address) {
  const u64 page = address & ~kInMapPage;
  return page == 0 || page == kLastMapPage || page == kVsyscall;
}

u64 end_of(u64 start, u64 length) {
  const u64 end = start + std::min(length, kLongest);
  return end < start || end > kLastMapPage ? kLastMapPage : (end + kInMapPage) & ~kInMapPage;
}

}  // namespace

AddressMap::Pieces::const_iterator AddressMap::find(u64 address) const {
  auto piece = pieces_.upper_bound(address);
  if (piece == pieces_.begin()) return pieces_.end();
  --piece;
  return address < piece->second.end ? piece : pieces_.end();
}

// Returns the first piece that ends after `start`.
AddressMap::Pieces::iterator AddressMap::first_behind(u64 start) {
  auto piece = pieces_.upper_bound(start);
  if (piece != pieces_.begin() && std::prev(piece)->second.end > start) --piece;
  return piece;
}

bool AddressMap::covers(u64 address) const { return find(address) != pieces_.end(); }

bool AddressMap::is_near_low_piece(u64 address) const {
  // The kernel places a heap up to 1 GiB after a program. Before a program at a low address there are only small
  // numbers.
  constexpr u64 kBehind = u64{5} << 28, kBefore = u64{1} << 28, kHigh = u64{1} << 30;
  if (address < kMapPage || address >= kLowEnd) return false;
  const auto behind = pieces_.upper_bound(address);
  if (behind != pieces_.end() && behind->first >= kHigh && behind->first < kLowEnd && behind->first - address < kBefore)
    return true;
  if (behind == pieces_.begin()) return false;
  const u64 end = std::prev(behind)->second.end;
  return address < end || address - end < kBehind;
}

bool AddressMap::keeps_distance(u64 one, u64 other) const {
  const auto here = find(one), there = find(other);
  return here != pieces_.end() && there != pieces_.end() && here->second.delta == there->second.delta;
}

bool AddressMap::is_free(u64 start, u64 end) const {
  const bool in_area = start >= areas_.pieces && end <= areas_.pieces_end;
  const bool in_low_area = start >= areas_.low_pieces && end <= areas_.low_end;
  if ((!in_area && !in_low_area) || end < start) return false;
  auto used = used_.upper_bound(start);
  if (used != used_.end() && used->first < end) return false;
  return used == used_.begin() || std::prev(used)->second <= start;
}

// Maps [start, end) with `delta` if every piece in it already has that delta and the target of the rest is free.
bool AddressMap::try_delta(u64 start, u64 end, u64 delta) {
  u64 at = start;
  for (auto piece = first_behind(start); piece != pieces_.end() && piece->first < end; ++piece) {
    if (piece->second.delta != delta) return false;
    if (piece->first > at && !is_free(at + delta, piece->first + delta)) return false;
    at = std::max(at, piece->second.end);
  }
  if (at < end && !is_free(at + delta, end + delta)) return false;
  put(start, end, delta);
  return true;
}

// Replaces whatever was mapped there. Keeps the pieces disjoint, and joins overlapping ones with the same delta.
// `used_` is the union of all new ranges ever given out: a range stays used, so that no new address gets two meanings.
void AddressMap::put(u64 start, u64 end, u64 delta, bool pinned) {
  u64 new_start = start, new_end = end;
  auto piece = first_behind(start);
  while (piece != pieces_.end() && piece->first < end) {
    const auto [old_start, old] = *piece;
    piece = pieces_.erase(piece);
    if (old.delta == delta) {
      new_start = std::min(new_start, old_start);
      new_end = std::max(new_end, old.end);
      continue;
    }
    if (old_start < start) pieces_[old_start] = {start, old.delta, old.pinned};
    if (old.end > end) pieces_[end] = {old.end, old.delta, old.pinned};
  }
  pieces_[new_start] = {new_end, delta, pinned};
  u64 used_start = new_start + delta, used_end = new_end + delta;
  auto used = used_.upper_bound(used_start);
  if (used != used_.begin() && std::prev(used)->second >= used_start) --used;
  while (used != used_.end() && used->first <= used_end) {
    used_start = std::min(used_start, used->first);
    used_end = std::max(used_end, used->second);
    used = used_.erase(used);
  }
  used_[used_start] = used_end;
}

u64 AddressMap::take_room_in(u64 start, u64 end, u64 gap, u64 size, u64& next) const {
  const auto last = used_.upper_bound(end);
  // Mappings may have grown in the meantime, also into the area from below.
  if (last != used_.begin() && std::prev(last)->second > start) next = std::max(next, std::prev(last)->second + gap);
  if (next > end || end - next < size) next = start;  // area full: only a crafted recording gets here
  const u64 room = next;
  next += std::min(size + gap, end - room);
  return room;
}

u64 AddressMap::take_room(u64 from, u64 end) {
  const u64 size = end - from;
  if (end <= kLowEnd && size < areas_.low_end - areas_.low_pieces)
    return take_room_in(areas_.low_pieces, areas_.low_end, areas_.low_gap, size, next_low_piece_);
  return take_room_in(areas_.pieces, areas_.pieces_end, areas_.gap, size, next_piece_);
}

std::optional<u64> AddressMap::extend(u64 start, u64 length) {
  const u64 from = start & ~kInMapPage, end = end_of(start, length);
  if (is_fixed(start)) return start;
  if (end <= from) return at(start);
  const auto behind = first_behind(from);
  if (behind != pieces_.end() && behind->first < end) {
    const u64 delta = behind->second.delta;
    if (!try_delta(from, end, delta)) return std::nullopt;
    return start + delta;
  }
  // Adjacent to a piece: keep it adjacent if possible, since a file is mapped in several parts.
  if (behind != pieces_.begin() && std::prev(behind)->second.end == from && !std::prev(behind)->second.pinned) {
    const u64 delta = std::prev(behind)->second.delta;
    if (try_delta(from, end, delta)) return start + delta;
  }
  const u64 delta = take_room(from, end) - from;
  put(from, end, delta);
  return start + delta;
}

u64 AddressMap::map(u64 start, u64 length) {
  if (const auto known = extend(start, length)) return *known;
  const u64 from = start & ~kInMapPage, end = end_of(start, length);
  const u64 delta = take_room(from, end) - from;
  put(from, end, delta);
  return start + delta;
}

u64 AddressMap::map_apart(u64 start, u64 length) {
  const u64 from = start & ~kInMapPage, end = end_of(start, length);
  for (auto piece = first_behind(from); !is_fixed(start) && piece != pieces_.end() && piece->first < end;) {
    const auto [old_start, old] = *piece;
    if (!old.pinned) {
      ++piece;
      continue;
    }
    piece = pieces_.erase(piece);
    if (old_start < from) pieces_[old_start] = {from, old.delta, true};
    if (old.end > end) pieces_[end] = {old.end, old.delta, true};
  }
  return map(start, length);
}

void AddressMap::pin(u64 start, u64 end, u64 to) {
  const u64 delta = to - start;
  while (start < end) {
    const auto piece = first_behind(start);
    const bool last = piece == pieces_.end() || piece->first >= end;
    const u64 gap_end = last ? end : piece->first, next = last ? end : piece->second.end;
    if (start < gap_end) put(start, gap_end, delta, true);
    start = next;
  }
}

u64 AddressMap::at(u64 address) {
  if (is_fixed(address)) return address;
  auto piece = find(address);
  // A return address can be just past the end of a mapping if the call is its last instruction.
  if (piece == pieces_.end()) piece = find(address - 1);
  if (piece != pieces_.end()) return address + piece->second.delta;
  const auto [page, added] = pages_.try_emplace(address & ~kInMapPage, next_page_);
  if (added) {
    next_page_ += kMapPage;
    if (next_page_ >= areas_.pages_end) next_page_ = areas_.pages;
  }
  return page->second | (address & kInMapPage);
}

}  // namespace peregrine
