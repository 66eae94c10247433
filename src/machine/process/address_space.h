// AddressSpaces: the maps of all processes and of the kernel over time.
//
//   space ── version 7 ── version 9 ── version 12        each map or unmap makes a version; a sample sees the newest
//              │ log: +A      +B          +C             one that is not after its moment
//              └ base: sorted, shared with the spaces that were forked from it
//
// A space is a sorted, immutable base plus a short log of changes. The newest entry that covers an address wins, so an
// overlapping map hides what it covers and leaves the rest. fork copies nothing: parent and child share the base and
// the log so far (an Inheritance). A base is freed when no snapshot uses it. Written in order by Machine::apply, read
// by many threads in between.
//
// The cost must stay proportional to the size of the file, even with a million maps and forks. So each change is kept
// once, and a base is made only after enough changes in its space, or when the changes of all spaces have paid for it.
#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "base/types.h"
#include "machine/process/moment.h"

namespace peregrine {

struct Map {
  u64 start = 0;
  u64 end = 0;            // first address after it
  u64 page_offset = 0;    // file offset of start
  DsoId dso;              // invalid: a hole
  u16 protection = 0;     // MapProtection bits
  bool identity = false;  // dso addresses equal mapped addresses (kernel, anonymous memory)
  bool shared = false;    // writes go to the file

  u64 dso_address(u64 ip) const { return identity ? ip : ip - start + page_offset; }
};

// A version of a space. Each change of any space creates a new number, so numbers also distinguish spaces.
struct SpaceVersion {
  u32 number = 0;  // 0: no maps
  SpaceId space;
  Moment until = 0;  // valid for all moments before this one (as far as known)
};

class AddressSpaces {
 public:
  SpaceId create(Moment moment);
  // Creates a copy of the parent's present maps.
  SpaceId fork(SpaceId parent, Moment moment);
  MapId insert(SpaceId space, const Map& map, Moment moment);
  // Same as insert() for each map in turn, but efficient for thousands.
  void insert_all(SpaceId space, std::span<const Map> maps, Moment moment);
  // Unmaps the range from now on.
  void remove(SpaceId space, u64 start, u64 end, Moment moment);

  SpaceVersion version(SpaceId space, Moment moment) const;
  // Returns the map that covers `ip`, or an invalid id.
  MapId find(SpaceId space, u32 version, u64 ip) const { return cover(space, version, ip).map; }
  // Same, with a range of addresses around `ip` that have the same answer.
  struct Cover {
    MapId map;
    u64 start = 0, end = ~u64{0};
  };
  Cover cover(SpaceId space, u32 version, u64 ip) const;
  MapId find_newest(SpaceId space, u64 ip) const { return find(space, 0xffffffffu, ip); }
  // Whether the newest version has exactly this map in place. Most dumped code is mapped before its time.
  bool is_in_place(SpaceId space, const Map& map) const;
  const Map& at(MapId id) const { return maps_[id.value]; }
  // Returns all maps of the newest version that touch [start, end), sorted by address and cut where others overlap
  // them.
  std::vector<Map> newest(SpaceId space, u64 start = 0, u64 end = ~u64{0}) const;

  void forget_before(Moment moment);
  // Frees the spaces with a false element and all maps that no other space uses; freed ids are reused. `kept` must
  // have space_count() elements. Walks everything, so callers should wait for is_worth_sweeping().
  void keep(const std::vector<bool>& kept);
  // Sets the elements of all dsos that a map of a kept space comes from, and enlarges `dsos` for them.
  void mark_dsos(std::vector<bool>& dsos) const;
  bool is_worth_sweeping() const { return changes_ > 2 * kept_maps_ + kFreeChanges; }
  std::size_t space_count() const { return spaces_.size(); }
  std::size_t map_count() const { return maps_.size() - free_maps_.size(); }
  // Returns the size of the dso's largest map ever, or 0.
  u64 largest_map(DsoId dso) const { return dso.value < largest_.size() ? largest_[dso.value] : 0; }
  // Ranges in all bases together: the memory of the spaces besides their changes.
  u64 base_ranges() const { return base_ranges_; }

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
  struct HeldBase {
    Base ranges;
    u32 holders = 0;  // number of snapshots that use it
  };
  // The log of a space at the time of a fork.
  struct Inheritance {
    u32 before = 0;        // what that space had inherited; 0: nothing
    std::size_t size = 0;  // number of changes, including those before
    std::vector<Change> log;
  };
  struct Snapshot {
    u32 base = 0;       // index into bases_; 0 is the empty one
    u32 inherited = 0;  // index into inheritances_; 0: nothing
    u32 version = 0;    // of the base
    Moment from = 0;
    std::vector<Change> log;  // oldest first; follows the inherited changes
  };
  struct Space {
    std::vector<Snapshot> snapshots;  // oldest first; empty: the space was freed
  };

  static constexpr std::size_t kFreeChanges = 4096;

  SpaceId add_space(Snapshot snapshot);
  u32 add_map(const Map& map);
  MapId add_change(SpaceId space, const Map& map, Moment moment);
  void add_snapshot(SpaceId space, Snapshot snapshot, Base base);
  void release(u32 base);
  void mark_maps(std::vector<bool>& maps, std::vector<bool>& inheritances) const;
  bool is_worth_a_base(const Snapshot& snapshot) const;
  const Base& base_of(const Snapshot& snapshot) const { return bases_[snapshot.base].ranges; }
  std::size_t log_size(const Snapshot& snapshot) const {
    return inheritances_[snapshot.inherited].size + snapshot.log.size();
  }
  // Calls `visit` with the changes of a snapshot, newest first, until it returns false.
  template <class Visit>
  void newest_first(const Snapshot& snapshot, Visit visit) const;
  const Change* newest_change(const Snapshot& snapshot) const;
  // Returns the maps of a snapshot between two addresses.
  Base flatten(const Snapshot& snapshot, u64 start = 0, u64 end = ~u64{0}) const;
  // Paints ranges in turn, each over those before it.
  static Base painted(std::span<const Range> ranges);

  std::deque<Map> maps_;
  std::deque<HeldBase> bases_{HeldBase()};
  std::deque<Inheritance> inheritances_{Inheritance()};
  u64 base_ranges_ = 0;
  std::vector<Space> spaces_;
  std::vector<u32> grown_;  // spaces with more than one snapshot
  u32 next_version_ = 1;
  std::vector<u32> free_maps_, free_bases_, free_inheritances_, free_spaces_;
  std::size_t changes_ = 0;    // maps added since the last keep()
  std::size_t kept_maps_ = 0;  // maps left by the last keep()
  std::vector<u64> largest_;   // indexed by dso
};

}  // namespace peregrine
