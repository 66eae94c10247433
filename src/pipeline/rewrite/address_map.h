// AddressMap: the addresses of one address space, each with another one in its place.
//
//   mappings ─▶ one piece of the new space each, in order of appearance        other pages ─▶ one new page each
//
// Distances within a mapping, and within a page, stay; all else of the old layout is gone. What was given for an
// address holds as long as mappings allow it: a new mapping over parts of two old ones must be in one piece.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "base/types.h"

namespace peregrine {

class AddressMap {
 public:
  // Where new addresses are taken from, and how far new pieces are apart.
  struct Areas {
    u64 pieces = 0, pieces_end = 0, gap = 0;
    u64 low_pieces = 0, low_end = 0, low_gap = 0;  // of what was below 4 GiB, as in programs of 32 bits; 0: the same
    u64 pages = 0, pages_end = 0;
  };
  explicit AddressMap(const Areas& areas)
      : areas_(areas), next_piece_(areas.pieces), next_low_piece_(areas.low_pieces), next_page_(areas.pages) {}

  // The new start of a mapping whose addresses can stay as they were given. Nothing: map() must change some.
  std::optional<u64> extend(u64 start, u64 length);
  u64 map(u64 start, u64 length);
  // As map(), and the mapping never shares a piece with pinned addresses.
  u64 map_apart(u64 start, u64 length);
  // From now on [start, end) is found from `to` on, except for what is mapped there.
  void pin(u64 start, u64 end, u64 to);
  u64 at(u64 address);
  // Whether the address is in a mapping.
  bool covers(u64 address) const;
  // Whether the address, below 4 GiB, can be in a heap, stack or library close to a mapping there.
  bool is_near_low_piece(u64 address) const;
  // Whether both are, at their old distance.
  bool keeps_distance(u64 one, u64 other) const;
  // New addresses are none that the other has given.
  void continue_behind(const AddressMap& other) {
    next_piece_ = other.next_piece_;
    next_low_piece_ = other.next_low_piece_;
    next_page_ = other.next_page_;
  }
  // How much there is to copy.
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
  std::map<u64, u64> used_;  // new addresses of pieces: end by start
  std::unordered_map<u64, u64> pages_;
};

}  // namespace peregrine
