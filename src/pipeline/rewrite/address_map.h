// AddressMap: maps the addresses of one address space to made-up ones.
//
//   mappings ─▶ one piece of the new space each, in order of appearance        other pages ─▶ a new page each
//
// Preserves distances within a mapping and within a page; nothing else of the old layout. Results are stable as long as
// mappings allow: a new mapping that covers parts of two old ones must become one piece.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <unordered_map>

#include "base/types.h"

namespace peregrine {

class AddressMap {
 public:
  // The ranges for new addresses, and the gaps between pieces.
  struct Areas {
    u64 pieces = 0, pieces_end = 0, gap = 0;
    u64 low_pieces = 0, low_end = 0, low_gap = 0;  // for addresses below 4 GiB, as in 32-bit programs; 0: the same
    u64 pages = 0, pages_end = 0;
  };
  explicit AddressMap(const Areas& areas)
      : areas_(areas), next_piece_(areas.pieces), next_low_piece_(areas.low_pieces), next_page_(areas.pages) {}

  // The new start of a mapping if its addresses can keep their values. Nothing: map() must change some.
  std::optional<u64> extend(u64 start, u64 length);
  u64 map(u64 start, u64 length);
  // Like map(), but the mapping never shares a piece with pinned addresses.
  u64 map_apart(u64 start, u64 length);
  // From now on, maps [start, end) to `to`, except for existing mappings there.
  void pin(u64 start, u64 end, u64 to);
  u64 at(u64 address);
  // Whether the address is in a mapping.
  bool covers(u64 address) const;
  // Whether the address, below 4 GiB, may be in a heap, stack or library next to a mapping there.
  bool is_near_low_piece(u64 address) const;
  // Whether both are mapped, with their distance unchanged.
  bool keeps_distance(u64 one, u64 other) const;
  // Continues after the other map's new addresses, to avoid overlaps.
  void continue_behind(const AddressMap& other) {
    next_piece_ = other.next_piece_;
    next_low_piece_ = other.next_low_piece_;
    next_page_ = other.next_page_;
  }
  // The cost of copying it.
  std::size_t size() const { return pieces_.size() + used_.size() + pages_.size(); }

 private:
  struct Piece {
    u64 end = 0;
    u64 delta = 0;  // to add
    bool pinned = false;
  };
  using Pieces = std::map<u64, Piece>;  // by start; disjoint
  Pieces::const_iterator find(u64 address) const;
  Pieces::iterator first_behind(u64 start);
  bool is_free(u64 start, u64 end) const;
  bool try_delta(u64 start, u64 end, u64 delta);
  void put(u64 start, u64 end, u64 delta, bool pinned = false);
  u64 take_room(u64 from, u64 end);
  u64 take_room_in(u64 start, u64 end, u64 gap, u64 size, u64& next) const;

  Areas areas_;
  u64 next_piece_, next_low_piece_, next_page_;
  Pieces pieces_;
  std::map<u64, u64> used_;  // new addresses in use: end by start
  std::unordered_map<u64, u64> pages_;
};

}  // namespace peregrine
