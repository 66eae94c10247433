// Evlist: the events of one recording; maps each record to its event.
//
// Filled by Reader from the attr section (or HEADER_ATTR records) and completed from EVENT_DESC, GROUP_DESC,
// EVENT_TYPES and EVENT_UPDATE; filled by `capture`'s users for Writer. Queries are const and thread safe while nobody
// adds. Format and rules: docs/perf-data.md, "Events of records".
#pragma once
#include <string>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"

namespace peregrine::data {

inline constexpr u32 kNoEvent = 0xffffffffu;

struct Event {
  abi::EventAttr attr;
  std::vector<u64> ids;  // what the kernel called its instances (one per CPU and thread)
  std::string name;      // as recorded; empty: not recorded, `event` can spell it from the attr
  std::string unit;
  double scale = 1.0;
  std::vector<u32> cpus;   // the PMU's CPUs (EVENT_UPDATE); empty: not said
  u32 leader = kNoEvent;   // index of the group's leader, its own when it leads or is alone (set by Evlist::add)
  u32 members = 1;         // of a leader: events in the group, itself included
  std::string group_name;  // of a leader: "{anon_group}" is stored as empty

  bool grouped(const std::vector<Event>& all) const { return all[leader].members > 1; }
  // Its name stands elsewhere in the recording: config is but the number that the kernel had for it.
  bool is_nameless_tracepoint() const {
    return name.empty() && attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  }
};

class Evlist {
 public:
  explicit Evlist(ByteOrder order = kHostOrder) : order_(order) {}

  // Takes the event with its ids and returns its index.
  u32 add(Event event);
  // One more id of an event. An id that is already known keeps its first event; 0 is nobody's.
  void add_id(u32 event, u64 id);
  // Names the tracepoints of that config that have no name yet.
  void name_tracepoint(u64 config, std::string_view name);
  // Events [leader, leader + members) form a group.
  void set_group(u32 leader, u32 members, std::string name);

  std::size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  const Event& operator[](std::size_t index) const { return events_[index]; }
  Event& operator[](std::size_t index) { return events_[index]; }
  const std::vector<Event>& events() const { return events_; }
  std::vector<Event>::const_iterator begin() const { return events_.begin(); }
  std::vector<Event>::const_iterator end() const { return events_.end(); }
  ByteOrder order() const { return order_; }

  // The event that has this id, or kNoEvent.
  u32 find_id(u64 id) const;
  // The event of a kernel record, sample or side-band: by the id it carries; the first one when it carries none or 0,
  // or when there is only one event. kNoEvent when the id is nobody's, or the list is empty.
  u32 event_of(const abi::RecordView& record) const;
  // The attr by which a kernel record is decoded: that of event_of(), the first one when that is unknown. Not for an
  // empty list.
  const abi::EventAttr& attr_of(const abi::RecordView& record) const;
  // Whether the times of all events are read from that clock (CLOCK_*).
  bool all_use_clock(i32 clock) const;
  // The plan for samples of that event.
  const abi::SampleDecoder& decoder(u32 event) const { return decoders_[event]; }
  // Time of a kernel record in ns, or of an error in a trace; 0 when it has none (other user records never have).
  u64 time_of(const abi::RecordView& record) const;

 private:
  struct Slot {
    u64 id = 0;  // 0: free
    u32 event = kNoEvent;
  };
  void plan(const Event& event);
  void insert(u64 id, u32 event);
  u64 id_in(const abi::RecordView& record) const;

  ByteOrder order_;
  std::vector<Event> events_;
  std::vector<abi::SampleDecoder> decoders_;
  std::vector<Slot> slots_;  // open addressing, size a power of two, at most half full
  std::size_t used_ = 0;
  unsigned shift_ = 64;
  // Where ids and times stand, when all events agree on it (they do unless their sample_types differ); kMixed
  // otherwise.
  static constexpr u32 kMixed = 0xfffffffeu;
  u32 sample_id_at_ = abi::kAbsent;   // from the start of a sample
  u32 trailer_id_at_ = abi::kAbsent;  // from the end of a side-band record
  u32 sample_time_at_ = abi::kAbsent;
  u32 trailer_time_at_ = abi::kAbsent;
};

}  // namespace peregrine::data
