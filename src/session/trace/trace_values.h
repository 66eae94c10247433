// CallValues, EventValues: the fields of a line of a trace, by the places of trace_fields.h. Borrow everything; valid
// for one line.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "abi/sample.h"
#include "analysis/field/field_values.h"
#include "base/bytes.h"
#include "base/number/wide_number.h"
#include "base/types.h"
#include "event/field/trace_format.h"
#include "event/print/print_names.h"
#include "event/syscall/call.h"
#include "event/syscall/signature.h"
#include "output/text/format/script_text.h"
#include "output/text/trace/trace_argument.h"
#include "output/text/trace/trace_line.h"
#include "session/trace/trace_fields.h"

namespace peregrine {

// What the lines of one trace have in common.
struct TraceValuePlaces {
  std::span<const TracePlace> places;
  TraceLine& line;
  TraceNames& names;
  ScriptText& scratch;
};

class CallValues : public FieldValues {
 public:
  CallValues(TraceValuePlaces lines, const TracedCall& call)
      : lines_(lines), call_(call), signature_(lines.line.signature(call)) {}

  std::optional<i128> number(std::size_t field) const override;
  bool append(std::string& out, std::size_t field) const override;

 private:
  std::optional<unsigned> argument(const TracePlace& place) const;
  bool put(const TracePlace& place) const;

  TraceValuePlaces lines_;
  const TracedCall& call_;
  const SyscallSignature& signature_;
};

class EventValues : public FieldValues {
 public:
  // The event that was sampled. `arguments` appends the text between the parentheses of the usual line.
  struct Event {
    std::string_view name;
    const TraceFormat* format;  // may be null
    const abi::Sample& sample;
    ByteOrder order;
    std::function<const PrintNames*(std::string_view)> words;  // of a field; null: none
    std::function<void(ScriptText&)> arguments;
  };
  EventValues(TraceValuePlaces lines, const Event& event) : lines_(lines), event_(event) {}

  std::optional<i128> number(std::size_t field) const override;
  bool append(std::string& out, std::size_t field) const override;

 private:
  const TraceField* own_field(const TracePlace& place) const;

  TraceValuePlaces lines_;
  const Event& event_;
};

}  // namespace peregrine
