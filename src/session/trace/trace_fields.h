// TraceFieldList: the fields that lines of a trace have, for its conditions, tables and templates (field_report.h):
//
//   of all       comm pid tid cpu time name args
//   of a call    duration ret error, and its arguments by name: filename, kill.pid
//   of an event  its fields by name: prev_pid, sched_switch.prev_pid
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/field/field_values.h"
#include "base/result.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/spec.h"
#include "event/syscall/signature.h"
#include "session/trace/trace_request.h"

namespace peregrine {

class TraceFieldList {
 public:
  // Those of every line, and those of the calls that the request chooses.
  explicit TraceFieldList(const TraceRequest& request);
  // And those of a tracepoint.
  void add(const TraceFormat& format);
  // And those of the request's events, as this system has them.
  Result<> add_events(TraceRequest& request);

  UsedFields::Source source() const;

 private:
  void add(const std::string& name, FieldForm kind);
  void add_calls(const TraceRequest& request);

  std::vector<std::string> names_;  // in the order of messages
  std::map<std::string, FieldForm, std::less<>> kinds_;
};

// A used field, found once.
enum class TracePart : u8 { Comm, Pid, Tid, Cpu, Time, Name, Args, Duration, Result, Error, Own };
struct TracePlace {
  TracePart part = TracePart::Own;
  std::string event, field;  // of Own; `event` may be empty
};
std::vector<TracePlace> trace_places(std::span<const std::string> fields);

}  // namespace peregrine
