// Evlist: the events of one recording; maps each record to its event.
//
// Filled by Reader from the attr section (or HEADER_ATTR records) and completed from EVENT_DESC, GROUP_DESC,
// EVENT_TYPES and EVENT_UPDATE; filled by the users of `capture` for Writer. Const functions are thread safe while no
// thread adds events. Format and rules: docs/perf-data.md, "Events of records".
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/record.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"

namespace peregrine::data {

inline constexpr u32 kNoEvent = 0xffffffffu;

struct Event {
  abi::EventAttr attr;
  std::vector<u64> ids;  // assigned by the kernel, one per CPU and thread
  std::string name;      // as recorded; if empty, `event` can format it from the attr
  std::string unit;
  double scale = 1.0;
  std::vector<u32> cpus;   // the PMU's CPUs (EVENT_UPDATE); empty if not recorded
  u32 leader = kNoEvent;   // index of the group's leader, or the event's own index if it leads or is alone (set by
                           // Evlist::add)
  u32 members = 1;         // of a leader: number of events in the group, including itself
  std::string group_name;  // of a leader: "{anon_group}" is stored as empty

  bool grouped(const std::vector<Event>& all) const { return all[leader].members > 1; }
  // The name must come from another part of the recording: config is only a number assigned by the kernel.
  bool is_nameless_tracepoint() const {
    return name.empty() && attr.type == static_cast<u32>(abi::EventType::Tracepoint);
  }
};

class Evlist {
 public:
  explicit Evlist(ByteOrder order = kHostOrder);

  // Adds an event with its ids and returns its index.
  u32 add(Event event);
  // Adds an id to an event. An id that is already known stays with its first event; 0 is ignored.
  void add_id(u32 event, u64 id);
  // Names all unnamed tracepoints with this config.
  void name_tracepoint(u64 config, std::string_view name);
  // Makes a group of the events [leader, leader + members).
  void set_group(u32 leader, u32 members, std::string name);

  std::size_t size() const { return events_.size(); }
  bool empty() const { return events_.empty(); }
  const Event& operator[](std::size_t index) const { return events_[index]; }
  Event& operator[](std::size_t index) { return events_[index]; }
  const std::vector<Event>& events() const { return events_; }
  std::vector<Event>::const_iterator begin() const { return events_.begin(); }
  std::vector<Event>::const_iterator end() const { return events_.end(); }
  ByteOrder order() const { return order_; }

  // Returns the event with this id, or kNoEvent.
  u32 find_id(u64 id) const;
  // Returns the event of a kernel record, by the id in the record. If the record has no id or id 0, or there is only
  // one event, returns the first event. Returns kNoEvent if the id is unknown or the list is empty.
  u32 event_of(const abi::RecordView& record) const;
  // Returns the attr to decode a kernel record with: that of event_of(), or the first one if the event is unknown. The
  // list must not be empty.
  const abi::EventAttr& attr_of(const abi::RecordView& record) const;
  // Whether all events use this clock (CLOCK_*).
  bool all_use_clock(i32 clock) const;
  // Returns the decoder for samples of this event.
  const abi::SampleDecoder& decoder(u32 event) const { return decoders_[event]; }
  // Returns the time of a kernel record or of a trace error in ns, or 0 if it has none. Other user records have no
  // time.
  u64 time_of(const abi::RecordView& record) const;
  // Where time_of() and event_of() look in a sample, or nothing if that depends on the event.
  struct SamplePlaces {
    u32 time = abi::kAbsent, id = abi::kAbsent;  // offsets; abi::kAbsent: always time 0, always the first event
  };
  std::optional<SamplePlaces> sample_places() const;

 private:
  struct Slot {
    u64 id = 0;  // 0: free slot
    u32 event = kNoEvent;
  };
  void plan(const Event& event);
  void insert(u64 id, u32 event);
  u32 sample_id_place() const;
  u64 id_in(const abi::RecordView& record) const;

  ByteOrder order_;
  std::vector<Event> events_;
  std::vector<abi::SampleDecoder> decoders_;
  std::vector<Slot> slots_;  // open addressing; the size is a power of two; at most half full
  std::size_t used_ = 0;
  unsigned shift_ = 64;
  // Multiplies ids. Random, so that no file can choose ids that collide.
  u64 mixer_;
  // Offsets of ids and times if all events agree; kMixed if their sample_types place them differently.
  static constexpr u32 kMixed = 0xfffffffeu;
  u32 sample_id_at_ = abi::kAbsent;   // offset from the start of a sample
  u32 trailer_id_at_ = abi::kAbsent;  // distance from the end of a side-band record
  u32 sample_time_at_ = abi::kAbsent;
  u32 trailer_time_at_ = abi::kAbsent;
};

}  // namespace peregrine::data
