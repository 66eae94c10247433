// SampleField: something of samples that can be counted, summed and matched by: comm, tid, cpu, event, sym, …, or a
// field of tracepoints.
//
// Values come from the record's bytes, never from printed text: names with blanks or colons do no harm. What flags and
// symbols of a print format are called is the text of a value; its number stays what it was.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "event/tracepoint/trace_formats.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class SampleField {
 public:
  // "comm", "next_pid", "sched_switch.next_pid", "sched:sched_switch.next_pid". `names` are those of the events;
  // `evlist` and `formats` outlive the field. Errors: Usage, no event has it, with the nearest name.
  static Result<SampleField> make(std::string_view word, const data::Evlist& evlist,
                                  const std::vector<std::string>& names, const TraceFormats& formats);

  const std::string& name() const { return name_; }
  bool is_in(u32 event) const { return place_of(event) != nullptr; }
  bool is_signed() const;
  // Nothing: the sample has no such field, or it is text.
  std::optional<u64> number(const ReplaySample& sample) const;
  // Appends the value as people read it; false when the sample has none.
  bool append(std::string& out, const ReplaySample& sample, Resolver& resolver) const;

 private:
  enum class Kind : u8 { Comm, Pid, Tid, Cpu, Event, Symbol, Dso, Period, Address, Traced };
  // Of one event.
  struct Place {
    bool present = false;
    const TraceField* field = nullptr;
    const PrintNames* words = nullptr;
  };
  static std::optional<Kind> find_kind(std::string_view word);
  // Nothing: the event has no such field. A pipe may announce events after its first records: those have what every
  // sample has.
  const Place* place_of(u32 event) const;
  void append_event_name(std::string& out, u32 event) const;

  std::string name_;
  Kind kind_ = Kind::Traced;
  ByteOrder order_ = kHostOrder;
  std::vector<Place> places_;       // by event
  std::vector<std::string> names_;  // of the events
  const data::Evlist* evlist_ = nullptr;
};

// "a,b" as fields. Errors: as above.
Result<std::vector<SampleField>> make_sample_fields(std::string_view words, const data::Evlist& evlist,
                                                    const std::vector<std::string>& names, const TraceFormats& formats);
// All values of a sample, as text with "  " in between; false when one of them is missing.
bool append_fields(std::string& out, const std::vector<SampleField>& fields, const ReplaySample& sample,
                   Resolver& resolver);

}  // namespace peregrine
