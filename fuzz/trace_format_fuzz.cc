// A tracepoint's format text, and the TRACING_DATA section that carries all of them.
#include "event/trace_format.h"
#include "event/tracing_data.h"
#include "input.h"

void peregrine::fuzz_trace_format(Bytes bytes) {
  if (parse_trace_format("system", as_text(bytes))) return;
  if (decode_tracing_data(bytes)) return;
}
