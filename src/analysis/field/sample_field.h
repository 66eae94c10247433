// SampleField: a property of samples to count, sum and match by: comm, tid, cpu, event, sym, …, or a tracepoint field.
//
// Values come from the record's bytes, not from printed text, so names with spaces or colons are safe. Flags and
// symbols of a print format become the value's text; the number is unchanged.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/field/field_values.h"
#include "base/bytes.h"
#include "base/number/wide_number.h"
#include "base/result.h"
#include "base/types.h"
#include "data/header/evlist.h"
#include "event/field/trace_format.h"
#include "event/print/print_names.h"
#include "event/tracepoint/trace_formats.h"
#include "machine/resolver/resolver.h"
#include "pipeline/replay/replay.h"

namespace peregrine {

class SampleField {
 public:
  // "comm", "next_pid", "sched_switch.next_pid", "sched:sched_switch.next_pid". `names` are the events'; `devices`
  // those of devices, may be null; `evlist`, `formats` and `devices` must outlive this. Errors: Usage, no event has the
  // field; includes the nearest name.
  static Result<SampleField> make(std::string_view word, const data::Evlist& evlist,
                                  const std::vector<std::string>& names, const TraceFormats& formats,
                                  const PrintNames* devices = nullptr);

  const std::string& name() const { return name_; }
  bool is_in(u32 event) const { return place_of(event) != nullptr; }
  FieldForm kind() const;
  // The names of all fields of these events, those of every event first.
  static std::vector<std::string> all(const data::Evlist& evlist, const TraceFormats& formats);
  // Nothing if the sample lacks the field or the field is text.
  std::optional<i128> number(const ReplaySample& sample) const;
  // Appends the displayed value; returns false if the sample has none.
  bool append(std::string& out, const ReplaySample& sample, Resolver& resolver) const;

 private:
  enum class Kind : u8 { Comm, Pid, Tid, Cpu, Event, Symbol, Dso, Period, Address, Time, Traced };
  // The field in one event.
  struct Place {
    bool present = false;
    const TraceField* field = nullptr;
    const PrintNames* words = nullptr;
  };
  static std::optional<Kind> find_kind(std::string_view word);
  // Nothing if the event lacks the field. If a pipe announces events after its first records, these have only the
  // fields common to all samples.
  const Place* place_of(u32 event) const;
  void append_event_name(std::string& out, u32 event) const;

  std::string name_;
  Kind kind_ = Kind::Traced;
  ByteOrder order_ = kHostOrder;
  std::vector<Place> places_;       // by event
  std::vector<std::string> names_;  // of the events
  const data::Evlist* evlist_ = nullptr;
};

// Parses "a,b". Errors: as above.
Result<std::vector<SampleField>> make_sample_fields(std::string_view words, const data::Evlist& evlist,
                                                    const std::vector<std::string>& names, const TraceFormats& formats,
                                                    const PrintNames* devices = nullptr);
// Appends all values of a sample, separated by two spaces; returns false if any is missing.
bool append_fields(std::string& out, const std::vector<SampleField>& fields, const ReplaySample& sample,
                   Resolver& resolver);

}  // namespace peregrine
