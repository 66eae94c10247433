// AddressSpaces: the maps of all processes and of the kernel, with the moments in which they held.
//
//   space ── version 7 ── version 9 ── version 12        each map or unmap makes a version; a sample sees the newest
//              │ log: +A      +B          +C             one that is not after its moment
//              └ base: sorted, shared with the spaces that were forked from it
//
// A space is a sorted, immutable base plus a short log of changes. The newest entry that covers an address wins, so an
// overlapping map hides what it covers and leaves the rest. fork copies the log and shares the base. Written in order
// by Machine::apply, read by many threads in between.
#pragma once
#include <deque>
#include <span>
#include <vector>

#include "machine/moment.h"

namespace peregrine {

struct Map {
  u64 start = 0;
  u64 end = 0;            // first address behind it
  u64 page_offset = 0;    // file offset of start
  DsoId dso;              // invalid: a hole
  u16 protection = 0;     // MapProtection bits
  bool identity = false;  // the dso's addresses are the mapped ones (kernel, anonymous memory)
  bool shared = false;    // written through to the file

  u64 dso_address(u64 ip) const { return identity ? ip : ip - start + page_offset; }
};

// Names what a space looked like; each change of any space makes a new one, so it also tells spaces apart.
struct SpaceVersion {
  u32 number = 0;  // 0: no maps at all
  SpaceId space;
  Moment until = 0;  // it is the space's version for all moments before this one (as far as is known)
};

class AddressSpaces {
 public:
  SpaceId create(Moment moment);
  // A copy of what `parent` holds now.
  SpaceId fork(SpaceId parent, Moment moment);
  MapId insert(SpaceId space, const Map& map, Moment moment);
  // The same as insert() for each in turn, at once: for thousands.
  void insert_all(SpaceId space, std::span<const Map> maps, Moment moment);
  // Nothing is mapped there from now on.
  void remove(SpaceId space, u64 start, u64 end, Moment moment);

  SpaceVersion version(SpaceId space, Moment moment) const;
  // The map that covers `ip`; invalid when none does.
  MapId find(SpaceId space, u32 version, u64 ip) const { return cover(space, version, ip).map; }
  // The same, and all addresses around `ip` of which the answer is known to hold.
  struct Cover {
    MapId map;
    u64 start = 0, end = ~u64{0};
  };
  Cover cover(SpaceId space, u32 version, u64 ip) const;
  MapId find_newest(SpaceId space, u64 ip) const { return find(space, 0xffffffffu, ip); }
  // Whether that very map is what the newest version has there: of most code a dump tells before its time has come.
  bool is_in_place(SpaceId space, const Map& map) const;
  const Map& at(MapId id) const { return maps_[id.value]; }
  // All maps of the newest version, in order of address, cut where others overlap them.
  std::vector<Map> newest(SpaceId space) const;

  void forget_before(Moment moment);
  std::size_t map_count() const { return maps_.size(); }

 private:
  struct Change {
    u64 start, end;
    Moment from;
    u32 version;
    u32 map;
  };
  struct Range {
    u64 start, end;
    u32 map;
  };
  using Base = std::vector<Range>;  // disjoint, sorted
  struct Snapshot {
    u32 base = 0;     // index into bases_; 0 is the empty one
    u32 version = 0;  // of the base itself
    Moment from = 0;
    std::vector<Change> log;  // oldest first
  };
  struct Space {
    std::vector<Snapshot> snapshots;  // oldest first, at least one
  };

  MapId add_change(SpaceId space, const Map& map, Moment moment);
  void add_snapshot(SpaceId space, Snapshot snapshot, Base base);
  Base flatten(const Snapshot& snapshot) const;
  // Of ranges in turn, each over those before it.
  static Base painted(std::span<const Range> ranges);

  std::deque<Map> maps_;
  std::deque<Base> bases_{Base()};
  std::vector<Space> spaces_;
  std::vector<u32> grown_;  // spaces with more than one snapshot
  u32 next_version_ = 1;
};

}  // namespace peregrine
