// A tracepoint's format text, records printed with it, and the TRACING_DATA section that contains all of them.
//
// A record follows the NUL that ends the format's text.
#include <algorithm>
#include <string_view>

#include "base/bytes.h"
#include "base/text/text_buffer.h"
#include "event/field/trace_format.h"
#include "event/print/print_format.h"
#include "event/tracepoint/tracing_data.h"
#include "input.h"

void peregrine::fuzz_trace_format(Bytes bytes) {
  const std::string_view text = as_text(bytes).substr(0, as_text(bytes).find('\0'));
  if (const auto format = parse_trace_format("system", text)) {
    const Bytes record = bytes.subspan(std::min(text.size() + 1, bytes.size()));
    for (const ByteOrder order : {ByteOrder::Little, ByteOrder::Big}) {
      TextBuffer out;
      PrintFormat(*format, TraceMachine{.order = order, .long_size = 4}).print(out, record, nullptr);
    }
  }
  if (decode_tracing_data(bytes)) return;
}
