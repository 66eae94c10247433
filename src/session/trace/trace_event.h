// TracedEvent: an event in a trace other than system calls: the text of its lines, and how many more to print.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "abi/attr.h"
#include "abi/sample.h"
#include "base/bytes.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/print/print_names.h"
#include "event/syscall/call.h"
#include "event/tracepoint/tracing_data.h"
#include "output/text/format/script_text.h"
#include "session/trace/trace_printer.h"
#include "session/trace/trace_request.h"

namespace peregrine {

class TracedEvent {
 public:
  // `name`: as shown. `tracing`: the tracepoint formats. `enumerations`, `devices`: of the traced machine. These three
  // must outlive the event, and may be null.
  TracedEvent(std::string name, const abi::EventAttr& attr, const TracingData* tracing, const TraceRequest& request,
              Enumerations* enumerations, const PrintNames* devices);

  const std::string& name() const { return name_; }
  // Null: unknown format, or not a tracepoint.
  const TraceFormat* format() const { return format_; }
  // Counts one more line; false: /nr=3/ has been reached.
  bool take();
  // Names of a field's values; null: none.
  const PrintNames* words(std::string_view field) const;
  // The text between the parentheses of its line.
  void put_arguments(ScriptText& text, TracePrinter& printer, const abi::Sample& sample, ByteOrder order) const;
  // "sched:sched_switch(prev_comm: "sleep", …)" and the end of the line.
  void put(ScriptText& text, TracePrinter& printer, const abi::Sample& sample, ByteOrder order) const;

 private:
  TracedCall entered_call(const abi::Sample& sample, ByteOrder order) const;

  std::string name_;
  const TraceFormat* format_ = nullptr;
  bool own_format_ = false;  // --libtraceevent_print
  bool is_entry_ = false;    // for a system call: syscalls:sys_enter_openat
  std::optional<PrintFormat> print_;
  std::vector<PrintNames> enums_;        // for fields that are enums
  const PrintNames* devices_ = nullptr;  // for fields that are devices
  u64 left_ = ~u64{0};
};

}  // namespace peregrine
